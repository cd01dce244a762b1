"""One result: processes with their accounts of time, parts, stores, and latencies of operations."""

from __future__ import annotations

from array import array
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from simulator.kinds.traits import traits_of
from simulator.result.latency import Latency
from simulator.result.repeats import Repeats

if TYPE_CHECKING:
    from simulator.plan.jobs import LibraryWork
    from simulator.result.numerical import NumericalResult
    from simulator.result.services import MeshResult, ServiceResult


def _cells(code: str) -> array[int]:
    return array(code)


@dataclass(frozen=True)
class CallLog:
    """Every call of every client, in the order in which each client made them.

    The calls of a client stand together, from ``first[c]`` on, ``count[c]`` of them. Listed calls
    are there with all of their rows, whatever their kind.
    """

    first: list[int]
    count: list[int]
    begin: array[int] = field(default_factory=lambda: _cells("q"))
    """When the call began; ns since the run began."""
    end: array[int] = field(default_factory=lambda: _cells("q"))
    kind: array[int] = field(default_factory=lambda: _cells("b"))
    """One of ``runtime/operations.py``."""
    file: array[int] = field(default_factory=lambda: _cells("i"))
    offset: array[int] = field(default_factory=lambda: _cells("q"))
    size: array[int] = field(default_factory=lambda: _cells("q"))

    def columns(self) -> tuple[array[int], ...]:
        """Kind, file, offset, size, begin, end."""
        return self.kind, self.file, self.offset, self.size, self.begin, self.end


