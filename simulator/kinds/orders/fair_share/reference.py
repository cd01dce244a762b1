"""Fair share: jobs of the user who has used least are first; earlier usage may count less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.schedule import Order

if TYPE_CHECKING:
    from simulator.plan.queues import BatchPlan


class FairShare(Order):
    """The usage of a job's user so far: node-nanoseconds of ended and running jobs."""

    moves = True

    def key(self, job: BatchPlan, now: int) -> int:
        """Return the usage of its user."""
        return self.usage.of(job.user, now)
