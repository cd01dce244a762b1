"""Calls for pieces of a file -> rows of a plan: chunks, requests to I/O nodes, extents.

The operating system carries out a call through a transfer buffer: so many bytes at a time, a chunk.
A chunk is one request to each I/O node that has a part of it, all sent at once.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np

from simulator.runtime.iocodes import CALLS, READ, SEND, WRITE
from simulator.runtime.iosteps import ExtentRows, Groups, Requests, Steps
from simulator.runtime.subfiles import Extents, SubFiles, Whole


@dataclass(frozen=True, slots=True)
class Asked:
    """Pieces of a file that somebody wants, in their order."""

    offset: Whole
    size: Whole

    @property
    def bytes(self) -> int:
        """All of them together."""
        return int(self.size.sum())


@dataclass(frozen=True, slots=True)
class Cut:
    """Requests of one thread: rows of the requests, and the extents of each."""

    chunk: Whole
    node: Whole
    size: Whole
    first: Whole
    count: Whole
    extents: Extents


def chunks(asked: Asked, call: Whole, buffer: int) -> tuple[Asked, Whole, Whole]:
    """Cut calls into chunks: the pieces, the chunk of each, and the call of each chunk.

    >>> asked = Asked(np.array([0, 100]), np.array([40, 40]))
    >>> pieces, chunk, calls = chunks(asked, np.array([0, 0]), 64)
    >>> pieces.offset.tolist(), pieces.size.tolist(), chunk.tolist(), calls.tolist()
    ([0, 100, 124], [40, 24, 16], [0, 0, 1], [0, 0])
    """
    end = np.cumsum(asked.size)
    begin = end - asked.size
    new = np.flatnonzero(np.diff(call, prepend=call[0] - 1))
    which = np.cumsum(np.isin(np.arange(len(call)), new)) - 1
    at = begin - begin[new][which]
    first = at // buffer
    parts = (at + asked.size - 1) // buffer - first + 1
    rows = np.repeat(np.arange(len(at)), parts)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(parts) - parts, parts)
    low = np.maximum(at[rows], (first[rows] + nth) * buffer)
    high = np.minimum((at + asked.size)[rows], (first[rows] + nth + 1) * buffer)
    key = np.stack([which[rows], low // buffer])
    changed = np.any(np.diff(key, axis=1, prepend=key[:, :1] - 1) != 0, axis=0)
    chunk = np.cumsum(changed) - 1
    pieces = Asked(asked.offset[rows] + low - at[rows], high - low)
    return pieces, chunk, call[rows][changed]


def requests(files: SubFiles, pieces: Asked, chunk: Whole) -> Cut:
    """Divide chunks over I/O nodes; extents that touch are made one."""
    cut = files.extents(pieces.offset, pieces.size)
    of = chunk[cut.source]
    order = np.lexsort((np.arange(len(of)), cut.node, of))
    of, node, block, low, high = (
        one[order] for one in (of, cut.node, cut.block, cut.low, cut.high)
    )
    keep, ends = _joined(np.stack([of, node]), block, low, high)
    of, node, block, low = of[keep], node[keep], block[keep], low[keep]
    changed = (np.diff(of, prepend=-1) != 0) | (np.diff(node, prepend=-1) != 0)
    first = np.flatnonzero(changed)
    count = np.diff(np.append(first, len(of)))
    size = np.add.reduceat(ends - low, first)
    return Cut(of[first], node[first], size, first, count, Extents(node, block, low, ends, of))


def _joined(key: Whole, block: Whole, low: Whole, high: Whole) -> tuple[Whole, Whole]:
    """Rows that begin an extent, and where each ends, when those that touch are made one."""
    goes_on = np.zeros(len(block), dtype=bool)
    goes_on[1:] = (
        np.all(key[:, 1:] == key[:, :-1], axis=0)
        & (block[1:] == block[:-1])
        & (low[1:] == high[:-1])
    )
    keep = np.flatnonzero(~goes_on)
    last = np.append(keep[1:], len(block)) - 1
    return keep, high[last]


@dataclass(frozen=True, slots=True)
class Merged:
    """Which merged request each round has at each node."""

    keys: Whole
    """round * nodes + node, ascending."""
    first: int
    """The row of the first in the table of groups."""

    def rows(self, chunk: Whole, node: Whole, nodes: int) -> Whole:
        """The groups of requests."""
        return self.first + np.searchsorted(self.keys, chunk * nodes + node)


def _empty() -> array[int]:
    return array("q")


def _put(column: array[int], values: Whole | int, count: int | None = None) -> None:
    """Append values to a column, or one value some times."""
    row = values if count is None else np.full(count, values)
    column.frombytes(np.ascontiguousarray(row, dtype=np.int64).tobytes())


class Tables:
    """The tables of a plan as they grow."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.steps = Steps(*(_empty() for _ in range(5)))
        self.requests = Requests(*(_empty() for _ in range(7)))
        self.groups = Groups(*(_empty() for _ in range(5)))
        self.extents = ExtentRows(*(_empty() for _ in range(3)))

    def step(
        self, kind: int, first: int = 0, count: int = 0, think: int = 0, part: int = 0
    ) -> None:
        """One row of what a thread does."""
        steps = self.steps
        for column, value in (
            (steps.kind, kind),
            (steps.think, think),
            (steps.part, part),
            (steps.first, first),
            (steps.count, count),
        ):
            column.append(value)

    def send(self, other: int, size: int) -> None:
        """A message to another thread."""
        self.step(SEND, other, size)

    def moves(
        self,
        cut: Cut,
        call: Whole,
        *,
        write: bool,
        think: int,
        message: int,
        item: int,
        merged: Merged | None = None,
    ) -> None:
        """Steps for the chunks of calls.

        ``call`` is that of each chunk; each call is preceded by ``think`` ns. The message of a
        request has ``message`` bytes, and ``item`` for each of its extents.
        """
        before = len(self.requests.node)
        rows = self._extents(cut) if merged is None else 0
        table = self.requests
        _put(table.node, cut.node)
        _put(table.size, cut.size)
        _put(table.message, message + item * cut.count)
        _put(table.pieces, cut.count)
        if merged is None:
            _put(table.group, -1, len(cut.node))
            _put(table.first, rows + cut.first)
            _put(table.count, cut.count)
        else:
            _put(table.group, merged.rows(cut.chunk, cut.node, self.nodes))
            _put(table.first, 0, len(cut.node))
            _put(table.count, 0, len(cut.node))
        first = np.searchsorted(cut.chunk, np.arange(len(call)))
        steps = self.steps
        _put(steps.kind, WRITE if write else READ, len(call))
        _put(steps.think, np.where(np.diff(call, prepend=call[0] - 1) != 0, think, 0))
        _put(steps.part, CALLS, len(call))
        _put(steps.first, before + first)
        _put(steps.count, np.diff(np.append(first, len(cut.chunk))))

    def merge(self, cuts: list[Cut], more: int, copies_ns: float) -> Merged:
        """Groups of the requests of all threads for one chunk and one node.

        Each takes ``more`` ns, and ``copies_ns`` for each byte, beyond what a request does.
        """
        chunk = np.concatenate([np.repeat(cut.chunk, cut.count) for cut in cuts])
        node = np.concatenate([cut.extents.node for cut in cuts])
        block = np.concatenate([cut.extents.block for cut in cuts])
        low = np.concatenate([cut.extents.low for cut in cuts])
        high = np.concatenate([cut.extents.high for cut in cuts])
        key = chunk * self.nodes + node
        order = np.lexsort((low, block, key))
        key, block, low, high = key[order], block[order], low[order], high[order]
        keep, ends = _joined(key[None, :], block, low, high)
        key, block, low = key[keep], block[keep], low[keep]
        first = np.flatnonzero(np.diff(key, prepend=-1) != 0)
        count = np.diff(np.append(first, len(key)))
        size = np.add.reduceat(ends - low, first)
        asked = np.concatenate([cut.chunk * self.nodes + cut.node for cut in cuts])
        keys, members = np.unique(asked, return_counts=True)
        table, rows = self.groups, len(self.extents.block)
        before = len(table.members)
        self._put_extents(block, low, ends)
        _put(table.members, members)
        _put(table.size, size)
        _put(table.more, more + (size * copies_ns + 0.5).astype(np.int64))
        _put(table.first, rows + first)
        _put(table.count, count)
        return Merged(keys, before)

    def _extents(self, cut: Cut) -> int:
        rows = len(self.extents.block)
        self._put_extents(cut.extents.block, cut.extents.low, cut.extents.high)
        return rows

    def _put_extents(self, block: Whole, low: Whole, high: Whole) -> None:
        _put(self.extents.block, block)
        _put(self.extents.low, low)
        _put(self.extents.high, high)