@dataclass(slots=True)
class Transfer:
    """What one process read, or wrote, from its program's point of view.

    Its *window* reaches from the begin of the first operation on what it read, or wrote, to the end
    of the last, syncs and closes included; what the process did between them is in it as well.
    """

    bytes: int = 0
    """User data, without record lengths, and without what calls asked for that failed."""
    calls_ns: int = 0
    """Time in the calls that move them: what the NWT's paper divides by."""
    begin_ns: int = -1
    """Where its window begins; -1 without an operation."""
    end_ns: int = -1
    beside_ns: int = 0
    """Time in syncs and closes of its window that are no part of those calls."""
    failed_bytes: int = 0
    """What calls asked for that failed, record lengths included."""

    def without_failed(self) -> Transfer:
        """Return it less what was asked for and has not been moved."""
        return replace(self, bytes=max(0, self.bytes - self.failed_bytes))

    def close(self, begin_ns: int, end_ns: int) -> None:
        """Let the window end with a sync or a close."""
        self.end_ns = end_ns
        self.beside_ns += end_ns - begin_ns

    def widen(self, begin_ns: int, end_ns: int) -> None:
        """Let the window reach from a begin to an end; what it had before is not after that."""
        if self.begin_ns < 0:
            self.begin_ns = begin_ns
        self.end_ns = end_ns

    @property
    def elapsed_ns(self) -> int:
        """The length of its window."""
        return self.end_ns - self.begin_ns

    @property
    def io_ns(self) -> int:
        """Time in its calls, syncs and closes: the window without what was between them."""
        return self.calls_ns + self.beside_ns

    @property
    def rate(self) -> float:
        """Bytes per second of its window; 0 for nothing."""
        return per_second(self.bytes, self.elapsed_ns)

    @property
    def io_rate(self) -> float:
        """Bytes per second of the time in calls, syncs and closes; 0 for nothing."""
        return per_second(self.bytes, self.io_ns)

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs; rates in MB (10^6 bytes) per second."""
        return {
            "bytes": self.bytes,
            **({"failed_bytes": self.failed_bytes} if self.failed_bytes else {}),
            "begin_ns": None if self.begin_ns < 0 else self.begin_ns,
            "elapsed_ns": self.elapsed_ns,
            "rate_MBps": round(self.rate / 1e6, 6),
            "io_ns": self.io_ns,
            "io_MBps": round(self.io_rate / 1e6, 6),
            "calls_ns": self.calls_ns,
            "calls_MBps": round(per_second(self.bytes, self.calls_ns) / 1e6, 6),
        }


@dataclass(slots=True)
class Stable:
    """What of the files of one job has come to stable storage."""

    bytes: int = 0
    last_ns: int = 0
    """When the last of them came."""

    def add(self, size: int, last_ns: int) -> None:
        """Add what has come of another file."""
        self.bytes += size
        self.last_ns = max(self.last_ns, last_ns)


@dataclass(slots=True)
class FailedCalls:
    """Calls of one process that came back with an error, since a part had failed."""

    count: int = 0
    first_ns: int = -1
    """When the first did; -1 without any."""
    last_ns: int = -1

    def add(self, now_ns: int) -> None:
        """Count one that comes back now."""
        self.count += 1
        self.first_ns = now_ns if self.first_ns < 0 else self.first_ns
        self.last_ns = now_ns


@dataclass(slots=True)
class PhaseResult:
    """A phase of a job, all of its processes together, all passes through it."""

    job: str
    label: str
    """Its place in the job, as ``1`` or ``1.0``."""
    what: str
    """What it does, as ``read f1``."""
    passes: int = 0
    """How often a process has come to it."""
    begin_ns: int = -1
    """When the first did; -1 if none has."""
    end_ns: int = -1
    """When it was over for the last time."""
    time_ns: int = 0
    """Time that processes have spent in it, added up."""
    read: int = 0
    """Bytes of user data read in it,"""
    written: int = 0
    """and written, without what calls asked for that failed."""

    def without_failed(self) -> PhaseResult:
        """Return it with no less than nothing read or written: of what failed lengths count too."""
        return replace(self, read=max(0, self.read), written=max(0, self.written))

    @property
    def elapsed_ns(self) -> int:
        """From its first begin to its last end."""
        return self.end_ns - self.begin_ns

    def mean_ns(self, processes: int) -> float:
        """Return the time that one of so many processes has spent in it, on the average."""
        return self.time_ns / processes

    def rate(self, processes: int) -> float:
        """Return bytes per second of all processes together, while they are in it; 0 for none."""
        return per_second(self.read + self.written, self.time_ns) * processes

    def to_json(self, processes: int) -> dict[str, Any]:
        """Return the record for programs, of a job with so many processes."""
        return {
            "phase": self.label,
            "what": self.what,
            "passes": self.passes,
            "begin_ns": self.begin_ns,
            "elapsed_ns": self.elapsed_ns,
            "time_ns": self.time_ns,
            "mean_ns": round(self.mean_ns(processes)),
            "read_bytes": self.read,
            "write_bytes": self.written,
            "rate_MBps": round(self.rate(processes) / 1e6, 6),
        }


@dataclass(slots=True)
class ProcessResult:
    """One process, or one member that shares the data of a process."""

    name: str
    job: str
    started_ns: int
    ended_ns: int
    read: Transfer
    write: Transfer
    compute_ns: int
    idle_ns: int
    """Time of a member that shares a process's data in which it had nothing to do."""
    spent: dict[str, tuple[int, int]]
    """Column of the account -> (waiting ns, service ns); only what is not 0."""
    rounds: int = 0
    """How often it went through its phases, if the ends of others decided that."""
    failed: FailedCalls = field(default_factory=FailedCalls)

    @property
    def elapsed_ns(self) -> int:
        """From its start to its end."""
        return self.ended_ns - self.started_ns

    def accounted_ns(self) -> int:
        """Everything in the account; equal to the elapsed time."""
        return self.compute_ns + self.idle_ns + sum(w + s for w, s in self.spent.values())

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs; times in ns."""
        return {
            "name": self.name,
            "job": self.job,
            "started_ns": self.started_ns,
            "elapsed_ns": self.elapsed_ns,
            **({"rounds": self.rounds} if self.rounds else {}),
            **({"failed_calls": asdict(self.failed)} if self.failed.count else {}),
            "read": self.read.to_json(),
            "write": self.write.to_json(),
            "where": {
                "compute_ns": self.compute_ns,
                "idle_ns": self.idle_ns,
                "columns": {
                    column: {"wait_ns": wait, "service_ns": service}
                    for column, (wait, service) in self.spent.items()
                },
            },
        }


@dataclass(slots=True)
class PartResult:
    """What one instance of a part did."""

    part: str
    """The part's name in the machine file, with its direction."""
    kind: str
    requests: int
    bytes: int
    busy_ns: int
    servers: int = 1
    active_ns: int | None = None
    """Of a part that is shared: the time in which a transfer was under way."""

    @property
    def queues(self) -> bool:
        """Whether it can be busy: nothing queues at a fixed delay."""
        return traits_of(self.kind).busy

    def utilisation(self, span_ns: int) -> float:
        """Busy time of a server over the length of the run; 0 where nothing queues."""
        busy = self.busy_ns if self.active_ns is None else self.active_ns
        return busy / (span_ns * self.servers) if span_ns and self.queues else 0.0


