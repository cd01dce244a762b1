"""Batch queues: jobs that wait for nodes of a group, which they then have alone.

docs/composition.md, "Queues", says what engines do with them.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from simulator.plan.errors import MOST

if TYPE_CHECKING:
    from simulator.plan.jobs import ProcessPlan


HOUR = 3600 * 10**9
DAY = 24 * HOUR


Row = TypeVar("Row")


def changed(row: Row, **values: Any) -> Row:
    """Return a copy of a frozen row with other values, in half of the time of ``replace``.

    >>> changed(LimitPlan(jobs=1), nodes=2)
    LimitPlan(jobs=1, nodes=2)
    """
    made = object.__new__(type(row))
    for name in row.__slots__:  # type: ignore[attr-defined]
        object.__setattr__(made, name, values[name] if name in values else getattr(row, name))
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolPlan:
    """Nodes in a row with equal memory and equal hours."""

    first: int
    """Member of the group; the others follow."""
    count: int
    memory: int = 0
    """Memory of a node; bytes; 0: no limit."""
    off: tuple[tuple[int, int], ...] = ()
    """Times from begin to end at which these nodes are off; in order, and apart; ns."""

    def is_open(self, begin: int, length: int) -> bool:
        """Return whether its nodes are on for a time from ``begin`` on.

        >>> pool = PoolPlan(first=0, count=4, off=((10, 20), (40, 50)))
        >>> [pool.is_open(begin, 10) for begin in (0, 1, 15, 20, 30, 31, 50)]
        [True, False, False, True, True, False, True]
        """
        from bisect import bisect_right

        number = bisect_right(self.off, begin, key=lambda one: one[1])
        return number == len(self.off) or begin + length <= self.off[number][0]

    def changes(self) -> list[int]:
        """Return the times at which its nodes go off or on."""
        return [time for one in self.off for time in one if time < MOST]


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitPlan:
    """What the jobs that count against it may have at one time."""

    jobs: int = MOST
    """Running jobs."""
    nodes: int = MOST
    """Their nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """One job of a queue."""

    name: str
    submit_ns: int
    nodes: int
    requested_ns: int
    """Run time that was asked for: the queue plans with it, and nothing ends the job at it."""
    asks: bool = False
    """True if it asks for all of its computing: ``requested_ns`` follows from its processes."""
    first: int
    """Its first process; process ``first + i`` runs on node ``processes[first + i].node`` of those
    that the job gets."""
    count: int
    pool: int = 0
    """First pool whose nodes have the memory for it; all later ones have it as well."""
    user: int = 0
    """A number from 0 on."""
    priority: int = 0
    recorded_ns: int = -1
    """How long it waited by its log; -1: nobody knows. No engine reads it."""
    limits: tuple[int, ...] = ()
    """Rows of the queue's limits against which it counts."""
    stage_in: tuple[int, int] = (0, 0)
    """First and number of the processes that bring its data, before it starts."""
    stage_out: tuple[int, int] = (0, 0)
    """First and number of the processes that take its data away, after its end."""
    holds: bool = True
    """True if it does not start before its data are there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePlan:
    """The queue of a group of nodes."""

    name: str
    group: int
    order: str = "fcfs"
    """Name of a kind of ``simulator/kinds/orders``: which waiting job is first."""
    backfill: str = "none"
    """Name of a kind of ``simulator/kinds/backfills``: which jobs may pass others."""
    aging_ns: int = 0
    """Order ``priority``: waiting time that counts as one point of priority; 0: none does."""
    half_life_ns: int = 0
    """Order ``fair-share``: earlier usage counts half after each of these times; 0: in full."""
    ahead: int = 0
    """Data of the first so many waiting jobs are brought; 0: of all from submission on."""
    pools: tuple[PoolPlan, ...]
    """All nodes of the group, in the order in which jobs take them: less memory first."""
    limits: tuple[LimitPlan, ...] = ()
    users: tuple[str, ...] = ("",)
    """Names of users."""
    jobs: tuple[BatchPlan, ...] = ()

    @property
    def count(self) -> int:
        """Number of its nodes."""
        return sum(pool.count for pool in self.pools)

    def drawn(
        self, times: Mapping[int, int], processes: Sequence[ProcessPlan], *, own: bool = False
    ) -> QueuePlan:
        """Return it with other times of submission of some jobs, by rows, and what follows.

        ``own`` is that of ``Plan.with_draws``.
        """
        jobs = list(self.jobs)
        for row, job in enumerate(jobs):
            values = {"submit_ns": times[row]} if row in times else {}
            if job.asks:
                mine = processes[job.first : job.first + job.count]
                longest = max((one.computing_ns for one in mine), default=0)
                values["requested_ns"] = max(1, min(longest, MOST))
            if own:
                for name, value in values.items():
                    object.__setattr__(job, name, value)
            elif values:
                jobs[row] = changed(job, **values)
        return replace(self, jobs=tuple(jobs))

    def changes(self) -> list[int]:
        """Return the times at which nodes go off or on, in order."""
        return sorted({time for pool in self.pools for time in pool.changes()})


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTimes:
    """Times that a run draws: when jobs are submitted, or how long processes compute.

    ``Plan.with_run`` draws them; engines find them in the plan.
    """

    stream: str
    """Name of the random stream; draw k (from 0) is its number k + 1."""
    mean_ns: int
    deviation: float = -1.0
    """Log-deviation of a lognormal factor of mean 1; -1: times are exponential."""
    queue: int = -1
    """Row of the queue of which jobs are submitted, ``mean_ns`` after each other; -1: computing."""
    first: int = 0
    """First of these jobs."""
    begin_ns: int = 0
    """Earliest time of a submission."""
    rows: Sequence[tuple[int, int]] = field(default=())
    """Processes, and their phases whose ``compute_ns`` is drawn."""
    count: int = 0
    """Number of jobs, or of processes."""
    day: tuple[int, int] = (0, DAY)
    """Begin and end of the part of each day in which jobs are submitted, ns after midnight."""
    week: int = 7
    """Days of each week on which they are."""

    def draws(self, seed: int, run: int) -> array[int]:
        """Return the drawn times of a run, ns: of submissions, or of computing."""
        from simulator.plan.noise import ONE, Noise, factor_table, stream_key

        noise = (
            Noise.exponential(seed, run, self.stream)
            if self.deviation < 0
            else Noise(stream_key(seed, run, self.stream), ONE, factor_table(self.deviation))
        )
        made, time = array("q"), self.begin_ns
        for number in range(self.count):
            draw = noise.stretch(self.mean_ns, number + 1)
            time += draw
            made.append(min(self.at(time) if self.queue >= 0 else draw, MOST))
        return made

    def at(self, time: int) -> int:
        """Return the time at which so much time in which jobs are submitted has passed.

        >>> work = DrawnTimes(stream="", mean_ns=1, day=(8 * HOUR, 18 * HOUR), week=5)
        >>> [work.at(hours * HOUR) // HOUR for hours in (0, 9, 10, 49, 50)]
        [8, 17, 32, 113, 176]
        """
        if self.day == (0, DAY) and self.week == 7:
            return time
        begin, end = self.day
        days, within = divmod(time, end - begin)
        weeks, day = divmod(days, self.week)
        return (7 * weeks + day) * DAY + begin + within
