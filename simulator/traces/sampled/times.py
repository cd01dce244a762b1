"""When the drawn calls of a record were, and how long they took.

The log has when the first call began and the last one ended, and how long all took: of a shared
record for the fastest and the slowest rank, too. HEATMAP has each rank's bytes in bins of time;
without it calls are spread evenly or in bursts, with collective calls in as many bursts as these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.traces.sampled.counts import WAYS, Numbers, first_of, many_of

if TYPE_CHECKING:
    from simulator.traces.sampled.bins import Heat
    from simulator.traces.sampled.ranks import Shares
    from simulator.traces.sampled.streams import Counted, Habit

SECOND = 1e9
MUCH = 1.1
"""Time in calls by the time from the first to the last write, from which on syncs end behind it."""


def ns(seconds: float) -> int:
    """Return a time in ns, which is not before the begin of the job."""
    return max(0, round(seconds * SECOND))


class Times:
    """Times of the calls of one record."""

    def __init__(
        self, record: Counted, shares: Shares, processes: int, heat: Heat | None, habit: Habit
    ) -> None:
        self.record, self.heat, self.habit = record, heat, habit
        self.processes, self.shared = processes, record.rank < 0
        self.ranks = shares.rank
        self.parts = shares.time.copy()
        """Each rank's part of the time in calls."""
        self.spans = {way: self._spans(way) for way in WAYS}
        """When each rank made its first read, or write, and ended its last."""
        if len(self.ranks) > 1 and heat is not None:
            self._by_spans()

    def _by_spans(self) -> None:
        """Give ranks that no counter names time in proportion to how long they moved bytes."""
        counts = self.record.counts
        named = [counts.get("FASTEST_RANK", 0), counts.get("SLOWEST_RANK", 0)]
        others = ~np.isin(self.ranks, named)
        longest = np.maximum(*(high - low for low, high in self.spans.values()))
        whole, rest = longest[others].sum(), self.parts[others].sum()
        if whole > 0:
            self.parts[others] = rest * longest[others] / whole

    def _spans(self, way: str) -> tuple[Any, Any]:
        """Return between which times each rank made its reads, or writes."""
        first, last, synced = span_of(self.record, way)
        low, high = np.full(len(self.ranks), first), np.full(len(self.ranks), last)
        if self.heat is not None and self.shared:
            begin, end = self.heat.span(self.ranks, way)
            known = ~np.isnan(begin)
            low[known] = np.maximum(first, np.minimum(begin[known], last))
            high[known] = np.minimum(last, np.maximum(end[known], low[known]))
        spent = self.record.seconds.get(f"F_{way}_TIME", 0.0)
        if synced > first and self.shared and spent > MUCH * (high - low).sum():
            # HEATMAP has writes, and none of their syncs.
            high = np.maximum(high, np.minimum(last, low + spent * self.parts))
        return low, high

    def of(self, owner: Numbers, reads: Any, size: Numbers) -> tuple[Numbers, Numbers]:
        """Return when calls began, and how long they took, in ns.

        ``owner``: the number of each call's rank among those that moved bytes.
        """
        begin, took = np.zeros(len(reads)), np.zeros(len(reads))
        ends = np.zeros(len(self.ranks))
        for way in WAYS:
            mine = np.flatnonzero(reads == (way == "READ"))
            if not len(mine):
                continue
            calls = _Calls(owner[mine], len(self.ranks))
            low, last = self.spans[way]
            whole = self._spent(way)
            whole = np.minimum(whole + self._exchange(way, whole), last - low)
            if self.heat is not None and self.shared:
                row = self.heat.row[self.ranks]
                within_last = (row >= 0) & (last - self.heat.width[row] < low + whole)
                last = np.where(within_last, low + whole, last)  # Within its last bin.
            begin[mine] = self._begins(calls, way, size[mine], (low, last), whole)
            took[mine] = (whole / np.maximum(1, calls.many))[calls.owner]
            ends[calls.many > 0] = np.maximum(ends, last)[calls.many > 0]
        start = np.maximum(0, np.rint(begin * SECOND)).astype(np.int64)
        return in_turn(owner, start, np.rint(took * SECOND).astype(np.int64), ends * SECOND)

    def _spent(self, way: str) -> Any:
        """Return the seconds of each rank in its reads, or writes."""
        return self.record.seconds.get(f"F_{way}_TIME", 0.0) * self.parts

    def _rounds(self, way: str) -> int:
        return rounds_of(self.record, way, self.processes)

    def _exchange(self, way: str, whole: Any) -> Any:
        """Return how much time within MPI-IO goes with the calls of the one rank that makes them.

        It exchanges data with the others; ``whole`` is its time in calls of POSIX.
        """
        if len(self.ranks) > 1 or not self.shared:
            return 0.0
        inside = self.record.above.get(f"F_{way}_TIME", 0.0) / self.processes
        return np.maximum(0.0, inside - whole) * self.habit.waiting

    def _begins(
        self, calls: _Calls, way: str, size: Numbers, span: tuple[Any, Any], whole: Any
    ) -> Any:
        """Return when calls of one kind begin that take ``whole`` seconds of each rank in all."""
        low, high = span
        rounds = self._rounds(way)
        ends = high
        if self.shared and not rounds and len(self.ranks) > 1:
            ends = low + whole + (high - low - whole) * self.habit.within
            slowest = int(np.argmax(self.parts))
            ends[slowest] = high[slowest]
        each = whole / np.maximum(1, calls.many)
        begin = spaced(calls, low, ends, each, rounds or self.habit.bursts)
        if self.heat is None:
            return begin
        moved = np.cumsum(size)
        base = np.where(calls.many > 0, (moved - size)[calls.first.clip(0, len(size) - 1)], 0)
        sums = np.bincount(calls.owner, size, len(self.ranks))
        before = (moved - size - base[calls.owner]) / np.maximum(1, sums)[calls.owner]
        known = self.heat.begins(self.ranks, way, before, calls.owner, low, high)
        return np.where(np.isnan(known), begin, known)


