"""EASY: a job may pass others if the first that does not fit starts no later for it.

Lifka, The ANL/IBM SP scheduling system, JSSPP 1995.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from simulator.reference.schedule import Backfill, Shares

if TYPE_CHECKING:
    from simulator.reference.schedule import BatchJob, Look


class Easy(Backfill):
    """The first job that does not fit, the head, has a reservation; no other has one."""

    def start(self, look: Look) -> None:
        """Start jobs that fit; behind the head those that do not delay it."""
        head = None
        for job in look.candidates():
            if not look.fits(job):
                head = head or Reservation(look, job)
            elif head is None or head.admits(look, job):
                look.start(job)


class Reservation:
    """The time at which a job is expected to have its nodes, and how many are spare then."""

    def __init__(self, look: Look, head: BatchJob) -> None:
        self._nodes = head.plan.nodes
        self.time_ns = -1
        """-1: there is no such time."""
        self._spare: Shares = {}
        """Nodes in each pool that the head may use; its own are among them."""
        ends = look.expected_ends()
        free = Counter({pool: look.pools[pool].free for pool in range(len(look.pools))})
        for time in sorted({*(end for end, _ in ends), *look.opening_times()}):
            while ends and ends[0][0] <= time:
                free.update(ends.pop(0)[1])
            spare = {pool: free[pool] for pool in look.open_pools(head, time)}
            if sum(spare.values()) >= self._nodes:
                self.time_ns, self._spare = time, spare
                return

    def admits(self, look: Look, job: BatchJob) -> bool:
        """Return whether a job that fits may start; spare nodes that it needs are taken."""
        if self.time_ns < 0 or look.now + job.plan.requested_ns <= self.time_ns:
            return True
        taken = look.shares(job)
        left = {pool: count - taken.get(pool, 0) for pool, count in self._spare.items()}
        if sum(left.values()) < self._nodes:
            return False
        self._spare = left
        return True
