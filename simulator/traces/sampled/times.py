"""When the drawn calls of a record were, and how long they took.

The log has when the first call began and the last one ended, and how long all took: of a shared
record for the fastest and the slowest rank, too. HEATMAP has each rank's bytes in bins of time;
without it calls are spread evenly or in bursts, with collective calls in as many bursts as these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.traces.sampled.counts import WAYS, Numbers

if TYPE_CHECKING:
    from simulator.traces.sampled.records import Job
    from simulator.traces.sampled.streams import Counted, Drawn, Habit

SECOND = 1e9


def ns(seconds: float) -> int:
    """Return a time in ns, which is not before the begin of the job."""
    return max(0, round(seconds * SECOND))


@dataclass(slots=True)
class Times:
    """Times of the calls of one record."""

    record: Counted
    made: Drawn
    job: Job
    habit: Habit
    parts: dict[int, float] = field(default_factory=dict)
    """Each rank's part of the time in calls."""

    def __post_init__(self) -> None:
        self.parts = {one.rank: one.time for one in self.made.shares}
        if len(self.parts) > 1 and self.job.heat:
            self._by_spans()

    def _by_spans(self) -> None:
        """Give ranks that no counter names time in proportion to how long they moved bytes."""
        counts = self.record.counts
        named = {counts.get("FASTEST_RANK", 0), counts.get("SLOWEST_RANK", 0)}
        others = [rank for rank in self.parts if rank not in named]
        spans = {rank: self._longest(rank) for rank in others}
        whole, rest = sum(spans.values()), sum(self.parts[rank] for rank in others)
        if whole > 0:
            self.parts |= {rank: rest * spans[rank] / whole for rank in others}

    def _longest(self, rank: int) -> float:
        spans = [self._span(rank, way) for way in WAYS]
        return max(high - low for low, high in spans)

    def _span(self, rank: int, way: str) -> tuple[float, float]:
        """Return between which times a rank made its reads, or writes."""
        seconds = self.record.seconds
        low = seconds.get(f"F_{way}_START_TIMESTAMP", 0.0)
        high = max(low, seconds.get(f"F_{way}_END_TIMESTAMP", low))
        known = self.job.heat[rank].span(way) if rank in self.job.heat else None
        if known is not None and self.record.rank < 0:
            low, high = max(low, min(known[0], high)), min(high, max(known[1], low))
        return low, high

    def of(self, rank: int, reads: Any, size: Numbers) -> tuple[Numbers, Numbers]:
        """Return when the calls of one rank began, and how long they took, in ns."""
        begin, took = np.zeros(len(reads)), np.zeros(len(reads))
        part = self.parts[rank] if self.record.rank < 0 else 1.0
        high = 0.0
        for way in WAYS:
            mine = np.flatnonzero(reads == (way == "READ"))
            if not len(mine):
                continue
            low, last = self._span(rank, way)
            whole = self.record.seconds.get(f"F_{way}_TIME", 0.0) * part
            whole = min(whole + self._exchange(way, whole), last - low)
            heat = self.job.heat.get(rank)
            if heat is not None and last - heat.width_s < low + whole and self.record.rank < 0:
                last = low + whole  # Within its last bin.
            begin[mine] = self._begins(rank, way, size[mine], (low, last), whole)
            took[mine] = whole / len(mine)
            high = max(high, last)
        begin, took = in_turn(np.maximum.accumulate(begin), took, high)
        start = np.rint(begin * SECOND).astype(np.int64)
        return start, np.rint((begin + took) * SECOND).astype(np.int64) - start

    def _exchange(self, way: str, whole: float) -> float:
        """Return how much time within MPI-IO goes with the calls of the one rank that makes them.

        It exchanges data with the others; ``whole`` is its time in calls of POSIX.
        """
        if len(self.parts) > 1 or self.record.rank >= 0:
            return 0.0
        within = self.record.above.get(f"F_{way}_TIME", 0.0) / self.job.processes
        return max(0.0, within - whole) * self.habit.waiting

    def _begins(
        self, rank: int, way: str, size: Numbers, span: tuple[float, float], whole: float
    ) -> Any:
        """Return when a rank's calls of one kind begin that take ``whole`` seconds in all."""
        low, high = span
        if rank in self.job.heat:
            moved = np.cumsum(size) - size
            before = moved / max(1, int(size.sum()))
            found = self.job.heat[rank].begins(way, before, low, high)
            if found is not None:
                return found
        rounds = rounds_of(self.record, way, self.job.processes)
        if self.record.rank < 0 and not rounds and len(self.parts) > 1:
            slowest = max(self.parts, key=self.parts.__getitem__)
            if rank != slowest:
                high = low + whole + (high - low - whole) * self.habit.within
        return spaced(len(size), low, high, whole / len(size), rounds or self.habit.bursts)


def rounds_of(record: Counted, way: str, processes: int) -> int:
    """Return how many collective calls of MPI-IO each rank made; 0: none, or not known."""
    ranks = processes if record.rank < 0 else 1
    return int(record.above.get(f"COLL_{way}S", 0)) // ranks


def in_turn(begin: Any, took: Any, high: float) -> tuple[Any, Any]:
    """Return the times of calls of which each begins when the one before has ended.

    They end at ``high`` at the latest; pauses between them, and then they, are shortened for that.

    >>> in_turn(np.array([0.0, 1.0, 6.0]), np.array([2.0, 2.0, 2.0]), 7.0)
    (array([0., 2., 5.]), array([2., 2., 2.]))
    """
    done = np.cumsum(took) - took
    begin = done + np.maximum.accumulate(begin - done)
    over = begin[-1] + took[-1] - high if len(begin) else 0.0
    if over > 0:
        pause = np.diff(begin) - took[:-1]
        most = pause.sum()
        kept = max(0.0, 1 - over / most) if most > 0 else 0.0
        busy = took.sum()
        if over > most and busy > 0:
            took = took * max(0.0, 1 - (over - most) / busy)
        begin = begin[0] + np.concatenate([np.zeros(1), np.cumsum(took[:-1] + pause * kept)])
    return begin, took


def spaced(many: int, low: float, high: float, each: float, bursts: int) -> Any:
    """Return when calls begin that take ``each``, between two times: evenly, or in bursts.

    The first begins at the first time, and the last ends at the other one. Bursts begin at equal
    distances, but the last, which ends at the end.

    >>> spaced(4, 0.0, 10.0, 1.0, 2).tolist()
    [0.0, 1.0, 8.0, 9.0]
    """
    numbers = np.arange(many)
    if not bursts or bursts >= many:
        return low + numbers * ((high - low - each) / max(1, many - 1))
    burst = numbers * bursts // many
    first = -(-burst * many // bursts)
    begin = low + burst * ((high - low) / bursts) + (numbers - first) * each
    last = burst == bursts - 1
    begin[last & (numbers > 0)] += high - each - begin[-1]
    return begin
