"""One result: processes, resources, stores, latencies of operations, and a log of calls."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.result.curves import CallCurve, StoreCurve
from simulator.result.latency import Latency, Steady
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
    from collections.abc import Mapping

    from simulator.plan.jobs import LibraryWork
    from simulator.result.numerical import NumericalResult
    from simulator.result.queues import QueueResult
    from simulator.result.restarts import RestartResult
    from simulator.result.services import MeshResult, ServiceResult

__all__ = [
    "ArrayResult",
    "CallCurve",
    "CallLog",
    "FailedCalls",
    "PartResult",
    "PhaseResult",
    "ProcessResult",
    "Result",
    "Span",
    "Stable",
    "StateResult",
    "StoreCurve",
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

    The calls of client c are contiguous: ``count[c]`` of them from ``first[c]`` on. Listed calls
    are included with all of their rows, whatever their kind.
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
    """Time until the last process ended."""
    end_ns: int
    """Time until the last event: write-back continues after the last process."""
    processes: list[ProcessResult]
    parts: dict[str, PartResult]
    """By name of the instance; only those that were used."""
    stores: dict[str, StoreResult]
    latencies: dict[str, Latency]
    """By operation; only those that occurred."""
    prestage_ns: int
    events: int
    """Number of activations of actors."""
    job_latencies: dict[str, dict[str, Latency]] = field(default_factory=dict)
    """By job and operation; empty for a single job, and for more than ``MOST_TIMED_JOBS``."""
    spans: list[Span] = field(default_factory=list)
    calls: CallLog | None = None
    """Every call of every process, if calls were recorded."""
    why: str = ""
    """Reason for the choice of this engine, in words."""
    noisy: bool = False
    """True if service times varied."""
    needless: dict[int, int] = field(default_factory=dict)
    """Tier of the plan that cuts requests -> number of calls (or their parts on one member) that it
    cut in two and that would be one request at another offset; only non-zero ones."""
    services: dict[str, ServiceResult] = field(default_factory=dict)
    """Counters of services on each node, by the service's name and the node's number."""
    meshes: list[MeshResult] = field(default_factory=list)
    numerical: NumericalResult | None = None
    """Calls of numerical servers, if there are any."""
    mpi_io: LibraryWork | None = None
    """Work of MPI-IO libraries, if there are phases of it."""
    stable: dict[str, Stable] = field(default_factory=dict)
    """By the job that wrote the files; an empty name for files of several jobs, and of I/O nodes'
    buffer caches."""
    responses: dict[str, Latency] = field(default_factory=dict)
    """Jobs with arrivals: time from an arrival to the completion of its work, by job."""
    took_ns: dict[str, array[int]] = field(default_factory=dict)
    """Response times of the arrivals of each job, in the order of arrival; none of more than
    ``MOST_KEPT`` (:mod:`simulator.plan.jobs`)."""
    states: dict[str, StateResult] = field(default_factory=dict)
    """Instances with events, by name; empty without events."""
    arrays: dict[str, ArrayResult] = field(default_factory=dict)
    """Arrays of disks that were used, or had events, by name."""
    changes: dict[str, list[tuple[int, int, float]]] = field(default_factory=dict)
    """With a timeline: begin, length (ns) and fraction of its usual speed of each time at which an
    instance had another speed, by name."""
    queues: list[QueueResult] = field(default_factory=list)
    """What became of the jobs of each queue of the plan."""
    restarts: list[RestartResult] = field(default_factory=list)
    """What failures cost each job that goes on from its last checkpoint."""
    gaps_ns: dict[str, int] = field(default_factory=dict)
    """Mean time between two arrivals, by job; only for generated arrivals."""
    most_per_s: dict[str, float] = field(default_factory=dict, compare=False)
    """Maximum sustainable arrival rate per second, by job; only after a run for that purpose
    (:mod:`simulator.saturation`)."""
    steady: dict[str, Steady] = field(default_factory=dict, compare=False)
    """Mean response times of arrivals without their warm-up, by job; only if computed
    (:mod:`simulator.warmup`)."""
    phases: list[PhaseResult] = field(default_factory=list)
    """Phases of jobs, as the workload defines them, in order; only those that were reached."""
    curves: dict[str, StoreCurve] = field(default_factory=dict)
    """Contents of the store instances that were used over time, by name; only if sampled."""
    call_curve: CallCurve | None = None
    """Bytes of processes' calls over time; only if sampled."""
    repeats: Repeats = field(default_factory=Repeats, compare=False)
    """Periods that were skipped; the rest of the result is unaffected."""

    def masters(self) -> list[ProcessResult]:
        """Return the processes themselves, without the members that share the data of one.

        Such a member is named for its process and its rank: ``solver.0/3``.
        """
        if not any("/" in one.name for one in self.processes):
            return list(self.processes)
        names = {one.name for one in self.processes}

        def shares(name: str) -> bool:
            process, _, rank = name.rpartition("/")
            return rank.isdecimal() and process in names

        return [one for one in self.processes if not shares(one.name)]

    def latencies_of(self, job: str) -> Mapping[str, Latency] | None:
        """Return the latencies of a job's calls by operation; None if they were not counted."""
        if self.job_latencies:
            return self.job_latencies.get(job, {})
        alone = {one.job for one in self.processes} == {job}
        return self.latencies if alone else None

    @property
    def given_up(self) -> int:
        """Number of requests that timed out at failed resources."""
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
        """Return the number of rounds of each process, if the ends of others decided that."""
        return {one.name: one.rounds for one in self.processes}

    def rate(self, work: str) -> float:
        """Bytes per second of all processes, over the longest time in calls of one of them.

        ``work`` is ``read`` or ``write``. It is the rate of the studies' papers. Reports use
        windows (:mod:`simulator.result.jobs`), as this does for jobs with arrivals, of which no
        process is busy all the time.
        """
        transfers = [transfer_of(one, work) for one in self.processes]
        if self.responses and (made := [one for one in transfers if one.begin_ns >= 0]):
            window = max(one.end_ns for one in made) - min(one.begin_ns for one in made)
            return per_second(sum(one.bytes for one in made), window)
        longest = max((one.calls_ns for one in transfers), default=0)
        return per_second(sum(one.bytes for one in transfers), longest)

    def mean_calls_ns(self, work: str) -> int:
        """Return the mean time of a process in calls that ``read`` or ``write``.

        It is taken over the processes that read, write or compute.
        """
        busy = self._workers()
        spent = sum(transfer_of(one, work).calls_ns for one in busy)
        return round(spent / len(busy)) if busy else 0

    def lost(self) -> float:
        """Fraction of the processes' time that was not computing; 0 without any time.

        Idle time is excluded.
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
