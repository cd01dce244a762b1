"""One result: processes, parts, stores, and latencies of operations; a log of all calls."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.result.latency import Latency
from simulator.result.parts import ArrayResult, PartResult, Span, StateResult, StoreResult
from simulator.result.processes import (
    FailedCalls,
    PhaseResult,
    ProcessResult,
    Stable,
    Transfer,
    per_second,
    transfer_of,
)
from simulator.result.repeats import Repeats

if TYPE_CHECKING:
    from simulator.plan.jobs import LibraryWork
    from simulator.result.numerical import NumericalResult
    from simulator.result.services import MeshResult, ServiceResult

__all__ = [
    "ArrayResult",
    "CallLog",
    "FailedCalls",
    "PartResult",
    "PhaseResult",
    "ProcessResult",
    "Result",
    "Span",
    "Stable",
    "StateResult",
    "StoreResult",
    "Transfer",
    "per_second",
    "transfer_of",
]


SLOWNESS = 30
"""Events of the native engine that take as long as one of the reference engine."""


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
    """Number of times that an actor was set to go on."""
    spans: list[Span] = field(default_factory=list)
    calls: CallLog | None = None
    """Every call of every process, if they were recorded."""
    why: str = ""
    """Why this engine ran, in words."""
    noisy: bool = False
    """True if service times varied."""
    needless: dict[int, int] = field(default_factory=dict)
    """Tier of the plan that cuts requests -> how many calls (or their parts on one member) it cut
    in two that would have been one request at another offset; only where there were any."""
    services: dict[str, ServiceResult] = field(default_factory=dict)
    """Counters of services on each node, by the service's name and the node's number."""
    meshes: list[MeshResult] = field(default_factory=list)
    numerical: NumericalResult | None = None
    """Calls of numerical servers, where there are any."""
    mpi_io: LibraryWork | None = None
    """Work of MPI-IO libraries, where there are any phases of it."""
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
    most_per_s: dict[str, float] = field(default_factory=dict, compare=False)
    """Arrivals per second that the machine keeps up with, by job; only where a run of its own
    was made for that (:mod:`simulator.saturation`)."""
    batches_ns: tuple[float, ...] = field(default=(), compare=False)
    """The mean times of ten batches of the arrivals; only where these were looked at
    (:mod:`simulator.warmup`)."""
    phases: list[PhaseResult] = field(default_factory=list)
    """Phases of jobs, as the workload has them, in order; only those that a process came to."""
    repeats: Repeats = field(default_factory=Repeats, compare=False)
    """Periods that went by arithmetic; the rest of the result is as without."""

    def masters(self) -> list[ProcessResult]:
        """Return the processes themselves, without the members that share the data of one.

        Such a member is named for its process and its rank: ``solver.0/3``.
        """
        names = {one.name for one in self.processes}

        def shares(name: str) -> bool:
            process, _, rank = name.rpartition("/")
            return rank.isdecimal() and process in names

        return [one for one in self.processes if not shares(one.name)]

    @property
    def given_up(self) -> int:
        """The number of requests that have come back unserved since a part had failed."""
        return sum(one.given_up for one in self.states.values())

    @property
    def slowness(self) -> int:
        """The events of the native engine that take as long as one of the engine of this run."""
        return SLOWNESS if self.engine == "reference" else 1

    def counts(self, store: str) -> Counter[str]:
        """Return the counters of a store, all its instances together."""
        found = (Counter(one.counts) for one in self.stores.values() if one.store == store)
        return sum(found, Counter[str]())

    def rounds(self) -> dict[str, int]:
        """Return how often each process went through its phases, if others' ends decided that."""
        return {one.name: one.rounds for one in self.processes}

    def rate(self, work: str) -> float:
        """Bytes per second of all processes, over the longest time in calls of one of them.

        ``work`` is ``read`` or ``write``. It is the rate of the studies' papers; what reports say
        is of windows (:mod:`simulator.result.jobs`), as this is of jobs that arrive, of which no
        process is at it all the time.
        """
        transfers = [transfer_of(one, work) for one in self.processes]
        if self.responses and (made := [one for one in transfers if one.begin_ns >= 0]):
            window = max(one.end_ns for one in made) - min(one.begin_ns for one in made)
            return per_second(sum(one.bytes for one in made), window)
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
