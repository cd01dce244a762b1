"""Tokens of a log, made ahead of the follower of its processes by other threads.

If several forks are under way, a child's first line does not name its parent: that is the process
whose fork returns the child's pid later. The end of each fork is looked at once for that.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future, ThreadPoolExecutor

    from simulator.traces.merge import MergedSource
    from simulator.traces.reader import Trace
    from simulator.traces.scanner import Scanner
    from simulator.traces.sources import Block, Source


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


class ForkReturns:
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
        """Return the forks that end in a part, by the pid that they return."""
        if part.returns is None:
            part.returns = {}
            for token, parent, child in part.scanner.forks():
                part.returns.setdefault(child, []).append((token, parent))
                self.looked_at += 1
        return part.returns


THREADS = 4
"""That make tokens, if there are more than two processors: with fewer it would cost more."""


class TokenQueue:
    """The tokens of a log in order, made ahead by other threads."""

    def __init__(
        self,
        trace: Trace,
        source: Source | MergedSource,
        blocks: Iterator[Block],
        pool: ThreadPoolExecutor | None,
    ) -> None:
        self._trace = trace
        self._source = source
        self._blocks = blocks
        self._pool = pool
        self._waiting: deque[Future[list[Scanned]]] = deque()
        self._ready: deque[Scanned] = deque()
        self._line = 1

    def _more(self) -> bool:
        """Prepare at least one more part; return whether there is one."""
        if self._pool is None:
            block = next(self._blocks, None)
            if block is None:
                return False
            self._ready.extend(self._trace.scan(block))
            return True
        while len(self._waiting) <= THREADS:
            block = next(self._blocks, None)
            if block is None:
                break
            self._waiting.append(self._pool.submit(self._trace.scan, block))
        if not self._waiting:
            return False
        self._ready.extend(self._waiting.popleft().result())
        return True

    def peek(self, k: int) -> Scanned | None:
        """Return the part that comes after the next ``k``, or None."""
        while len(self._ready) <= k:
            if not self._more():
                return None
        return self._ready[k]

    def take(self) -> Scanned | None:
        """Return the next part, or None."""
        part = self.peek(0)
        if part is not None:
            self._ready.popleft()
            part.block.line = self._line
            if part.last:
                self._line += part.scanner.lines
        return part

    def give_back(self, part: Scanned) -> None:
        """Release a part, and with the last part of a block the block."""
        self._trace.recycle(part.scanner)
        if part.last:
            self._source.give_back(part.block)
