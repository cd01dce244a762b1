"""A machine and a workload that fit together -> the plan that engines carry out."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from simulator.config.batches import is_stage, queue_of
from simulator.config.identity import digest_of
from simulator.config.lowering.batches import Batches
from simulator.config.lowering.events import events_of
from simulator.config.lowering.failing import refuse_failing
from simulator.config.lowering.files import Files
from simulator.config.lowering.process import ProcessBuilder
from simulator.config.lowering.restarts import add_reading, refuse_crowded, restart_of
from simulator.config.lowering.services import AllServices
from simulator.config.lowering.tables import BARRIERS, LOCKS, MERGING, OTHERS
from simulator.config.part import CPU
from simulator.config.phase import nodes_of_jobs
from simulator.config.tier import WalkError
from simulator.mixing import mix
from simulator.plan import codes
from simulator.plan.jobs import ArrivalsPlan, ChannelPlan, NamedPhase, Operations, ProcessPlan
from simulator.plan.noise import stream_key
from simulator.plan.parts import StorePlan
from simulator.plan.plan import Plan

if TYPE_CHECKING:
    from simulator.config.lowering.ionodes import Behind
    from simulator.config.lowering.mpi_io import AskedRows
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Arrivals, Job, Workload
    from simulator.plan.paths import FilePlan
    from simulator.plan.restarts import RestartPlan


MOST_OPERATIONS = 20_000_000
"""Listed operations of a plan; a stream of records has none."""


def make_plan(
    machine: Machine,
    workload: Workload,
    *,
    seed: int = 0,
    noisy: bool = False,
    run: int = 0,
) -> Plan:
    """Lower a machine and a workload that fit together (see ``fit``) to a plan.

    What a machine alone decides is kept with it, and is not made again for another workload.
    ConfigError or InputError if a job cannot be carried out.
    """
    whole = Lowering(machine, workload, seed)
    whole.lower()
    digest = digest_of(machine, workload, *whole.digests)
    return whole.plan(digest=digest, noisy=noisy, run=run)


def with_workers(stores: list[StorePlan], first: int) -> tuple[StorePlan, ...]:
    """Number the write-back workers and flushers of stores, from ``first`` on."""
    numbered = []
    for store in stores:
        numbered.append(replace(store, first_worker=first if store.actors else -1))
        first += store.actors
    return tuple(numbered)


class Lowering:
    """The rows of a plan that follow from its jobs."""

    def __init__(self, machine: Machine, workload: Workload, seed: int) -> None:
        self.machine = machine
        self.workload = workload
        self.seed = seed
        self.draws = False
        """Whether any row follows from the seed."""
        self.files = Files(machine, self.key)
        self.operations = Operations()
        self.processes: list[ProcessPlan] = []
        self.named: dict[NamedPhase, int] = {}
        """Phases of jobs, and their rows."""
        self.arrivals: list[ArrivalsPlan] = []
        self.channels: list[ChannelPlan] = []
        self.barriers: list[int] = []
        self.restarts: list[RestartPlan] = []
        self.locks: dict[str, int] = {}
        self.marks = 0
        self.columns: list[str] = list(machine.tables.columns)
        """Columns of accounts: those of the machine, and of a library that it need not have."""
        self.digests: list[str] = []
        """Of files of listed calls."""
        self.places = [place for _, place in nodes_of_jobs(machine, workload)]
        self.services = AllServices(self, self.places)
        self.drawn: dict[tuple[str, str, int, float], list[tuple[int, int]]] = {}
        """Phases whose times are drawn, by job, place, mean and deviation: processes, and which."""
        self.batches = Batches(self)
        self._channel_of: dict[tuple[int, int], int] = {}
        self._counter_of: dict[tuple[object, ...], int] = {}
        self._barrier_of: dict[tuple[str, str], int] = {}
        self._untils: dict[tuple[str, int], int] = {}
        self._marks_of: dict[tuple[str, str], int] = {}

    def key(self, stream: str) -> int:
        """Return the key of a random stream of rows, which other seeds change."""
        self.draws = True
        return stream_key(self.seed, 0, stream)

    def lower(self) -> None:
        """Add all jobs."""
        for index, (job, place) in enumerate(zip(self.workload.jobs, self.places, strict=True)):
            try:
                if is_stage(self.workload, job):
                    continue
                if queue_of(self.machine, job) is not None:
                    self.batches.add(job, index, place)
                elif job.calls is not None:
                    from simulator.config.lowering.listed import add_listed

                    add_listed(self, job, place)
                else:
                    self._job(job, place.group, place.members)
            except WalkError as error:
                about = f"{error} (for programs on {self.machine.tables.groups[place.group].name})"
                raise self.workload.refused(("jobs", index), about) from error

    @cached_property
    def asked(self) -> AskedRows:
        """Requests for pieces of files."""
        from simulator.config.lowering.mpi_io import AskedRows

        return AskedRows(self)

    @cached_property
    def behind(self) -> Behind:
        """Return where files lie behind buffer caches."""
        from simulator.config.lowering.ionodes import Behind

        return Behind(self.machine)

    def column(self, name: str) -> int:
        """Return the number of a column of accounts, a new one if need be."""
        if name not in self.columns:
            self.columns.append(name)
        return self.columns.index(name)

    def _placed(self) -> tuple[FilePlan, ...]:
        """Return the files, those behind buffer caches with their places."""
        files = self.files
        if not self.machine.buffer_caches:
            return tuple(files.files)
        try:
            return self.behind.placed(files.files, map(files.io_of, files.files), files.known)
        except ValueError as error:
            about = f"{error}, which its calls of MPI-IO need; write a larger 'size' of it"
            raise self.workload.refused(("files",), about) from None

    def plan(self, *, digest: str, noisy: bool = False, run: int = 0) -> Plan:
        """Return the plan of what has been added."""
        tables = self.machine.tables
        processes = tuple(self.processes)
        plan = Plan(
            machine=self.machine.name,
            workload=self.workload.name,
            groups=tuple(tables.groups),
            parts=tuple(tables.parts),
            stores=with_workers(tables.stores, len(processes)),
            tiers=tuple(self.files.tiers),
            paths=tuple(self.files.paths),
            files=self._placed(),
            processes=processes,
            named=tuple(self.named),
            operations=self.operations,
            arrivals=tuple(self.arrivals),
            channels=tuple(self.channels),
            barriers=tuple(self.barriers),
            events=events_of(self.machine, self.workload),
            restarts=tuple(self.restarts),
            locks=len(self.locks),
            marks=self.marks,
            columns=tuple(self.columns),
            others_column=tables.column(OTHERS),
            barrier_column=tables.column(BARRIERS),
            lock_column=tables.column(LOCKS),
            seed=self.seed,
            run=run,
            noisy=noisy,
            digest=digest,
        )
        if self.drawn or self.batches.queues:
            self.draws = True
            plan = self.batches.queued(plan).with_draws(own=True)
        refuse_failing(self, plan)
        refuse_crowded(self, plan)
        if "asked" in vars(self):
            plan = replace(plan, asked=self.asked.plan())
        if any(tier.kind == codes.BUFFERS for tier in plan.tiers):
            merging = tables.column(MERGING)
            plan = replace(plan, buffers=self.behind.plans(), merging_column=merging)
        if not self.machine.services:
            return plan
        services = self.services.plan(plan.first_server)
        return replace(plan, services=services, tiers=tuple(self.files.tiers))

    def _job(self, job: Job, group: int, members: list[int]) -> None:
        first = len(self.processes)
        row, barriers = -1, len(self.barriers)
        if job.arrivals is not None:
            row = len(self.arrivals)
            self.arrivals.append(_arrivals(job, job.arrivals))
        shares = job.nodes > 1 and any(phase.uses for _, phase in job.every_phase())
        exchange = self.files.between(group, group) if shares else -1
        if job.launched:
            self.services.launch(group, first, job.ranks)
        processor = self.machine.tables.processor(group) if job.computes else -1
        for rank in range(job.ranks):
            builder = ProcessBuilder(self, job, rank, group, first + rank)
            builder.node = members[rank]
            builder.build()
            reading = add_reading(builder)
            self.processes.append(
                ProcessPlan(
                    name=builder.name,
                    job=job.name,
                    group=group,
                    node=members[rank],
                    nodes=job.nodes,
                    cpu=self.machine.tables.of_group(CPU, group),
                    processor=processor,
                    exchange=exchange,
                    exchange_places=self.further_places(group) if shares else (),
                    memory=builder.memory,
                    start_ns=job.start + self._drawn(job, first + rank),
                    launched=job.launched,
                    repeat=job.repeat,
                    until=self._until(job, rank),
                    phases=tuple(builder.phases),
                    arrivals=row,
                    stops=job.on_error != "continue",
                    restart=len(self.restarts) if job.restart is not None else -1,
                    reading=reading,
                )
            )
        if job.restart is not None:
            self.restarts.append(restart_of(self, job, members, barriers))
        self._calls(job, group, members, first)

    def _until(self, job: Job, rank: int) -> int:
        """Return the row of a process that goes on until others end: one for those that meet."""
        if job.until is None:
            return -1
        meeting = any(one.meets for _, one in job.every_phase())
        return self._untils.setdefault((job.name, 0 if meeting else rank), len(self._untils))

    def _drawn(self, job: Job, number: int) -> int:
        """Return how much later than its job a process starts."""
        if not job.skew:
            return 0
        draw = mix(self.key("start"), number) >> 11
        return int(draw * job.skew) >> 53

    def _calls(self, job: Job, group: int, members: list[int], first: int) -> None:
        """Add the processes that phases have beside those of a job, for each of these."""
        for at, phase in job.every_phase():
            calls = f"{job.name}, {phase.threads}"
            for number in range(phase.helpers):
                which = f".{number}" if phase.helpers > 1 else ""
                for rank in range(job.ranks):
                    builder = ProcessBuilder(self, job, rank, group, first + rank)
                    builder.number, builder.at = len(self.processes), at
                    named = self.row_of(NamedPhase(job=calls, label=builder.label, what=phase.what))
                    made = replace(phase.carry_out(builder, number), named=named)
                    self.processes.append(
                        ProcessPlan(
                            name=f"{builder.name}:{builder.label}{which}",
                            job=calls,
                            group=group,
                            node=members[rank],
                            cpu=self.machine.tables.of_group(CPU, group),
                            sleeps=True,
                            phases=(made,),
                        )
                    )

    def row_of(self, phase: NamedPhase) -> int:
        """Return the row of a phase, a new one for the first process that comes to it."""
        return self.named.setdefault(phase, len(self.named))

    def barrier(self, job: Job, number: str) -> int:
        """Return the number of the barrier that is phase ``number`` of a job."""
        key = (job.name, number)
        if key not in self._barrier_of:
            self._barrier_of[key] = len(self.barriers)
            self.barriers.append(job.ranks)
        return self._barrier_of[key]

    def list_marks(self, job: Job, number: str, count: int) -> int:
        """Return the first of the marks of the listed calls that are phase ``number`` of a job."""
        first = self._marks_of.setdefault((job.name, number), self.marks)
        if first == self.marks:
            self.marks += count
        return first

    def channel(self, source: int, target: int, group: int) -> int:
        """Return the number of the channel between two processes on nodes of a group."""
        key = (source, target)
        if key not in self._channel_of:
            service = self.services.of_messages(group)
            top = self.files.between(group, group) if service < 0 else -1
            self._channel_of[key] = len(self.channels)
            self.channels.append(
                ChannelPlan(
                    source=source,
                    target=target,
                    top=top,
                    places=self.further_places(group) if service < 0 else (),
                    service=service,
                )
            )
        return self._channel_of[key]

    def counter(self, target: int, source: int | None = None) -> int:
        """Return the number of a channel of its own, to which its source (or any) pays nothing."""
        source = target if source is None else source
        self.channels.append(ChannelPlan(source=source, target=target, top=-1))
        return len(self.channels) - 1

    def counter_of(self, key: tuple[object, ...], source: int, target: int) -> int:
        """Return the number of such a channel that both its ends know by a key."""
        if key not in self._counter_of:
            self._counter_of[key] = self.counter(target, source)
        return self._counter_of[key]

    def further_places(self, group: int) -> tuple[int, ...]:
        """Return the places between two nodes of a group; none if these are all."""
        places = self.machine.ways.places_between(group, group)
        return places if len(places) > 2 else ()

    def check_room(self, count: int, job: Job) -> None:
        """Refuse more operations than a plan can hold."""
        if len(self.operations) + count > MOST_OPERATIONS:
            at = ("jobs", self.workload.jobs.index(job))
            about = f"has more than {MOST_OPERATIONS:,} calls; write larger records"
            raise self.workload.refused(at, about)


def _arrivals(job: Job, arrivals: Arrivals) -> ArrivalsPlan:
    """Return the times at which the phases of a job are asked for."""
    if arrivals.at is not None:
        times = tuple(job.start + time for time in arrivals.at)
        return ArrivalsPlan(kind=codes.AT_TIMES, count=len(times), times=times)
    assert arrivals.every is not None
    assert arrivals.count is not None
    return ArrivalsPlan(
        kind=codes.POISSON if arrivals.distribution == "poisson" else codes.FIXED,
        count=arrivals.count,
        gap_ns=arrivals.every,
        first_ns=job.start,
        stream=f"{job.name}.arrivals",
    )
