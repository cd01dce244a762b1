"""Tokens of a log, ahead of the one that follows its processes."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future, ThreadPoolExecutor

    from simulator.traces.births import Scanned
    from simulator.traces.merge import MergedSource
    from simulator.traces.reader import Trace
    from simulator.traces.sources import Block, Source

THREADS = 4
"""That make tokens, if there are more than two processors: with fewer it would cost more."""


class Feed:
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
        """Have at least one more part ready."""
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
        """The part is needed no more."""
        self._trace.recycle(part.scanner)
        if part.last:
            self._source.give_back(part.block)
