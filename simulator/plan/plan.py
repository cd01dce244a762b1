"""The whole plan of a run, and values derived from it: numbers of actors, names of instances."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from simulator.plan.codes import AT_TIMES, BUFFERS, END, REQUEST, STRIPE
from simulator.plan.events import EventPlan
from simulator.plan.jobs import (
    ArrivalsPlan,
    AskedPlan,
    ChannelPlan,
    NamedPhase,
    Operations,
    ProcessPlan,
)
from simulator.plan.noise import Drawing, Noise, noise_of
from simulator.plan.parts import BuffersPlan, GroupPlan, PartPlan, StorePlan
from simulator.plan.paths import FilePlan, PathPlan, TierPlan
from simulator.plan.queues import DrawnTimes, QueuePlan, changed
from simulator.plan.restarts import RestartPlan
from simulator.plan.services import NO_SERVICES, ServicesPlan

MOST_TIMED_JOBS = 64
"""Jobs of a run whose latencies are counted apart: of each, an operation's take 29 kB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A machine and its jobs."""

    machine: str
    workload: str
    groups: tuple[GroupPlan, ...]
    parts: tuple[PartPlan, ...]
    stores: tuple[StorePlan, ...] = ()
    buffers: tuple[BuffersPlan, ...] = ()
    tiers: tuple[TierPlan, ...] = ()
    paths: tuple[PathPlan, ...] = ()
    files: tuple[FilePlan, ...] = ()
    processes: tuple[ProcessPlan, ...] = ()
    named: tuple[NamedPhase, ...] = ()
    """Phases of jobs, as the workload defines them."""
    operations: Operations = field(default_factory=Operations)
    arrivals: tuple[ArrivalsPlan, ...] = ()
    channels: tuple[ChannelPlan, ...] = ()
    barriers: tuple[int, ...] = ()
    """The number of processes at each barrier."""
    locks: int = 0
    marks: int = 0
    asked: AskedPlan | None = None
    services: ServicesPlan = NO_SERVICES
    queues: tuple[QueuePlan, ...] = ()
    drawn: tuple[DrawnTimes, ...] = ()
    """Times of jobs of queues that follow from the seed and the run; they are in the plan."""
    events: tuple[EventPlan, ...] = ()
    restarts: tuple[RestartPlan, ...] = ()
    """Jobs that fail, and go on from their last checkpoint."""
    columns: tuple[str, ...] = ()
    """Names of the account categories."""
    others_column: int = -1
    """Account category: waiting for a mark that another process passes, a message, or the end of a
    process."""
    barrier_column: int = -1
    lock_column: int = -1
    merging_column: int = -1
    """Account category: waiting for requests that are merged with one's own."""
    seed: int = 0
    run: int = 0
    runs: int = 0
    """Number of runs in the series, this one included; 0 for a single run. See ``Noise.of``."""
    noisy: bool = False
    """True if service times vary."""
    digest: str = ""
    """Digest of the input from which the plan was made."""

    def with_run(self, run: int, runs: int) -> Plan:
        """Return the plan of repetition ``run`` (from 0) of ``runs``."""
        made = replace(self, run=run, runs=runs)
        return made.with_draws() if self.drawn else made

    def with_draws(self, *, own: bool = False) -> Plan:
        """Return the plan with the times that its seed and run draw (``drawn``).

        ``own``: its rows have just been made for it, and are changed; copies take as long as making
        them.
        """
        submits = [{} for _ in self.queues]  # type: list[dict[int, int]]
        computing: dict[int, dict[int, int]] = defaultdict(dict)
        for one in self.drawn:
            draws = one.draws(self.seed, self.run)
            if one.queue >= 0:
                submits[one.queue].update(enumerate(draws, one.first))
            for (process, phase), time in zip(one.rows, draws, strict=False):
                computing[process][phase] = time
        processes = list(self.processes)
        for number, times in computing.items():
            if own:
                for row, time in times.items():
                    object.__setattr__(processes[number].phases[row], "compute_ns", time)
                continue
            phases = list(processes[number].phases)
            for row, time in times.items():
                phases[row] = changed(phases[row], compute_ns=time)
            processes[number] = changed(processes[number], phases=tuple(phases))
        queues = tuple(
            one.drawn(times, processes, own=own)
            for one, times in zip(self.queues, submits, strict=True)
        )
        if own:
            return replace(self, queues=queues)
        return replace(self, processes=tuple(processes), queues=queues)

    # -- numbers of actors: in one nanosecond the lower number acts first -------------------------

    @property
    def workers(self) -> int:
        """Number of write-back workers and flushers; they are numbered after the processes."""
        return sum(store.actors for store in self.stores)

    @property
    def jobs(self) -> tuple[str, ...]:
        """Names of the jobs, in the order of their first processes."""
        return tuple(dict.fromkeys(one.job for one in self.processes))

    @property
    def latencies_by_job(self) -> bool:
        """Return whether latencies are counted by job: of several jobs, unless there are many."""
        return 1 < len(self.jobs) <= MOST_TIMED_JOBS

    def gaps_ns(self) -> dict[str, int]:
        """Return the mean time between two arrivals of each job with generated arrivals."""
        rows = self.rows_of_arrivals()
        return {
            job: self.arrivals[row].gap_ns
            for job, row in rows.items()
            if self.arrivals[row].kind != AT_TIMES
        }

    def rows_of_arrivals(self) -> dict[str, int]:
        """Return the row of arrivals of each job that has one row, for itself."""
        jobs, rows = defaultdict[int, set[str]](set), defaultdict[str, set[int]](set)
        for one in self.processes:
            if one.arrivals >= 0:
                jobs[one.arrivals].add(one.job)
                rows[one.job].add(one.arrivals)
        return {job: row for job, (row, *more) in rows.items() if not more and len(jobs[row]) == 1}

    def tasks(self) -> Counter[tuple[int, int]]:
        """Count the tasks on each instance (resource, member) of a cpu: processes with operations.

        Members that share data are included. A node of a queue has those of the job that puts most
        on one node.
        """
        busy = (one for one in self.placed() if one.phases)
        found = Counter((one.cpu, one.node + rank) for one in busy for rank in range(one.nodes))
        for row in self.queues:
            most = self.most_on_one_node(row)
            cpus = {self.processes[job.first].cpu for job in row.jobs}
            found.update({(cpu, node): most for cpu in cpus for node in range(row.count)})
        return found

    def placed(self) -> Iterator[ProcessPlan]:
        """Yield the processes whose nodes are in the plan: all but those of jobs of queues."""
        jobs = (job for queue in self.queues for job in queue.jobs)
        there = {row for job in jobs for row in range(job.first, job.first + job.count)}
        for row, one in enumerate(self.processes):
            if row not in there:
                yield one

    def most_on_one_node(self, queue: QueuePlan) -> int:
        """Return the greatest number of processes that a job of a queue has on one node."""
        most = 0
        for job in queue.jobs:
            mine = self.processes[job.first : job.first + job.count]
            most = max(most, *Counter(one.node for one in mine if one.phases).values(), 0)
        return most

    def core_users(self) -> Counter[tuple[int, int]]:
        """Return the capacity of each instance (resource, member) of a cpu, or of work of cores.

        It is the number of cores of its node. Without a limit on cores it is the number of tasks
        for a cpu, and 0 for work of cores.
        """
        tasks = ((at, count) for at, count in self.tasks().items() if at[0] >= 0)
        found = Counter({at: self.parts[at[0]].cores or count for at, count in tasks})
        cores = {part.group: part.cores for part in self.parts if part.cores}
        for row, part in enumerate(self.parts):
            if part.kind == "core":
                limit = cores.get(part.group, 0)
                found.update({(row, member): limit for member in range(part.count)})
        return found

    def stable_ends(self) -> set[int]:
        """Return the ``end`` tiers at which written data are on stable storage.

        These are the end of each path, or of its drain if it has one.
        """
        drained = {self._end(path.top) for path in self.paths if path.drain >= 0}
        ends = {self._end(path.top) for path in self.paths} - drained
        return ends | {self._end(path.drain) for path in self.paths if path.drain >= 0}

    def chain(self, top: int) -> Iterator[tuple[int, TierPlan]]:
        """Yield the tiers from one on, down to the end of its path, with their rows."""
        for row in range(top, len(self.tiers)):
            if self.tiers[row].kind == END:
                return
            yield row, self.tiers[row]

    def path_of(self, row: int) -> int:
        """Return the path of a listed operation on a file."""
        table = self.operations
        return table.path[row] if table.path[row] >= 0 else self.files[table.file[row]].path

    def _end(self, top: int) -> int:
        return top + sum(1 for _ in self.chain(top))

    @property
    def drains(self) -> bool:
        """Return whether any path copies data after a process ends, so that there are copiers."""
        return any(path.drain >= 0 for path in self.paths)

    @property
    def first_copier(self) -> int:
        """Actor number of the copier of process 0."""
        return len(self.processes) + self.workers

    @property
    def first_server(self) -> int:
        """Actor number of the first service."""
        return self.first_copier + (len(self.processes) if self.drains else 0)

    @property
    def first_queue(self) -> int:
        """Actor number of the clock of queue 0."""
        return self.first_server + self.services.actors

    @property
    def first_timer(self) -> int:
        """Actor number of the timer of instance 0; only shared resources have one."""
        return self.first_queue + len(self.queues)

    @property
    def instances(self) -> int:
        """Number of instances of all resources."""
        return sum(part.count for part in self.parts)

    @property
    def first_reader(self) -> int:
        """Actor number of the reader that reads file 0 ahead for store instance 0.

        That of file f and instance s is larger by s * files + f.
        """
        return self.first_timer + self.instances

    @property
    def first_branch(self) -> int:
        """Number of the first branch.

        Branch i of actor a has number ``first_branch + a * width + i``.
        """
        readers = sum(store.count for store in self.stores if store.ahead)
        most = sum(store.count for store in self.stores) if readers else 0
        return self.first_reader + most * len(self.files)

    @property
    def width(self) -> int:
        """Maximum number of concurrent branches of one actor."""
        windows = [tier.window for tier in self.tiers]
        forks = self.asked is not None or any(tier.kind == STRIPE for tier in self.tiers)
        rows = 2 if any(tier.parity for tier in self.tiers) else 1  # Two of a code, read at once.
        members = [group.count * rows for group in self.groups] if forks else []
        return max([*windows, *members], default=1)

    def asked_top(self, path: PathPlan) -> int:
        """Return the tier at which asked requests enter a path, below those that divide calls."""
        top = path.top
        while self.tiers[top].kind in (REQUEST, STRIPE):
            top += 1
        return top

    # -- instances --------------------------------------------------------------------------------

    def home_of(self, process: ProcessPlan) -> tuple[str, int]:
        """Return the group of nodes of a process, and the member; unset where a queue decides."""
        return ("", -1) if process.queued else (self.groups[process.group].name, process.node)

    def instance_name(self, part: PartPlan, index: int) -> str:
        """Return the name of an instance of a resource: ``pe3.port.out``, or ``lan``.

        A resource in a group of devices of the same name is named once: ``disk3``.
        """
        group = self.groups[part.group]
        names = [group.member(index)]
        if group.name != part.name:
            names.append(part.name)
            if group.count == 1 and group.parent < 0 and len(self.groups) == 1:
                names = [part.name]
        return ".".join([*names, part.way] if part.way else names)

    def store_name(self, store: StorePlan | BuffersPlan, index: int) -> str:
        """Return the name of an instance of a store: ``client3.pages``, or ``ssu``."""
        group = self.groups[store.group]
        if group.name == store.name:
            return group.member(index)
        alone = group.count == 1 and group.parent < 0 and len(self.groups) == 1
        return store.name if alone else f"{group.member(index)}.{store.name}"

    def stream(self, part: PartPlan, index: int) -> str:
        """Return the name of the random stream of an instance of a resource."""
        return part.stream.format(i=index) or self.instance_name(part, index)

    def noise(self, part: PartPlan, index: int) -> Noise:
        """Return the noise of an instance of a resource in this run."""
        return noise_of(part.noise, self.drawing, self.stream(part, index))

    @property
    def drawing(self) -> Drawing:
        """What its random streams depend on beside their names."""
        return Drawing(self.seed, self.run, self.runs, self.noisy)


def buffers_of(plan: Plan, top: int) -> TierPlan | None:
    """Return the tier of the buffer cache below tier ``top`` of a path; None if there is none."""
    return next((tier for _, tier in plan.chain(top) if tier.kind == BUFFERS), None)
