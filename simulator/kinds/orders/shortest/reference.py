"""Shortest first: the job with the least requested run time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.schedule import Order

if TYPE_CHECKING:
    from simulator.plan.queues import BatchPlan


class Shortest(Order):
    """The requested run time; how long a job runs is not known before it ends."""

    def key(self, job: BatchPlan, now: int) -> int:
        """Return the requested run time."""
        return job.requested_ns