class TimesApart(Times):
    """Times of the calls of several records, each of one rank alone, and without MPI-IO above.

    To draw ten thousand one by one would take a second.
    """

    def __init__(self, records: Sequence[Counted], heat: Heat | None, habit: Habit) -> None:
        self.records, self.heat, self.habit, self.shared = records, heat, habit, False
        self.ranks = np.array([one.rank for one in records])
        self.spans = {way: self._spans(way) for way in WAYS}

    def _spans(self, way: str) -> tuple[Any, Any]:
        first, last, _ = np.array([span_of(one, way) for one in self.records]).T
        return first, last

    def _spent(self, way: str) -> Any:
        return np.array([one.seconds.get(f"F_{way}_TIME", 0.0) for one in self.records])

    def _rounds(self, way: str) -> int:
        return 0


def span_of(record: Counted, way: str) -> tuple[float, float, float]:
    """Return when the first read, or write, began, and the last ended; and the last sync, in s.

    The time of a sync is that of writes, but it is none in their end. The last is before the last
    close, and as late as the longest time in calls says.
    """
    counts, seconds = record.counts, record.seconds
    first = seconds.get(f"F_{way}_START_TIMESTAMP", 0.0)
    last = max(first, seconds.get(f"F_{way}_END_TIMESTAMP", first))
    if way == "READ" or not counts.get("FSYNCS", 0) + counts.get("FDSYNCS", 0):
        return first, last, first
    spent = seconds.get("F_WRITE_TIME", 0.0)
    longest = min(seconds.get("F_SLOWEST_RANK_TIME", 0.0), spent) if record.rank < 0 else spent
    synced = min(first + longest, seconds.get("F_CLOSE_END_TIMESTAMP", first))
    return first, max(last, synced), synced


class _Calls:
    """Calls of one kind, rank by rank."""

    def __init__(self, owner: Numbers, ranks: int) -> None:
        self.owner = owner
        self.many = np.bincount(owner, minlength=ranks)
        """Calls of each rank."""
        self.first = np.cumsum(self.many) - self.many
        """The place of the first call of each rank."""
        self.number = np.arange(len(owner)) - self.first[owner]
        """Of each call, which of its rank's it is."""


