"""The processes of a job that fail together, and what they do then.

docs/composition.md, "Restarts". A process looks whether its job has failed before each phase, each
call and each listed operation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.plan.restarts import MOST_IN_VAIN, FailureTimes, in_vain, key_of
from simulator.reference.actor import WaitQueue
from simulator.result.restarts import RestartResult

if TYPE_CHECKING:
    from simulator.plan.restarts import RestartPlan
    from simulator.reference.actor import Steps
    from simulator.reference.process import Process
    from simulator.reference.world import World


class RestartTeam:
    """The processes of one job: how many rounds all of them have completed, and its failures."""

    def __init__(self, world: World, plan: RestartPlan) -> None:
        self.plan = plan
        self.rounds = 0
        """Rounds that are complete."""
        self.result = RestartResult(plan.job)
        self._barriers = world.barriers[plan.barriers[0] :][: plan.barriers[1]]
        self._times = FailureTimes(plan, key_of(world.plan, plan))
        self._since_ns = plan.start_ns
        """When the work began that a failure would lose."""
        self._in_vain = 0
        self._resume_ns = 0
        column = world.plan.barrier_column
        others = f"the other processes of {plan.job}"
        self._complete, self._stopped = (WaitQueue(column, lambda: others) for _ in range(2))

    @property
    def next_ns(self) -> int:
        """The next failure."""
        return self._times.next_ns

    def complete(self, process: Process) -> Steps:
        """End a round of a process; wait until all have ended it, or one stops."""
        if len(self._complete.actors) + 1 < self.plan.processes:
            yield from self._complete.wait(process.actor)
            return
        self.rounds += 1
        self._since_ns, self._in_vain = process.actor.now, 0
        self._complete.wake_all()

    def restart(self, process: Process) -> Steps:
        """Stop a process after a failure; it goes on with the others, after the delay."""
        actor = process.actor
        if self.plan.named >= 0:
            process.phases.begin(self.plan.named)
        if not self._stopped.actors:
            for waiting in (self._complete, *(one.waiting for one in self._barriers)):
                waiting.wake_all()
        if len(self._stopped.actors) + 1 < self.plan.processes:
            yield from self._stopped.wait(actor)
        else:
            self._fail(actor.now)
            self._stopped.wake_all()
        process.idle_ns += self._resume_ns - actor.now
        yield actor.until(self._resume_ns)

    def _fail(self, now_ns: int) -> None:
        """Count the failure, and those before the job goes on; find when it does."""
        failed, result, begin = self.next_ns, self.result, now_ns
        while self.next_ns < begin + self.plan.delay_ns or self.next_ns == failed:
            begin = max(begin, self._times.take())
            result.failures += 1
            self._in_vain += 1
            if self._in_vain > MOST_IN_VAIN:
                raise in_vain(self.plan.job)
        result.lost_ns += failed - self._since_ns
        self._resume_ns = self._since_ns = begin + self.plan.delay_ns
        result.down_ns += self._resume_ns - failed
