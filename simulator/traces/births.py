"""Which fork returns which pid, in lines that are not followed yet.

If several forks are under way, a child's first line does not say of whom it is: the parent is the
process whose fork returns the child's pid later. The end of each fork is looked at once for that,
however many children ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.traces.scanner import Scanner
    from simulator.traces.sources import Block

AHEAD_LINES = 100_000
AHEAD_BYTES = 32 << 20
"""How far ahead the end of a fork is looked for."""


@dataclass(slots=True)
class Scanned:
    """Tokens of a part of a block."""

    block: Block
    scanner: Scanner
    count: int
    last: bool
    """It is the block's last part."""
    returns: dict[int, list[tuple[int, int]]] | None = None
    """For each pid that forks return in second parts: token and parent, of each."""


class Births:
    """Looks ahead for the ends of forks."""

    def __init__(self) -> None:
        self.looked_at = 0
        """Ends of forks that were looked at, all told."""

    def parent(
        self,
        pid: int,
        part: Scanned,
        at: int,
        peek: Callable[[int], Scanned | None],
        is_cloning: Callable[[int], int],
    ) -> int:
        """Return the process whose fork returns ``pid``, or -1.

        The lines are those of ``part`` from token ``at`` on, and of the parts that ``peek`` gives;
        ``is_cloning`` says whether a process has a fork under way.
        """
        lines = size = k = 0
        ahead: Scanned | None = part
        while ahead is not None and lines < AHEAD_LINES and size < AHEAD_BYTES:
            first = at if ahead is part else 0
            for token, parent in self._returns(ahead).get(pid, ()):
                if token >= first and is_cloning(parent):
                    return parent
            lines += ahead.count - first
            size += ahead.block.stop
            ahead = peek(k)
            k += 1
        return -1

    def _returns(self, part: Scanned) -> dict[int, list[tuple[int, int]]]:
        """The forks that end in a part, by the pid that they return."""
        if part.returns is None:
            part.returns = {}
            for token, parent, child in part.scanner.forks():
                part.returns.setdefault(child, []).append((token, parent))
                self.looked_at += 1
        return part.returns
