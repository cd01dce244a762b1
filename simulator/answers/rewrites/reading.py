"""Reads made in another way: kept in memory, read as a whole at first, or in the file's order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.calls import (
    READS,
    WRITES,
    Columns,
    Numbers,
    Streams,
    pairs_in,
    remade,
    without,
)
from simulator.plan.codes import SEEK

if TYPE_CHECKING:
    from simulator.workload.traced import Traced


class Covered:
    """Which bytes of a file have been seen: disjoint extents, in order.

    >>> seen = Covered()
    >>> [seen.add(*extent) for extent in ((0, 10), (20, 30), (5, 25), (0, 30), (29, 31))]
    [10, 10, 10, 0, 1]
    """

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []

    def add(self, begin: int, end: int) -> int:
        """Add an extent; returns how many of its bytes are new."""
        begins, ends = self._begins, self._ends
        first = bisect_left(ends, begin)
        last = bisect_right(begins, end)
        if first == last:
            begins.insert(first, begin)
            ends.insert(first, end)
            return end - begin
        low, high = min(begin, begins[first]), max(end, ends[last - 1])
        old = sum(ends[one] - begins[one] for one in range(first, last))
        begins[first:last], ends[first:last] = [low], [high]
        return high - low - old


@dataclass(frozen=True, slots=True, eq=False)
class KeepInMemory:
    """Keep what has been read or written: reads without a new byte are not made again."""

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that keeps these files in memory."""
        columns = Columns(traced)
        used = columns.streams((*READS, *WRITES), moving=True)
        return without(columns, used.rows[again(used, self.pairs)])


def again(used: Streams, pairs: Numbers) -> Numbers:
    """Return which rows of streams are reads whose bytes their client has seen before.

    Only streams of some pairs are looked at.
    """
    found = np.zeros(len(used.rows), bool)
    ends = np.append(used.first[1:], len(used.rows))
    reads = np.isin(used.columns.kind[used.rows], READS)
    for number in np.flatnonzero(pairs_in(used.pairs, pairs)).tolist():
        part = slice(int(used.first[number]), int(ends[number]))
        seen = Covered()
        begin = used.offsets[part]
        until = begin + used.sizes[part]
        new = [seen.add(*extent) for extent in zip(begin.tolist(), until.tolist(), strict=True)]
        found[part] = reads[part] & (np.array(new) == 0)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class ReadWhole:
    """Read all that a stream reaches over by its first read, and nothing afterwards."""

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that reads these files as a whole."""
        columns = Columns(traced)
        reads = columns.streams(READS, moving=True)
        keep = np.ones(len(columns), bool)
        if not len(reads):
            return traced
        offset, size = columns.offset.copy(), columns.size.copy()
        begin = np.minimum.reduceat(reads.offsets, reads.first)
        end = np.maximum.reduceat(reads.offsets + reads.sizes, reads.first)
        mine = pairs_in(reads.of, self.pairs)
        keep[reads.rows[mine & ~reads.begins]] = False
        first, number = reads.rows[mine & reads.begins], reads.number[mine & reads.begins]
        offset[first], size[first] = begin[number], end[number] - begin[number]
        keep &= ~((columns.kind == SEEK) & pairs_in(columns.pair, self.pairs))
        return remade(columns, keep, offset=offset, size=size)


@dataclass(frozen=True, slots=True, eq=False)
class InOrder:
    """Make the reads of a stream in the order of their places in the file."""

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that reads these files in order."""
        columns = Columns(traced)
        reads = columns.streams(READS, moving=True)
        mine = pairs_in(reads.of, self.pairs)
        rows, number = reads.rows[mine], reads.number[mine]
        order = np.lexsort((columns.size[rows], columns.offset[rows], number))
        offset, size = columns.offset.copy(), columns.size.copy()
        offset[rows], size[rows] = columns.offset[rows][order], columns.size[rows][order]
        keep = ~((columns.kind == SEEK) & pairs_in(columns.pair, self.pairs))
        return remade(columns, keep, offset=offset, size=size)
