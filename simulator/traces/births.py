"""Which fork returns which pid, in lines that are not followed yet.

If several forks are under way, a child's first line does not say of whom it is: the parent is the
process whose fork returns the child's pid later. Each line is looked at once for that, however many
children ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.traces.acts import CLONE, FORK
from simulator.traces.codes import A_NUMBER, KIND, PID, RESULT, RESUMED, VALUE, WHICH, WIDTH
from simulator.traces.syscalls import ACT, SPECS, specs

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.traces.sources import Block

AHEAD_LINES = 100_000
AHEAD_BYTES = 32 << 20
"""How far ahead the end of a fork is looked for."""


@dataclass(slots=True)
class Scanned:
    """Tokens of a part of a block."""

    block: Block
    scanner: Any
    count: int
    last: bool
    """It is the block's last part."""
    returns: dict[int, list[tuple[int, int]]] | None = None
    """For each pid that forks return in second parts: token and parent, of each."""


class Births:
    """Looks ahead for the ends of forks."""

    def __init__(self) -> None:
        table = specs()
        acts = table[ACT::SPECS]
        self._forks = [call for call, act in enumerate(acts) if act in {FORK, CLONE}]
        self.looked_at = 0
        """Lines that were looked at, all told."""

    def parent(
        self,
        pid: int,
        part: Scanned,
        at: int,
        peek: Callable[[int], Scanned | None],
        is_cloning: Callable[[int], int],
    ) -> int:
        """Give the process whose fork returns ``pid``, or -1.

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
            import numpy as np

            table = np.frombuffer(part.scanner.tokens, np.int64).reshape(-1, WIDTH)[: part.count]
            ends = (table[:, KIND] == RESUMED) & (table[:, RESULT] == A_NUMBER)
            ends &= np.isin(table[:, WHICH], self._forks)
            part.returns = {}
            for token in np.flatnonzero(ends).tolist():
                pid, parent = int(table[token, VALUE]), int(table[token, PID])
                part.returns.setdefault(pid, []).append((token, parent))
            self.looked_at += part.count
        return part.returns
