"""Writes cut at multiples of a unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.calls import LAZY_WRITES, READS, Columns, Numbers, pairs_in, remade
from simulator.plan.codes import PAUSE, SEEK, STAT

if TYPE_CHECKING:
    from simulator.workload.traced import Traced


@dataclass(frozen=True, slots=True, eq=False)
class Align:
    """Write whole units: what a write leaves of its last one is written with the next write.

    A run is a stretch of writes of a stream, each where the one before ended, with no other call on
    the file and no other process made or awaited in between; it ends with its last byte.
    """

    pairs: Numbers
    unit: int

    def __call__(self, traced: Traced) -> Traced:
        """Return the program whose writes are aligned."""
        columns = Columns(traced)
        rows, run = self._runs(columns)
        if not len(rows):
            return traced
        unit = self.unit
        offset, size = columns.offset.copy(), columns.size.copy()
        end = offset[rows] + size[rows]
        first = np.flatnonzero(np.diff(run, prepend=-1))
        last = np.zeros(len(rows), bool)
        last[np.append(first[1:], len(rows)) - 1] = True
        begin = offset[rows][first][run]
        until = np.where(last, end, np.maximum(end // unit * unit, begin))
        since = np.roll(until, 1)
        since[first] = begin[first]
        offset[rows], size[rows] = since, until - since
        keep = np.ones(len(columns), bool)
        keep[rows[until == since]] = False
        return remade(columns, keep, offset=offset, size=size)

    def _runs(self, columns: Columns) -> tuple[Numbers, Numbers]:
        """Return the rows of runs, stream by stream, and the number of the run of each."""
        calls = columns.streams(range(128))
        mine = pairs_in(calls.of, self.pairs) & ~np.isin(columns.kind[calls.rows], (SEEK, STAT))
        mine &= ~(np.isin(columns.kind[calls.rows], READS) & (calls.sizes == 0))
        rows, of = calls.rows[mine], calls.of[mine]
        if not len(rows):
            return rows, rows
        meets = np.cumsum((columns.file < 0) & (columns.kind != PAUSE))
        wrote = np.isin(columns.kind[rows], LAZY_WRITES) & (columns.size[rows] > 0)
        offset = columns.offset[rows]
        end = offset + columns.size[rows]
        new = np.ones(len(rows), bool)
        new[1:] = ~(
            wrote[1:]
            & wrote[:-1]
            & (of[1:] == of[:-1])
            & (offset[1:] == end[:-1])
            & (meets[rows[1:]] == meets[rows[:-1]])
        )
        run = (np.cumsum(new) - 1)[wrote]
        return rows[wrote], np.unique(run, return_inverse=True)[1] if len(run) else run
