"""Calls that a cured program does not make: opens, closes, syncs, reads that it has made before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.calls import (
    OPENS,
    SYNCED_WRITES,
    Columns,
    Numbers,
    inserted,
    pairs_in,
    remade,
    without,
)
from simulator.plan.codes import CLOSE, LOOKUP, STAT, SYNC, SYNCED

if TYPE_CHECKING:
    from simulator.workload.traced import Traced


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
        opens, closes = columns.streams(OPENS), columns.streams((CLOSE,))
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
    """Sync once at the end: of each stream the last sync is left.

    Writes that are synchronous by themselves (``O_SYNC``) are so no more; the last is synced.
    """

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that syncs these files once."""
        columns = Columns(traced)
        syncs = columns.streams((SYNC, *SYNCED_WRITES))
        mine = pairs_in(syncs.of, self.pairs)
        ends = mine & np.roll(syncs.begins, -1)
        alone = syncs.columns.kind[syncs.rows] == SYNC
        kind = columns.kind.copy()
        lazy = syncs.rows[mine & ~alone]
        kind[lazy] &= ~SYNCED
        keep = np.ones(len(columns), bool)
        keep[syncs.rows[mine & alone & ~ends]] = False
        after = syncs.rows[ends & ~alone]
        place = np.cumsum(keep)[after] - 1  # Rows become fewer, and pauses take no place before.
        cured = remade(columns, keep, kind=kind)
        return inserted(cured, place, SYNC) if len(after) else cured


@dataclass(frozen=True, slots=True, eq=False)
class SearchOnce:
    """Names that are absent are looked for once, or, if ``never``, not at all."""

    never: bool = False

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that looks for fewer absent names."""
        columns = Columns(traced)
        return without(columns, searches(columns) if self.never else repeated(columns))


def searches(columns: Columns) -> Numbers:
    """Return the rows that look for a name that is absent."""
    return np.flatnonzero(columns.kind == LOOKUP)


def repeated(columns: Columns) -> Numbers:
    """Return the rows that look for an absent name once more, each client for itself."""
    rows = searches(columns)
    order = np.lexsort((rows, columns.offset[rows], columns.pair[rows]))
    rows = rows[order]
    same = np.zeros(len(rows), bool)
    same[1:] = (np.diff(columns.pair[rows]) == 0) & (np.diff(columns.offset[rows]) == 0)
    return np.sort(rows[same])


@dataclass(frozen=True, slots=True, eq=False)
class StatLess:
    """The status of some files is asked for once, or, if ``never``, not at all."""

    pairs: Numbers
    never: bool = False

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that asks less often."""
        columns = Columns(traced)
        stats = columns.streams((STAT,))
        gone = pairs_in(stats.of, self.pairs)
        return without(columns, stats.rows[gone if self.never else gone & ~stats.begins])
