"""FCFS: the job that was submitted first is first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.schedule import Order

if TYPE_CHECKING:
    from simulator.plan.queues import BatchPlan


class Fcfs(Order):
    """The time of submission alone, which decides between equal keys."""

    def key(self, job: BatchPlan, now: int) -> int:
        """Return the same for all."""
        return 0
