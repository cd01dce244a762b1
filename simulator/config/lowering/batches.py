"""Jobs of queues, as rows of a plan."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simulator.config.batches import (
    memory_in,
    memory_of,
    nodes_in,
    nodes_of_one,
    read_log,
    rows_of,
)
from simulator.config.lowering.process import ProcessBuilder
from simulator.config.part import CPU
from simulator.plan.jobs import ProcessPlan
from simulator.plan.queues import (
    BatchPlan,
    DrawnTimes,
    LimitPlan,
    PoolPlan,
    QueuePlan,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.config.lowering.plan import Lowering
    from simulator.config.phase import JobNodes
    from simulator.config.queue import BatchQueue
    from simulator.config.workload_file import Job
    from simulator.plan.plan import Plan


Alike = tuple[dict[str, Any], int, str]
"""Values of a ``BatchPlan``, a run time, and what follows the name of the job."""


class QueueRows:
    """One queue, and its jobs so far."""

    def __init__(
        self, name: str, group: int, queue: BatchQueue, pools: tuple[PoolPlan, ...]
    ) -> None:
        self.name = name
        self.group = group
        self.queue = queue
        self.pools = pools
        self.users: dict[str, int] = {}
        self.limits: list[LimitPlan] = []
        self.jobs: list[BatchPlan] = []
        self._limit_of: dict[tuple[int, str], int] = {}

    def limits_of(self, user: str, name: str) -> tuple[int, ...]:
        """Return the rows of the limits of a job of a user and class."""
        rows = []
        for number, one in enumerate(self.queue.limits):
            if one.each is not None:
                key = (number, user if one.each == "user" else name)
            elif user == one.user or name == one.name:
                key = (number, "")
            else:
                continue
            if key not in self._limit_of:
                self._limit_of[key] = len(self.limits)
                usual = LimitPlan()
                jobs, nodes = one.jobs or usual.jobs, one.nodes or usual.nodes
                self.limits.append(LimitPlan(jobs=jobs, nodes=nodes))
            rows.append(self._limit_of[key])
        return tuple(rows)

    def pool_for(self, need: int) -> int:
        """Return the first pool whose nodes have so much memory."""
        rows = enumerate(self.pools)
        return next((row for row, pool in rows if not need > pool.memory > 0), 0)

    def plan(self) -> QueuePlan:
        """Return the queue of a plan."""
        queue = self.queue
        return QueuePlan(
            name=self.name,
            group=self.group,
            order=queue.order,
            backfill=queue.backfill,
            aging_ns=queue.aging or 0,
            half_life_ns=queue.half_life or 0,
            ahead=queue.ahead or 0,
            pools=self.pools,
            limits=tuple(self.limits),
            users=tuple(self.users) or ("",),
            jobs=tuple(self.jobs),
        )


class Batches:
    """The queues of a plan; those without jobs are left out."""

    def __init__(self, whole: Lowering) -> None:
        self.whole = whole
        self.queues: dict[int, QueueRows] = {}
        """By group."""
        self._submits: list[DrawnTimes] = []
        self._staged = Counter[str]()
        """How often the jobs that move data have been added."""

    def add(self, job: Job, index: int, place: JobNodes) -> None:
        """Add the jobs that an item of the workload stands for."""
        rows = self._rows(place.group)
        for one in self._alike(rows, job, index):
            self._add(rows, job, place.group, one)

    def _rows(self, group: int) -> QueueRows:
        if group not in self.queues:
            name = self.whole.machine.tables.groups[group].name
            section = self.whole.machine.nodes[name]
            assert section.queue is not None
            pools = section.queue.pools(section)
            self.queues[group] = QueueRows(name, group, section.queue, pools)
        return self.queues[group]

    def _alike(self, rows: QueueRows, job: Job, index: int) -> Iterator[Alike]:
        """Yield values of the jobs of an item, with run times in a log, and which each is."""
        if job.log is not None:
            yield from self._logged(rows, job, index)
            return
        user = job.user or job.name
        one = {
            "nodes": nodes_of_one(job),
            "requested_ns": job.requested or 1,
            "asks": job.requested is None,
            "pool": rows.pool_for(memory_of(job) * (job.per_node or 1)),
            "user": rows.users.setdefault(user, len(rows.users)),
            "limits": rows.limits_of(user, job.name),
        }
        times = [0] if job.submit is None else self._times(rows, job)
        for number, time in enumerate(times):
            which = f".{number}" if len(times) > 1 else ""
            yield {**one, "submit_ns": job.start + time}, 0, which

    def _times(self, rows: QueueRows, job: Job) -> list[int]:
        """Return when a job is submitted, after its start; 0 where that is drawn."""
        submit = job.submit
        assert submit is not None
        if submit.at is not None:
            return list(submit.at)
        assert submit.every is not None
        drawn = DrawnTimes(
            stream=f"{job.name}.submit",
            mean_ns=submit.every,
            queue=list(self.queues.values()).index(rows),
            first=len(rows.jobs),
            begin_ns=job.start,
            count=submit.jobs,
        )
        if submit.day is not None:
            drawn = replace(drawn, day=(submit.day[0], submit.day[1]))
        if submit.week is not None:
            drawn = replace(drawn, week=submit.week)
        if submit.distribution == "fixed":
            return [drawn.at(number * submit.every) for number in range(submit.jobs)]
        self._submits.append(drawn)
        return [0] * submit.jobs

    def _logged(self, rows: QueueRows, job: Job, index: int) -> Iterator[Alike]:
        log, wanted = read_log(self.whole.workload, index), job.log
        assert wanted is not None
        self.whole.digests.append(log.digest)
        for number, row in enumerate(rows_of(job, log)):
            user = f"user{log.user[row]}"
            made = {
                "submit_ns": job.start + log.submit_ns[row],
                "nodes": nodes_in(job, log, row),
                "requested_ns": max(1, log.requested_ns[row]),
                "recorded_ns": log.wait_ns[row],
                "pool": rows.pool_for(memory_in(job, log, row)),
                "user": rows.users.setdefault(user, len(rows.users)),
                "limits": rows.limits_of(user, job.name),
            }
            yield made, log.run_ns[row], f".{number}"

    def _add(self, rows: QueueRows, job: Job, group: int, one: Alike) -> None:
        values, run_ns, which = one
        each = job.per_node or 1
        nodes = [rank // each * job.nodes for rank in range(job.processes)]
        first = self._processes(job, group, nodes, which, run_ns)
        made = BatchPlan(
            name=f"{job.name}{which}",
            first=first,
            count=job.processes,
            priority=job.priority,
            holds=job.hold,
            stage_in=self._stage(job, "stage_in", which),
            stage_out=self._stage(job, "stage_out", which),
            **values,
        )
        rows.jobs.append(made)

    def _stage(self, job: Job, key: str, which: str) -> tuple[int, int]:
        """Add the processes that move the data of a job; return their first, and how many.

        Their names say of which job they are, and when they move, if others have the same stage.
        Those of the next job are on the next nodes of their group, in turn.
        """
        name = getattr(job, key)
        if name is None:
            return 0, 0
        jobs = self.whole.workload.jobs
        index = next(number for number, one in enumerate(jobs) if one.name == name)
        place, stage = self.whole.places[index], jobs[index]
        own = job.stage_in != job.stage_out
        alone = own and all(one is job or name not in (one.stage_in, one.stage_out) for one in jobs)
        said = "" if alone else f".{job.name}" if own else f".{job.name}.{key}"
        of = job, f"{job.name}{which}"
        nodes, count = place.members, self.whole.machine.tables.groups[place.group].count
        if stage.first_node is None and stage.nodes == 1:
            shift = self._staged[name] * (max(nodes) - min(nodes) + 1)
            nodes = [(node + shift) % count for node in nodes]
        self._staged[name] += 1
        first = self._processes(stage, place.group, nodes, f"{said}{which}", 0, of=of)
        return first, stage.processes

    def _processes(
        self,
        job: Job,
        group: int,
        nodes: list[int],
        which: str,
        run_ns: int,
        *,
        of: tuple[Job, str] | None = None,
    ) -> int:
        """Add processes; return the first. ``of``: the job whose files they use, and its name."""
        whole = self.whole
        first = len(whole.processes)
        shares = job.nodes > 1 and any(phase.uses for _, phase in job.every_phase())
        exchange = whole.files.between(group, group) if shares else -1
        for rank, node in enumerate(nodes):
            builder = ProcessBuilder(whole, job, rank, group, first + rank)
            base = f"{job.name}{which}"
            user, owner = of or (job, base)
            builder.name = f"{base}.{rank}" if job.processes > 1 else base
            builder.owner = f"{owner}.{rank}" if user.processes > 1 else owner
            builder.instance, builder.run_ns, builder.node = which, run_ns, node
            phases = builder.build()
            whole.processes.append(
                ProcessPlan(
                    name=builder.name,
                    job=job.name,
                    group=group,
                    node=node,
                    nodes=job.nodes,
                    cpu=whole.machine.tables.of_group(CPU, group),
                    exchange=exchange,
                    exchange_places=whole.further_places(group) if shares else (),
                    memory=builder.memory,
                    queued=True,
                    repeat=job.repeat,
                    phases=phases,
                    stops=job.on_error != "continue",
                )
            )
        return first

    def queued(self, plan: Plan) -> Plan:
        """Return a plan with its queues, and with what is drawn of jobs."""
        computing = [
            DrawnTimes(
                stream=f"{job}/{label}.time",
                mean_ns=mean,
                deviation=deviation,
                rows=tuple(rows),
                count=len(rows),
            )
            for (job, label, mean, deviation), rows in self.whole.drawn.items()
        ]
        queues = tuple(one.plan() for one in self.queues.values())
        return replace(plan, queues=queues, drawn=(*self._submits, *computing))
