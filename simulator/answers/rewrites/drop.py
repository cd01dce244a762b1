"""Calls that a cured program does not make: opens, closes, syncs, reads that it has made before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.answers.calls import Columns, pairs_in, remade
from simulator.plan.codes import CLOSE, OPEN, STAT, SYNC

if TYPE_CHECKING:
    from simulator.workload.traced import Traced

    Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class KeepOpen:
    """Open a file once, and close it once: the first open and the last close are left.

    What is looked up right after an open (``fstat``) goes with it.
    """

    pairs: Numbers
    """Streams, as of :class:`~simulator.answers.calls.Columns`."""

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that keeps these files open."""
        columns = Columns(traced)
        keep = np.ones(len(columns), bool)
        opens, closes = columns.streams((OPEN,)), columns.streams((CLOSE,))
        gone = opens.rows[pairs_in(opens.of, self.pairs) & ~opens.begins]
        keep[gone] = False
        after = gone[gone + 1 < len(columns)] + 1
        same = (columns.kind[after] == STAT) & (columns.pair[after] == columns.pair[after - 1])
        keep[after[same]] = False
        ends = np.roll(closes.begins, -1)
        mine = pairs_in(closes.of, self.pairs)
        keep[closes.rows[mine & ~ends]] = False
        size = columns.size.copy()
        if len(closes):
            wrote = np.maximum.reduceat(closes.sizes, closes.first)  # The last close has it all.
            size[closes.rows[mine & ends]] = wrote[closes.number[mine & ends]]
        return remade(columns, keep, size=size)


@dataclass(frozen=True, slots=True, eq=False)
class OneSync:
    """Sync once at the end: of each stream the last sync is left."""

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that syncs these files once."""
        columns = Columns(traced)
        syncs = columns.streams((SYNC,))
        keep = np.ones(len(columns), bool)
        ends = np.roll(syncs.begins, -1)
        keep[syncs.rows[pairs_in(syncs.of, self.pairs) & ~ends]] = False
        return remade(columns, keep)
