"""The calls of a run, each with its begin and end: what ``nwtsim run --store`` writes."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field


def _cells(code: str) -> array[int]:
    return array(code)


@dataclass(frozen=True)
class CallLog:
    """Every call of every client, in the order in which each client made them.

    The calls of a client stand together, from ``first[c]`` on, ``count[c]`` of them. Listed calls
    are there with all of their rows, whatever their kind.
    """

    first: list[int]
    count: list[int]
    begin: array[int] = field(default_factory=lambda: _cells("q"))
    """When the call began; ns since the run began."""
    end: array[int] = field(default_factory=lambda: _cells("q"))
    kind: array[int] = field(default_factory=lambda: _cells("b"))
    """One of ``runtime/operations.py``."""
    file: array[int] = field(default_factory=lambda: _cells("i"))
    offset: array[int] = field(default_factory=lambda: _cells("q"))
    size: array[int] = field(default_factory=lambda: _cells("q"))

    def columns(self) -> tuple[array[int], ...]:
        """Kind, file, offset, size, begin, end."""
        return self.kind, self.file, self.offset, self.size, self.begin, self.end
