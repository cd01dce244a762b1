"""Conservative backfill: a job may pass others if none of them starts later for it.

Mu'alem and Feitelson, Utilization, predictability, workloads, and user runtime estimates in
scheduling the IBM SP2 with backfilling, IEEE TPDS 12(6), 2001.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import TYPE_CHECKING

from simulator.reference.schedule import Backfill, Shares

if TYPE_CHECKING:
    from simulator.reference.schedule import BatchJob, Look


class Conservative(Backfill):
    """Each job in turn is planned at the earliest time; the plan is made anew in each look."""

    def start(self, look: Look) -> None:
        """Start the jobs that are planned for now."""
        pools = [Profile(look.now, pool.free) for pool in look.pools]
        for end, held in look.expected_ends():
            for pool, count in held.items():
                pools[pool].add(end, count)
        times = sorted({*look.opening_times(), *(one for pool in pools for one in pool.times)})
        look.cut()
        for job in look.candidates():
            for time in times:
                shares = _shares(look, job, pools, time)
                if shares is not None:
                    end = time + job.plan.requested_ns
                    for pool, count in shares.items():
                        pools[pool].take(time, end, count)
                    if time == look.now:
                        look.start(job, shares)
                    insort(times, end)
                    break


def _shares(look: Look, job: BatchJob, pools: list[Profile], time: int) -> Shares | None:
    """Return the nodes of each pool that a job has from a time on; None if there are too few."""
    missing, shares = job.plan.nodes, Shares()
    for pool in look.open_pools(job, time):
        shares[pool] = min(missing, pools[pool].least(time, time + job.plan.requested_ns))
        missing -= shares[pool]
        if not missing:
            return shares
    return None


class Profile:
    """Free nodes of a pool from now on, as planned.

    >>> pool = Profile(100, 2)
    >>> pool.add(150, 4)
    >>> pool.take(120, 170, 1)
    >>> pool.times, pool.free
    ([100, 120, 150, 170], [2, 1, 5, 6])
    >>> pool.least(130, 160), pool.least(150, 160)
    (1, 5)
    """

    def __init__(self, now: int, free: int) -> None:
        self.times = [now]
        """When the number changes, in order."""
        self.free = [free]
        """The number from each of these times on."""

    def add(self, time: int, count: int) -> None:
        """Have more nodes from a time on."""
        for row in range(self._row(time), len(self.free)):
            self.free[row] += count

    def take(self, begin: int, end: int, count: int) -> None:
        """Have fewer nodes from a time to another."""
        self.add(begin, -count)
        self.add(end, count)

    def least(self, begin: int, end: int) -> int:
        """Return the least number from a time to another."""
        return min(self.free[bisect_right(self.times, begin) - 1 : bisect_left(self.times, end)])

    def _row(self, time: int) -> int:
        """Return the row that begins at a time, a new one if need be."""
        row = bisect_left(self.times, time)
        if row == len(self.times) or self.times[row] != time:
            self.times.insert(row, time)
            self.free.insert(row, self.free[row - 1])
        return row
