"""Priority: the job with the highest is first; waiting may raise it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.schedule import Order

if TYPE_CHECKING:
    from simulator.plan.queues import BatchPlan


class Priority(Order):
    """The priority, plus one for each ``aging_ns`` of waiting.

    All jobs age equally fast, so that their order does not change:
    ``-(priority + (now - submit) / aging)`` is in the order of ``submit - priority * aging``.
    """

    def key(self, job: BatchPlan, now: int) -> int:
        """Return the priority, or with an aging the time at which it would have been 0."""
        if self.plan.aging_ns:
            return job.submit_ns - job.priority * self.plan.aging_ns
        return -job.priority
