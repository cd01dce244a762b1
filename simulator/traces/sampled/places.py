"""Offsets of calls: runs, forward gaps and jumps back of each rank, within the file.

Calls of all ranks stand in one column, rank by rank. Up to a jump back they are a *chain*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.traces.sampled.counts import Numbers, many_of, within

Random = np.random.Generator
BACK, FREE = -1, -2
"""Before a call: the process goes back; it leaves out some bytes, the log does not say how many."""


@dataclass(frozen=True, slots=True)
class Jumps:
    """What stands between the calls of each rank, in one direction."""

    gap: Numbers
    """Before each call: the bytes that are left out; 0: it is consecutive; or BACK, or FREE."""
    start: Numbers
    """The place of each rank's first call."""
    first: np.ndarray[Any, np.dtype[np.bool_]]
    """Whether each rank's first call is at the begin of the file."""


def jumps_of(
    calls: Numbers,
    consecutive: int,
    sequential: int,
    strides: dict[int, int],
    random: Random,
    *,
    begins: bool = True,
    regular: bool = False,
) -> Jumps:
    """Divide what counters say of the order of calls among ranks, with a number of calls each.

    Of all calls but the first of each rank as many are consecutive as the counters say, and as
    many go back. Which ranks begin at the begin of the file is not in the log. ``begins``: one
    does, if counters allow it. ``regular``: jumps of each kind are as far apart as they can be, as
    those of loops are; else in any order.
    """
    count, ranks = int(calls.sum()), len(calls)
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
    start = np.cumsum(calls) - calls
    inside = np.ones(count, bool)
    inside[start] = False
    gap = np.zeros(count, np.int64)
    gap[inside] = kinds
    return Jumps(gap, start, np.arange(ranks) < at_begin)


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

    def chosen(self, many: int, random: Random) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return which of so many calls are to begin at a multiple of the alignment."""
        if self.alignment <= 1 or self.aligned <= 0:
            return np.zeros(many, bool)
        return random.random(many) < self.aligned


def offsets_of(
    jumps: Jumps, size: Numbers, file: File, share: Any, random: Random, *, again: bool = False
) -> Numbers:
    """Return the offsets of the calls of all ranks.

    ``share``: where among the ranks each one's first run stands, from 0 to 1. One of the calls of
    the last rank moves the last byte of the extent. ``again``: where a rank goes back it goes to
    the begin of the run before, else to any place before.
    """
    gap = _fitted(jumps, size, file.extent)
    last = gap[jumps.start[-1] :]
    if jumps.first[-1] and not (last == FREE).any() and (last > 0).any():
        last[np.flatnonzero(last > 0)[-1]] = FREE  # Only so can one of its calls reach the end.
    chains = _Chains(gap, jumps, size, file, random)
    chains.begin(share, random)
    chains.walk(random, again=again)
    return chains.offsets()


class _Chains:
    """Chains of calls, and where each begins and how far its open gaps are opened."""

    def __init__(
        self, gap: Numbers, jumps: Jumps, size: Numbers, file: File, random: Random
    ) -> None:
        self.file, self.jumps = file, jumps
        starts = gap == BACK
        starts[jumps.start] = True
        self.first = np.flatnonzero(starts)
        self.free = gap == FREE
        own = np.where(gap == BACK, 0, np.where(self.free, 1, gap))
        self.length = np.add.reduceat(own + size, self.first)
        self.calls = many_of(self.first, len(gap))
        self.many = np.add.reduceat(self.free.astype(np.int64), self.first)
        self.slack = np.maximum(0, file.extent - self.length)
        self.ranks = np.searchsorted(self.first, jumps.start)
        """The first chain of each rank."""
        whole = np.cumsum(own + size)
        self.inside = (
            whole - size - np.repeat(whole[self.first] - (own + size)[self.first], self.calls)
        )
        """Of each call the bytes from the begin of its chain, with open gaps of one byte."""
        weight = np.zeros(len(gap))
        weight[self.free] = random.exponential(size=int(self.free.sum()))
        whole = np.cumsum(weight)
        self.opened = whole - np.repeat(whole[self.first] - weight[self.first], self.calls)
        total = self.opened[self.first + self.calls - 1]
        self.opened = self.opened / np.repeat(np.where(total > 0, total, 1.0), self.calls)
        """Up to each call the part of what all open gaps of its chain are opened."""
        self.aligns = file.chosen(len(gap), random) & self.free
        """Calls behind open gaps that are to begin at a multiple of the alignment."""
        run = np.where(own > 0, np.arange(len(gap)), 0)
        run[self.first] = self.first
        self.run = np.maximum.reduceat(run, self.first)
        """The first call of the last run of each chain."""
        self.open = np.maximum.reduceat(np.where(self.free, np.arange(len(gap)), -1), self.first)
        """The last call behind an open gap of each chain; -1: it has none."""

    def begin(self, share: Any, random: Random) -> None:
        """Place the first chain of each rank, and open its gaps within the extent."""
        slack = self.slack[self.ranks]
        place = np.rint(share * slack).astype(np.int64)
        if (chosen := self.file.chosen(len(place), random)).any():
            lower = place // self.file.alignment * self.file.alignment
            place = np.where(chosen & (lower >= 2), lower, place)
        place = np.minimum(slack, np.maximum(2, place))
        self.start = np.zeros(len(self.first), np.int64)
        self.start[self.ranks] = np.where(self.jumps.first, 0, place)
        self.part = np.zeros(len(self.first), np.int64)
        """Bytes by which the open gaps of each chain are opened in all."""
        self.drawn = random.random(len(self.first))
        room = np.maximum(0, self.slack - self.start) * (self.many > 0)
        self.part[self.ranks] = (room * self.drawn)[self.ranks].astype(np.int64)
        self.fills = np.zeros(len(self.first), bool)
        """Whether a chain moves the last byte of the extent."""

    def walk(self, random: Random, *, again: bool) -> None:
        """Place the chains of each rank one behind the other, and let the last rank fill the file.

        Each begins where the one before leads to: that cannot be done for all at once.
        """
        chosen = self.file.chosen(len(self.first), random).tolist()
        back = random.random(len(self.first)).tolist()
        alignment = self.file.alignment
        firsts, last = {*self.ranks.tolist()}, int(self.ranks[-1])
        begin = last if len(self.first) == len(self.ranks) else 0
        reaches, before, run = True, 0, 0
        start, part = self.start.tolist(), self.part.tolist()
        slack, many, length = self.slack.tolist(), self.many.tolist(), self.length.tolist()
        drawn, ends = self.drawn.tolist(), self._ends()
        at_begin = bool(self.jumps.first[-1])
        for one in range(begin, len(start)):
            room, mine = slack[one], one >= last and reaches
            fills = mine and (many[one] > 0 or (one == last and not at_begin))
            if one in firsts:
                place = room if fills and not many[one] else start[one]
            else:
                place = run if again else int(back[one] * (min(room, max(0, before - 1)) + 1))
                if chosen[one] and not again:
                    place -= place % alignment
                place = min(place, room)
                if mine and not fills and room < before:
                    place, reaches = room, False
            if fills:
                reaches, self.fills[one] = False, True
            start[one] = place
            left = max(0, room - place) if many[one] else 0
            part[one] = left if fills else int(left * drawn[one])
            before = place + length[one] + part[one]
            behind, width, after = ends[one]
            run = before - behind if behind else place
            if after and not fills:
                less = (before - after) % alignment
                if less < 1 + part[one] - int(part[one] * width):
                    before, run = before - less, run - less
        self.start[:], self.part[:] = start, part

    def _ends(self) -> list[tuple[int, float, int]]:
        """Return what stands at the end of each chain.

        The bytes from the last run to the end (0: there is none behind the first one); how far
        gaps are opened before the last open one; and the bytes from the call behind that to the
        end, if it is to be aligned, else 0.
        """
        behind = np.where(self.run > self.first, self.length - self.inside[self.run], 0)
        some = self.open >= 0
        opened = np.where(
            some & (self.open > self.first), self.opened[(self.open - 1).clip(0)], 0.0
        )
        after = np.where(some & self.aligns[self.open], self.length - self.inside[self.open], 0)
        return list(zip(behind.tolist(), opened.tolist(), after.tolist(), strict=True))

    def offsets(self) -> Numbers:
        """Return the offsets of all calls."""
        opened = np.repeat(self.part, self.calls) * self.opened
        place = self.inside + np.repeat(self.start, self.calls) + opened.astype(np.int64)
        if not self.aligns.any():
            return place
        width = 1 + np.diff(opened.astype(np.int64), prepend=0)
        less = np.where(self.aligns, place % self.file.alignment, 0)
        less[less >= width] = 0
        filling = self.open[self.fills]
        less[filling[filling >= 0]] = 0
        behind = np.where(self.free, np.arange(len(place)), 0)
        behind[self.first] = self.first
        found: Numbers = place - less[np.maximum.accumulate(behind)]
        return found


def _fitted(jumps: Jumps, size: Numbers, extent: int) -> Numbers:
    """Return gaps with which the calls of each rank are within the extent."""
    gap = jumps.gap.copy()
    calls = many_of(jumps.start, len(gap))
    back = gap == BACK
    backs = np.add.reduceat(back.astype(np.int64), jumps.start)
    moved = np.add.reduceat(size, jumps.start)
    wide = np.add.reduceat(np.maximum(gap, 0), jumps.start)
    some = (backs > 0) & (backs < calls // 16) & (moved <= extent) & (moved + wide > extent / 2)
    for rank in np.flatnonzero(some).tolist():
        mine = slice(jumps.start[rank], jumps.start[rank] + calls[rank])
        gap[mine] = _at_ends(gap[mine], size[mine], extent)
    if back.any():
        first = np.flatnonzero((gap == BACK) | (within(jumps.start, len(gap)) == 0))
        over = first[np.add.reduceat(size, first) > extent]
        ranks = np.unique(np.searchsorted(jumps.start, over, side="right") - 1)
        for rank in ranks[backs[ranks] > 0].tolist():
            mine = slice(jumps.start[rank], jumps.start[rank] + calls[rank])
            gap[mine] = _even(gap[mine], size[mine], extent)
    return _fitting(gap, jumps.start, size, extent)


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


def _fitting(gap: Numbers, start: Numbers, size: Numbers, extent: int) -> Numbers:
    """Return gaps of which no chain is longer than the extent: the widest strides are given up."""
    first = np.flatnonzero((gap == BACK) | (within(start, len(gap)) == 0))
    over = np.add.reduceat(np.maximum(gap, 0) + size, first) - extent
    ends = np.append(first[1:], len(gap))
    for chain in np.flatnonzero(over > 0).tolist():
        own, most = gap[first[chain] : ends[chain]], int(over[chain])
        order = np.argsort(-own, kind="stable")
        order = order[own[order] > 0]
        less = np.cumsum(own[order] - 1)
        own[order[: int(np.searchsorted(less, most, side="left")) + 1]] = FREE
    return gap