@dataclass(slots=True)
class StoreResult:
    """What one instance of a store did."""

    store: str
    """The store's name in the machine file."""
    counts: dict[str, int]
    """The counters of docs/composition.md, by name."""

    @property
    def hit_ratio(self) -> float | None:
        """Hits among all looks at a block; None without any."""
        looks = self.counts.get("hits", 0) + self.counts.get("misses", 0)
        return self.counts.get("hits", 0) / looks if looks else None


@dataclass(slots=True)
class StateResult:
    """What happened to one instance of a part, and what came of it."""

    part: str
    """The part's name in the machine file, with its direction."""
    failures: int
    """How often it failed,"""
    down_ns: int
    """and for how long it was not there, up to the end of the run."""
    slow_ns: int
    """For how long it was there, at another speed than usual."""
    delayed: int
    """Requests that waited until it was back,"""
    lost_ns: int
    """and for how long, together."""
    given_up: int = 0
    """Requests that did not wait for it, and came back unserved."""


@dataclass(slots=True)
class ArrayResult:
    """What happened to one array of disks, and what its disks did."""

    part: str
    """The part's name in the machine file."""
    failures: int = 0
    """How often one of its disks failed,"""
    rebuilds: int = 0
    """and how often one was rebuilt."""
    degraded_ns: int = 0
    """For how long not all of its disks had all their data, up to the end of the run."""
    rebuilt_bytes: int = 0
    """Bytes written on disks that are being rebuilt,"""
    rebuild_read_bytes: int = 0
    """and read of the others for it."""
    reconstructed_bytes: int = 0
    """Bytes that requests read, and that had to be computed from other disks."""
    read_bytes: int = 0
    """Bytes that disks read for requests, and for parity that these write,"""
    written_bytes: int = 0
    """and wrote for them."""
    losses: int = 0
    """How often more disks failed than it can bear: data were lost."""
    first_loss_ns: int = -1
    """When that was for the first time."""


@dataclass(slots=True)
class Span:
    """One service for the timeline: which instance served how many bytes, and when."""

    part: str
    start_ns: int
    service_ns: int
    bytes: int

    @property
    def end_ns(self) -> int:
        """When it ended."""
        return self.start_ns + self.service_ns


