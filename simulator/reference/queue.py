"""A batch queue: jobs wait for nodes, which they then have alone; docs/composition.md, "Queues"."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from simpy.events import EventPriority

from simulator.kinds import kind_class
from simulator.reference.actor import Timer
from simulator.reference.schedule import Backfill, BatchJob, Look, Nodes, Order, Shares
from simulator.result.queues import QueueResult

if TYPE_CHECKING:
    from simulator.plan.queues import QueuePlan
    from simulator.reference.actor import Steps
    from simulator.reference.process import Process
    from simulator.reference.world import World


class Team:
    """Processes that a queue starts together: of a job, or to bring its data or take them away."""

    def __init__(
        self, processes: Sequence[Process], waits_for: str, ended: Callable[[], None]
    ) -> None:
        """``ended`` is called when the last process has ended."""
        self._processes = processes
        self._waits_for = waits_for
        self._ended = ended
        self._going = len(processes)
        self._is_started = False
        self.submit: tuple[int, Callable[[], None]] | None = None
        """When the first process of a job submits it, and what that does."""
        for process in processes:
            process.team = self

    def begin(self, process: Process) -> Steps:
        """Wait until a process is started."""
        if self.submit is not None and process is self._processes[0]:
            time, submit = self.submit
            yield process.actor.until(time)
            submit()
            if self._is_started:
                return
        yield process.actor.blocked(lambda: self._waits_for)

    def start(self, nodes: Sequence[int] | None = None, *, submitting: bool = False) -> None:
        """Start all processes, on nodes of a job or their own; the first acts if ``submitting``."""
        self._is_started = True
        for number, process in enumerate(self._processes):
            ranks = range(process.plan.node, process.plan.node + process.plan.nodes)
            process.place(ranks if nodes is None else [nodes[rank] for rank in ranks])
            if number or not submitting:
                process.actor.wake()

    def end_one(self) -> None:
        """Note that a process has ended."""
        self._going -= 1
        if not self._going:
            self._ended()


class BatchQueue:
    """The queue of a group of nodes."""

    def __init__(self, world: World, plan: QueuePlan, number: int) -> None:
        """``number``: of its clock among all actors."""
        self.plan = plan
        self._clock = world.machine.clock
        self._timer = Timer(self._clock, EventPriority(number + 1), self._ring)
        self._changes = plan.changes()
        """The times at which nodes go off or on."""
        self._nodes = Nodes(plan)
        order = kind_class("orders", plan.order, "reference", Order)  # type: ignore[type-abstract]
        self._order = order(plan, self._nodes.usage)
        self._backfill = kind_class("backfills", plan.backfill, "reference", Backfill)()  # type: ignore[type-abstract]
        self._jobs = [BatchJob(row, job) for row, job in enumerate(plan.jobs)]
        self._waiting: list[BatchJob] = []
        """Submitted jobs that were not started, in their order when that was last asked for."""
        self._submitted: BatchJob | None = None
        """The job whose first process is at its turn, and submits it."""
        self._teams = [self._team(world, job) for job in self._jobs]
        self._bringing = [self._mover(world, job, ahead=True) for job in self._jobs]
        self._taking = [self._mover(world, job, ahead=False) for job in self._jobs]

    def _team(self, world: World, job: BatchJob) -> Team:
        first, count = job.plan.first, job.plan.count
        reason = f"its job to start (queue {self.plan.name})"
        made = Team(world.processes[first : first + count], reason, lambda: self._end(job))
        made.submit = job.plan.submit_ns, lambda: self._join(job)
        return made

    def _mover(self, world: World, job: BatchJob, *, ahead: bool) -> Team | None:
        """Return the processes that bring the data of a job (``ahead``), or take them away."""
        first, count = job.plan.stage_in if ahead else job.plan.stage_out
        processes = world.processes[first : first + count]
        if not processes:
            return None
        if ahead:
            return Team(processes, "its queue to bring its data", lambda: self._is_there(job))
        return Team(processes, "the end of its job", lambda: self._is_done(job))

    # -- what happens to a job ----------------------------------------------------------------

    def _join(self, job: BatchJob) -> None:
        """Have a job wait."""
        job.key = self._key(job)
        insort(self._waiting, job, key=attrgetter("key"))
        self._submitted = job
        self._look()
        self._submitted = None

    def _is_there(self, job: BatchJob) -> None:
        """Note that the data of a job are there."""
        job.ready_ns = self._clock.now
        self._look()

    def _start(self, job: BatchJob, shares: Shares) -> None:
        """Start a job on nodes of some pools."""
        self._waiting.remove(job)
        self._nodes.start(job, shares, self._clock.now)
        self._stage(job)
        self._teams[job.row].start(job.nodes, submitting=job is self._submitted)

    def _end(self, job: BatchJob) -> None:
        """End a job: others may have its nodes."""
        self._nodes.end(job, self._clock.now)
        taking = self._taking[job.row]
        if taking is None:
            self._is_done(job)
        else:
            taking.start()
        self._look()

    def _is_done(self, job: BatchJob) -> None:
        """Note that the data of a job are away."""
        job.done_ns = self._clock.now

    # -- looking through ----------------------------------------------------------------------

    def _key(self, job: BatchJob) -> tuple[int, int, int]:
        return self._order.key(job.plan, self._clock.now), job.plan.submit_ns, job.row

    def _look(self) -> None:
        """Start what can be started, and set the clock."""
        now = self._clock.now
        if self._order.moves:
            for job in self._waiting:
                job.key = self._key(job)
            self._waiting.sort(key=attrgetter("key"))
        self._bring()
        self._backfill.start(Look(now, [*self._waiting], self._nodes, self._start))
        later = bisect_right(self._changes, now)
        rings = self._waiting and later < len(self._changes)
        self._timer.set(self._changes[later] if rings else -1)

    def _bring(self) -> None:
        """Have the data of the first waiting jobs be brought."""
        if self.plan.ahead:
            jobs = self._waiting[: self.plan.ahead]
        else:  # Those of all others are being brought since they were submitted.
            jobs = [] if self._submitted is None else [self._submitted]
        for job in jobs:
            self._stage(job)

    def _stage(self, job: BatchJob) -> None:
        """Have the data of a job be brought, if that has not begun."""
        bringing = self._bringing[job.row]
        if bringing is not None and not job.is_staged:
            job.is_staged = True
            bringing.start()

    def _ring(self) -> None:
        """Look through the queue at a time at which nodes go off or on."""
        self._clock.count(self._clock.now)
        self._look()

    def result(self) -> QueueResult:
        """Return what became of the jobs."""
        made = QueueResult(self.plan.name)
        made.first.append(0)
        for job in self._jobs:
            made.submit.append(job.plan.submit_ns)
            made.ready.append(job.ready_ns)
            made.start.append(job.start_ns)
            made.end.append(job.end_ns)
            made.done.append(job.done_ns)
            made.node.extend(job.nodes)
            made.first.append(len(made.node))
        return made
