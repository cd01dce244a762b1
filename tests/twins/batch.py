"""Batch queues again, node by node: the twin of the engines for jobs that only compute.

It was written from docs/composition.md, "Queues", and asks each node whether it is free and on, and
each time in turn whether it will do; it keeps no counts, profiles, or order between two looks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from simulator.plan.plan import Plan
from simulator.plan.queues import BatchPlan, QueuePlan

NEVER = -1
Node = tuple[int, int]
"""Pool, and member of the group: nodes are taken in this order."""


@dataclass(eq=False)
class TwinJob:
    """What is known of a job."""

    row: int
    plan: BatchPlan
    submitted: bool = False
    brought: bool = False
    """Its data are being brought, or are there."""
    ready: int = NEVER
    start: int = NEVER
    end: int = NEVER
    done: int = NEVER
    nodes: list[Node] = field(default_factory=list)

    @property
    def waits(self) -> bool:
        return self.submitted and self.start == NEVER

    @property
    def runs(self) -> bool:
        return self.start != NEVER and self.end == NEVER


class TwinQueue:
    """One queue; ``start`` is told of each job that starts, ``bring`` of each that is staged."""

    def __init__(
        self,
        plan: QueuePlan,
        start: Callable[[TwinJob], None],
        bring: Callable[[TwinJob], None],
    ) -> None:
        self.plan = plan
        self.jobs = [TwinJob(row, job) for row, job in enumerate(plan.jobs)]
        self.now = 0
        self.alarm = NEVER
        self._start = start
        self._bring = bring
        self.nodes = sorted(
            (number, member)
            for number, pool in enumerate(plan.pools)
            for member in range(pool.first, pool.first + pool.count)
        )

    # -- nodes ----------------------------------------------------------------------------

    def owner(self, node: Node) -> TwinJob | None:
        """Give the job that has a node."""
        return next((job for job in self.jobs if job.runs and node in job.nodes), None)

    def is_on(self, job: TwinJob, node: Node, time: int) -> bool:
        """Tell whether a job may use a node from a time on, for as long as it asks for."""
        if node[0] < job.plan.pool:
            return False
        end = time + job.plan.requested_ns
        return all(end <= off or on <= time for off, on in self.plan.pools[node[0]].off)

    def expected(self, job: TwinJob) -> int:
        end = job.start + job.plan.requested_ns
        return end if end > self.now else self.now + 1

    def is_free(self, node: Node, time: int) -> bool:
        """Tell whether a node is free now, or expected to be by a time."""
        job = self.owner(node)
        return job is None or (time > self.now and self.expected(job) <= time)

    def usable(self, job: TwinJob, time: int) -> list[Node]:
        """Give the nodes that a job could have at a time, those first that it would take."""
        return [n for n in self.nodes if self.is_on(job, n, time) and self.is_free(n, time)]

    def goes_on(self) -> list[int]:
        """Give the later times at which nodes go on."""
        return [on for pool in self.plan.pools for _, on in pool.off if on > self.now]

    # -- order ----------------------------------------------------------------------------

    def usage(self, user: int) -> int:
        """Go through the past of a user from the begin."""
        mine = [job for job in self.jobs if job.plan.user == user and job.start != NEVER]
        ended = [(job.end, job.plan.nodes * (job.end - job.start)) for job in mine if not job.runs]
        value, half = 0, self.plan.half_life_ns
        halvings = list(range(half, self.now + 1, half)) if half else []
        # A halving comes before an addition at its time.
        for _, added in sorted([*((time, -1) for time in halvings), *ended]):
            value = value // 2 if added < 0 else value + added
        return value + sum(job.plan.nodes * (self.now - job.start) for job in mine if job.runs)

    def key(self, job: TwinJob) -> tuple[int, int, int]:
        plan, order, aging = job.plan, self.plan.order, self.plan.aging_ns
        first = 0
        if order == "shortest":
            first = plan.requested_ns
        elif order == "priority":
            first = plan.submit_ns - plan.priority * aging if aging else -plan.priority
        elif order == "fair-share":
            first = self.usage(plan.user)
        return first, plan.submit_ns, job.row

    def waiting(self) -> list[TwinJob]:
        return sorted((job for job in self.jobs if job.waits), key=self.key)

    # -- looking through ------------------------------------------------------------------

    def look(self, now: int) -> None:
        """Look through the queue."""
        self.now = now
        waiting = self.waiting()
        for job in waiting[: self.plan.ahead] if self.plan.ahead else waiting:
            if job.plan.stage_in[1] and not job.brought:
                job.brought = True
                self._bring(job)
        candidates = [
            job
            for job in waiting
            if not job.plan.stage_in[1] or not job.plan.holds or job.ready != NEVER
        ]
        {"none": self.none, "easy": self.easy, "conservative": self.conservative}[
            self.plan.backfill
        ](candidates)
        self.alarm = NEVER
        if any(job.waits for job in self.jobs):
            self.alarm = min((time for time in self.plan.changes() if time > now), default=NEVER)

    def is_limited(self, job: TwinJob) -> bool:
        for row in job.plan.limits:
            limit = self.plan.limits[row]
            others = [one for one in self.jobs if one.runs and row in one.plan.limits]
            nodes = sum(len(one.nodes) for one in others)
            if len(others) + 1 > limit.jobs or nodes + job.plan.nodes > limit.nodes:
                return True
        return False

    def start(self, job: TwinJob, nodes: Iterable[Node]) -> None:
        job.start, job.nodes = self.now, list(nodes)
        assert len(job.nodes) == job.plan.nodes
        if job.plan.stage_in[1] and not job.brought:
            job.brought = True
            self._bring(job)
        self._start(job)

    def none(self, candidates: list[TwinJob]) -> None:
        for job in candidates:
            if self.is_limited(job):
                continue
            nodes = self.usable(job, self.now)
            if len(nodes) < job.plan.nodes:
                break
            self.start(job, nodes[: job.plan.nodes])

    def easy(self, candidates: list[TwinJob]) -> None:
        head: TwinJob | None = None
        until, spare = NEVER, set[Node]()
        for job in candidates:
            if self.is_limited(job):
                continue
            nodes = self.usable(job, self.now)
            if len(nodes) < job.plan.nodes:
                if head is None:
                    head = job
                    until = self.earliest(job)
                    spare = set() if until == NEVER else set(self.usable(job, until))
                continue
            taken = nodes[: job.plan.nodes]
            if head is not None and until != NEVER and self.now + job.plan.requested_ns > until:
                if len(spare - set(taken)) < head.plan.nodes:
                    continue
                spare -= set(taken)
            self.start(job, taken)

    def earliest(self, head: TwinJob) -> int:
        times = [self.expected(job) for job in self.jobs if job.runs] + self.goes_on()
        enough = (t for t in sorted(times) if len(self.usable(head, t)) >= head.plan.nodes)
        return next(enough, NEVER)

    def conservative(self, candidates: list[TwinJob]) -> None:
        busy: list[tuple[int, int, list[int]]] = []
        """From when to when a job has, or will have, a node of each of these pools."""
        busy += [
            (self.now, self.expected(job), [pool for pool, _ in job.nodes])
            for job in self.jobs
            if job.runs
        ]
        for job in candidates:
            if self.is_limited(job):
                continue
            times = {self.now, *self.goes_on()}
            times.update(time for begin, end, _ in busy for time in (begin, end))
            for time in sorted(times):
                pools = self.planned(job, time, busy)
                if pools is None:
                    continue
                busy.append((time, time + job.plan.requested_ns, pools))
                if time == self.now:
                    free = [node for node in self.nodes if self.owner(node) is None]
                    lowest = [
                        node
                        for pool in sorted(set(pools))
                        for node in [one for one in free if one[0] == pool][: pools.count(pool)]
                    ]
                    self.start(job, lowest)
                break

    def planned(
        self, job: TwinJob, time: int, busy: list[tuple[int, int, list[int]]]
    ) -> list[int] | None:
        """Give the pool of each node that a job would have from a time on."""
        end = time + job.plan.requested_ns
        moments = {time, *(one for row in busy for one in row[:2] if time <= one < end)}
        pools: list[int] = []
        for number, pool in enumerate(self.plan.pools):
            if self.is_on(job, (number, pool.first), time):
                used = (
                    sum(where.count(number) for begin, over, where in busy if begin <= at < over)
                    for at in moments
                )
                pools += [number] * (pool.count - max(used))
        return pools[: job.plan.nodes] if len(pools) >= job.plan.nodes else None


class TwinRun:
    """All queues of a plan, with processes that only compute."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.events = 0
        self.end_ns = 0
        self.alarms: dict[int, int] = {}
        """Actor -> when it acts next."""
        self.times = [
            [phase.compute_ns for phase in one.phases] * one.repeat for one in plan.processes
        ]
        """What is left for each process to compute."""
        self.ended = [NEVER] * len(plan.processes)
        self.acting = NEVER
        self.queues = [TwinQueue(row, self.start, self.bring) for row in plan.queues]
        for number, process in enumerate(plan.processes):
            if not process.queued:
                self.set(number, process.start_ns)
        self.first = {}
        for queue in self.queues:
            for job in queue.jobs:
                self.first[job.plan.first] = (queue, job)
                self.set(job.plan.first, job.plan.submit_ns)

    def set(self, actor: int, time: int) -> None:
        assert actor not in self.alarms
        self.alarms[actor] = time
        self.events += 1

    def wake(self, first: int, count: int, now: int) -> None:
        for number in range(first, first + count):
            if number != self.acting:
                self.set(number, now)

    def start(self, job: TwinJob) -> None:
        self.wake(job.plan.first, job.plan.count, job.start)

    def bring(self, job: TwinJob) -> None:
        queue = next(one for one in self.queues if job in one.jobs)
        self.wake(*job.plan.stage_in, queue.now)

    def run(self) -> None:
        """Let the actor with the earliest alarm act, of several the one with the lowest number."""
        while True:
            rings = {
                self.plan.first_queue + row: queue.alarm
                for row, queue in enumerate(self.queues)
                if queue.alarm != NEVER
            }
            due = [(time, actor) for actor, time in (self.alarms | rings).items()]
            if not due:
                return
            now, actor = min(due)
            self.end_ns = now
            self.acting = actor
            if actor in rings:
                self.events += 1
                self.queues[actor - self.plan.first_queue].look(now)
            else:
                del self.alarms[actor]
                self.act(actor, now)

    def act(self, number: int, now: int) -> None:
        if number in self.first:
            queue, job = self.first[number]
            if not job.submitted:
                job.submitted = True
                queue.look(now)
                if job.waits:
                    return
        if self.times[number]:
            self.set(number, now + self.times[number].pop(0))
            return
        self.ended[number] = now
        for queue in self.queues:
            for job in queue.jobs:
                self.note(queue, job, number, now)

    def note(self, queue: TwinQueue, job: TwinJob, number: int, now: int) -> None:
        """Note what the end of a process means for a job."""

        def is_last(first: int, count: int) -> bool:
            rows = range(first, first + count)
            return number in rows and all(self.ended[row] != NEVER for row in rows)

        plan = job.plan
        if is_last(*plan.stage_in):
            job.ready = now
            queue.look(now)
        if is_last(plan.first, plan.count):
            job.end = now
            if plan.stage_out[1]:
                self.wake(*plan.stage_out, now)
            else:
                job.done = now
            queue.look(now)
        if is_last(*plan.stage_out):
            job.done = now
