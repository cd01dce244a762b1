"""Offsets of the calls of one rank: runs, forward gaps and jumps back, within the file."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.traces.sampled.counts import Numbers

Random = np.random.Generator
BACK, FREE = -1, -2
"""Before a call: the process goes back; it leaves out some bytes, the log does not say how many."""


@dataclass(frozen=True, slots=True)
class Jumps:
    """What stands between the calls of one rank, in one direction."""

    gap: Numbers
    """Before each call: the bytes that are left out; 0: it is consecutive; or BACK, or FREE."""
    first: bool
    """Whether the first call is at the begin of the file."""


def jumps_of(
    calls: Sequence[int],
    consecutive: int,
    sequential: int,
    strides: dict[int, int],
    random: Random,
    *,
    begins: bool = True,
    regular: bool = False,
) -> list[Jumps]:
    """Divide what counters say of the order of calls among ranks, with a number of calls each.

    Of all calls but the first of each rank as many are consecutive as the counters say, and as
    many go back. Which ranks begin at the begin of the file is not in the log. ``begins``: one
    does, if counters allow it. ``regular``: jumps of each kind are as far apart as they can be, as
    those of loops are; else in any order.
    """
    count, ranks = sum(calls), len(calls)
    inner = count - ranks
    jumping = inner - min(consecutive, inner)
    behind = count - sequential  # Calls that go back, or stand at the begin of the file.
    at_begin = min(ranks if random.random() < 0.5 else int(begins), behind)
    back = min(behind - at_begin, jumping)
    at_begin = min(ranks, behind - back)
    kinds = np.zeros(inner, np.int64)
    left = jumping - back
    some = {BACK: back}
    for stride, many in strides.items():
        some[stride] = min(many, left)
        left -= some[stride]
    some[FREE] = left
    if regular:
        where = (2 * np.arange(jumping) + 1) * inner // max(1, 2 * jumping)
    else:
        where = np.sort(random.choice(inner, jumping, replace=False)) if jumping else kinds[:0]
    kinds[where] = _merged(some, random, regular=regular)
    ends = np.cumsum([many - 1 for many in calls])[:-1]
    return [
        Jumps(np.concatenate([np.zeros(1, np.int64), part]), rank < at_begin)
        for rank, part in enumerate(np.split(kinds, ends))
    ]


def _merged(some: dict[int, int], random: Random, *, regular: bool) -> Numbers:
    """Return values, each as often as it is said, evenly among each other or in any order.

    >>> _merged({7: 4, 8: 2}, np.random.default_rng(1), regular=True).tolist()
    [7, 8, 7, 7, 8, 7]
    """
    values = np.repeat(np.array(list(some), np.int64), list(some.values()))
    if not regular:
        random.shuffle(values)
        return values
    places = [(2 * np.arange(many) + 1) / (2 * many) for many in some.values() if many]
    order = np.argsort(np.concatenate(places), kind="stable") if places else values[:0]
    return np.asarray(values[order])


@dataclass(frozen=True, slots=True)
class File:
    """What is known of where the calls of a file are."""

    extent: int
    """Bytes from its begin up to the last one that a call has moved."""
    alignment: int
    """That of the file system, in bytes; 1: not known."""
    aligned: float
    """The part of the calls that begin at a multiple of it."""

    def start(self, most: int, random: Random, least: int = 0) -> int:
        """Return where a run begins, from ``least`` to ``most`` or so."""
        return self.near(int(random.integers(least, max(least, most) + 1)), least, random)

    def near(self, place: int, least: int, random: Random) -> int:
        """Return a place, or the multiple before it, as often as calls are aligned."""
        if self.alignment > 1 and random.random() < self.aligned:
            lower = place // self.alignment * self.alignment
            return lower if lower >= least else place
        return place


def offsets_of(
    jumps: Jumps,
    size: Numbers,
    file: File,
    share: float,
    random: Random,
    *,
    reaches: bool,
    again: bool = False,
) -> Numbers:
    """Return the offsets of one rank's calls.

    ``share``: where among the ranks its first run stands, from 0 to 1. ``reaches``: one of its
    calls moves the last byte of the extent. ``again``: where it goes back it goes to the begin of
    the run before, else to any place before.
    """
    gap = _at_ends(jumps.gap.copy(), size, file.extent)
    gap = _fitting(_even(gap, size, file.extent), size, file.extent)
    starts = np.flatnonzero(gap == BACK)
    if reaches and jumps.first and not (gap == FREE).any() and (gap > 0).any():
        gap[np.flatnonzero(gap > 0)[-1]] = FREE  # Only so can one of its calls reach the end.
    chains = [0, *starts.tolist(), len(size)]
    free = gap == FREE
    gap[starts] = 0
    offset = np.zeros(len(size), np.int64)
    before = run = 0
    for low, high in itertools.pairwise(chains):
        here = np.flatnonzero(free[low:high])
        own, moved = gap[low:high], size[low:high]
        own[here] = 1
        slack = max(0, file.extent - int(own.sum()) - int(moved.sum()))
        fills = reaches and (len(here) > 0 or (low == 0 and not jumps.first))
        if low == 0:
            start = (
                0 if jumps.first else min(slack, max(2, file.near(round(share * slack), 2, random)))
            )
            start = slack if fills and not len(here) else start
        else:
            start = run if again else file.start(min(slack, max(0, before - 1)), random)
            start = min(start, slack)
            if reaches and not fills and slack < before:
                start, reaches = slack, False
        if len(here):
            _open_gaps(own, moved, here, start, file, random, fills=fills)
        reaches &= not fills
        place = start + np.cumsum(moved + own) - moved
        offset[low:high] = place
        before = int(place[-1] + moved[-1])
        run = int(place[np.flatnonzero(own)[-1]]) if own.any() else start
    return offset


def _at_ends(gap: Numbers, size: Numbers, extent: int) -> Numbers:
    """Return gaps with the jumps back among the first and the last calls, if only so they fit.

    Known strides that lead through most of the file leave room for one way through it.
    """
    backs = np.flatnonzero(gap == BACK)
    wide = np.sort(gap[gap > 0])[::-1]
    whole = int(wide.sum() + size.sum())
    for stride in wide[: len(backs)].tolist():  # Behind a jump back one may be as wide.
        whole -= stride if whole > extent else 0
    if not extent / 2 < whole <= extent or not 0 < len(backs) < len(gap) // 16:
        return gap
    for number, back in enumerate(backs.tolist()):
        other = 1 + number // 2 if number % 2 else len(gap) - 1 - number // 2
        gap[back], gap[other] = gap[other], gap[back]
    return gap


def _even(gap: Numbers, size: Numbers, extent: int) -> Numbers:
    """Return gaps with the jumps back where each run of bytes between them fits the extent.

    They stay where they are if their runs fit; else they divide the bytes evenly.
    """
    backs = np.flatnonzero(gap == BACK)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(size)])
    runs = np.diff(ends[[0, *backs.tolist(), len(size)]])
    if not len(backs) or runs.max() <= extent:
        return gap
    wanted = np.arange(1, len(backs) + 1) * (ends[-1] / (len(backs) + 1))
    places = np.searchsorted(ends[:-1], wanted, side="left").clip(1, len(size) - 1)
    places = np.unique(places)
    kept = np.setdiff1d(backs, places)[: len(backs) - len(places)]
    places = np.union1d(places, kept)
    moved = np.setdiff1d(backs, places)
    gap[moved] = gap[np.setdiff1d(places, backs)]
    gap[places] = BACK
    return gap


def _fitting(gap: Numbers, size: Numbers, extent: int) -> Numbers:
    """Return gaps of which no chain is longer than the extent: the widest strides are given up."""
    starts = np.flatnonzero(gap == BACK)
    for low, high in zip([0, *starts.tolist()], [*starts.tolist(), len(gap)], strict=True):
        own = gap[low:high]
        over = int(np.maximum(own, 0).sum() + size[low:high].sum()) - extent
        for one in np.argsort(-own, kind="stable").tolist() if over > 0 else ():
            if over <= 0 or own[one] <= 0:
                break
            over -= int(own[one]) - 1
            own[one] = FREE
    return gap


def _open_gaps(
    own: Numbers,
    moved: Numbers,
    here: Numbers,
    start: int,
    file: File,
    random: Random,
    *,
    fills: bool,
) -> None:
    """Open the gaps of a chain whose width is not known, within the extent."""
    room = file.extent - start - int(own.sum()) - int(moved.sum())
    if room <= 0:
        return
    weights = random.exponential(size=len(here))
    part = room if fills else int(room * random.random())
    own[here] += (weights / weights.sum() * part).astype(np.int64)
    if file.alignment > 1 and file.aligned > 0:
        _align(own, moved, here, start, file, random)
    if fills:
        own[here[-1]] += file.extent - start - int(own.sum()) - int(moved.sum())


def _align(
    own: Numbers, moved: Numbers, here: Numbers, start: int, file: File, random: Random
) -> None:
    """Let the calls behind some open gaps begin at a multiple of the alignment."""
    place = start + np.cumsum(moved + own) - moved
    shift = 0
    chosen = random.random(len(here)) < file.aligned
    for one, wanted in zip(here.tolist(), chosen.tolist(), strict=True):
        if not wanted:
            continue
        less = (int(place[one]) - shift) % file.alignment
        less = less if less < own[one] else 0
        own[one] -= less
        shift += less