@dataclass(slots=True)
class Result:
    """The outcome of one run."""

    machine: str
    workload: str
    engine: str
    seed: int
    run: int
    digest: str
    elapsed_ns: int
    """Until the last process ended."""
    end_ns: int
    """Until the last event: write-back goes on after the last process."""
    processes: list[ProcessResult]
    parts: dict[str, PartResult]
    """By the name of the instance; only those that were used."""
    stores: dict[str, StoreResult]
    latencies: dict[str, Latency]
    """By operation; only those that happened."""
    prestage_ns: int
    events: int
    """How often an actor was set to go on."""
    spans: list[Span] = field(default_factory=list)
    calls: CallLog | None = None
    """Every call of every process, if they were recorded."""
    why: str = ""
    """Why this engine ran, in words."""
    noisy: bool = False
    """Whether service times varied."""
    needless: dict[int, int] = field(default_factory=dict)
    """Tier of the plan that cuts requests -> how many calls (or their parts on one member) it cut
    in two that would have been one request at another offset; only where there were any."""
    services: dict[str, ServiceResult] = field(default_factory=dict)
    """What services did on each node, by the service's name and the node's number."""
    meshes: list[MeshResult] = field(default_factory=list)
    numerical: NumericalResult | None = None
    """Calls of numerical servers, where there are any."""
    mpi_io: LibraryWork | None = None
    """What MPI-IO libraries did, where there are any phases of it."""
    stable: dict[str, Stable] = field(default_factory=dict)
    """By the job that wrote the files; of files that several jobs wrote, and of I/O nodes' buffer
    caches, by no job (an empty name)."""
    responses: dict[str, Latency] = field(default_factory=dict)
    """Of jobs that arrive: from an arrival to the end of what it asked for, by job."""
    states: dict[str, StateResult] = field(default_factory=dict)
    """Instances to which anything could happen, by name; none without events."""
    arrays: dict[str, ArrayResult] = field(default_factory=dict)
    """Arrays of disks that were used, or to whose disks anything could happen, by name."""
    changes: dict[str, list[tuple[int, int, float]]] = field(default_factory=dict)
    """With a timeline: begin, length (ns) and share of its usual speed of each time when such an
    instance was not as usual, by its name."""
    gaps_ns: dict[str, int] = field(default_factory=dict)
    """The mean time between two arrivals of such a job, by job; only where the workload says it."""
    phases: list[PhaseResult] = field(default_factory=list)
    """Phases of jobs, as the workload has them, in order; only those that a process came to."""
    repeats: Repeats = field(default_factory=Repeats, compare=False)
    """What was carried on by arithmetic; the rest of the result is as without."""

    def masters(self) -> list[ProcessResult]:
        """Return the processes themselves, without the members that share the data of one.

        Such a member is named for its process and its rank: ``solver.0/3``.
        """
        names = {one.name for one in self.processes}

        def shares(name: str) -> bool:
            process, _, rank = name.rpartition("/")
            return rank.isdecimal() and process in names

        return [one for one in self.processes if not shares(one.name)]

    def rounds(self) -> dict[str, int]:
        """Return how often each process went through its phases, if others' ends decided that."""
        return {one.name: one.rounds for one in self.processes}

    def rate(self, work: str) -> float:
        """Bytes per second of all processes, over the longest time in calls of one of them.

        ``work`` is ``read`` or ``write``. It is the rate of the studies' papers; what reports say
        is of windows (:mod:`simulator.result.jobs`).
        """
        transfers = [transfer_of(one, work) for one in self.processes]
        longest = max((one.calls_ns for one in transfers), default=0)
        return per_second(sum(one.bytes for one in transfers), longest)

    def mean_calls_ns(self, work: str) -> int:
        """Time that a process has spent in calls that ``read`` or ``write``, on the average.

        Of the processes that read, write or compute.
        """
        busy = self._workers()
        spent = sum(transfer_of(one, work).calls_ns for one in busy)
        return round(spent / len(busy)) if busy else 0

    def lost(self) -> float:
        """The part of the processes' time that was not computing; 0 of no time.

        Time in which a process had nothing to do is not lost.
        """
        busy = self._workers()
        elapsed = sum(one.elapsed_ns - one.idle_ns for one in busy)
        return 1 - sum(one.compute_ns for one in busy) / elapsed if elapsed else 0.0

    def _workers(self) -> list[ProcessResult]:
        return [
            one
            for one in self.processes
            if one.read.calls_ns or one.write.calls_ns or one.compute_ns
        ]


def transfer_of(process: ProcessResult, work: str) -> Transfer:
    """Return what a process transferred by ``read`` or ``write``."""
    return process.read if work == "read" else process.write


def per_second(size: int, time_ns: int) -> float:
    """Return bytes over a time; 0 over no time."""
    return size * 1e9 / time_ns if time_ns else 0.0