def rounds_of(record: Counted, way: str, processes: int) -> int:
    """Return how many collective calls of MPI-IO each rank made; 0: none, or not known."""
    ranks = processes if record.rank < 0 else 1
    return int(record.above.get(f"COLL_{way}S", 0)) // ranks


MOST = 1 << 62


def in_turn(group: Numbers, begin: Numbers, took: Numbers, high: Any) -> tuple[Numbers, Numbers]:
    """Return the times of calls of which each begins when the one before of its group has ended.

    Those of a group stand together. They end at its ``high`` at the latest; pauses between them,
    and then they, are shortened for that. All in ns.

    >>> found = in_turn(np.zeros(3, int), np.array([0, 1, 6]), np.array([2, 2, 2]), np.array([7]))
    >>> [one.tolist() for one in found]
    [[0, 2, 5], [2, 2, 2]]
    """
    if not len(begin):
        return begin, took
    first = first_of(group)
    many = many_of(first, len(begin))
    number = np.repeat(np.arange(len(first)), many)
    done = np.cumsum(took) - took
    done -= done[first][number]
    begin = done + running_most(number, begin - done)
    last = first + many - 1
    over = begin[last] + took[last] - high[group[first]]
    if not (over > 0).any():
        return begin, took
    pause = np.zeros(len(begin), np.int64)
    pause[1:] = np.diff(begin) - took[:-1]
    pause[first] = 0
    most, busy = np.add.reduceat(pause, first), np.add.reduceat(took, first)
    kept = np.where(over > 0, 1 - over / np.maximum(1, most), 1.0).clip(0.0)
    left = np.where(over > most, 1 - (over - most) / np.maximum(1, busy), 1.0).clip(0.0)
    took = (took * left[number]).astype(np.int64)
    step = (pause * kept[number]).astype(np.int64)
    step[1:] += took[:-1]
    step[first] = begin[first]
    ends = np.cumsum(step)
    return ends - (ends - step)[first][number], took


def running_most(group: Numbers, values: Numbers) -> Numbers:
    """Return the largest of the values of a group, numbered from 0 on, up to each.

    >>> running_most(np.array([0, 0, 1, 1]), np.array([5, 3, 1, 2])).tolist()
    [5, 5, 1, 2]
    """
    if not group[-1]:
        return np.maximum.accumulate(values)
    least = int(values.min(initial=0))
    span = int(values.max(initial=0)) - least + 1
    found = np.empty_like(values)
    step = max(1, MOST // span)  # So many groups do not leave the numbers that there are.
    for low in range(0, int(group[-1]) + 1, step):
        mine = slice(*np.searchsorted(group, [low, low + step]))
        base = (group[mine] - low) * span
        found[mine] = np.maximum.accumulate(values[mine] - least + base) - base + least
    return found


def spaced(calls: _Calls, low: Any, high: Any, each: Any, bursts: int) -> Any:
    """Return when calls begin that take ``each``, between two times: evenly, or in bursts.

    The first of a rank begins at its first time, and the last ends at the other one. Bursts begin
    at equal distances, but the last, which ends at the end.

    >>> times = (np.array([one]) for one in (0.0, 10.0, 1.0))
    >>> spaced(_Calls(np.zeros(4, int), 1), *times, 2).tolist()
    [0.0, 1.0, 8.0, 9.0]
    """
    owner, number = calls.owner, calls.number
    step = (high - low - each) / np.maximum(1, calls.many - 1)
    begin = low[owner] + number * step[owner]
    if not bursts or (bursts >= calls.many).all():
        return begin
    many = calls.many[owner]
    burst = number * bursts // np.maximum(1, many)
    first = -(-burst * many // bursts)
    made = low[owner] + burst * ((high - low)[owner] / bursts) + (number - first) * each[owner]
    ends = (calls.first + calls.many - 1).clip(0, len(made) - 1)
    later = high - each - made[ends]
    made += np.where((burst == bursts - 1) & (number > 0), later[owner], 0.0)
    return np.where(bursts < many, made, begin)
