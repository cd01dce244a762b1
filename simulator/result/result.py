"""One result: processes with their accounts of time, parts, stores, and latencies of operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.result.latency import Latency

if TYPE_CHECKING:
    from simulator.plan.jobs import LibraryWork
    from simulator.result.calls import CallLog
    from simulator.result.numerical import NumericalResult
    from simulator.result.services import MeshResult, ServiceResult


@dataclass(slots=True)
class Transfer:
    """What one process read, or wrote, from its program's point of view."""

    bytes: int = 0
    """User data, without record lengths."""
    elapsed_ns: int = 0

    @property
    def rate(self) -> float:
        """Bytes per second; 0 for nothing."""
        return self.bytes * 1e9 / self.elapsed_ns if self.elapsed_ns else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs; the rate in MB (10^6 bytes) per second."""
        return {
            "bytes": self.bytes,
            "elapsed_ns": self.elapsed_ns,
            "rate_MBps": round(self.rate / 1e6, 6),
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

    def utilisation(self, span_ns: int) -> float:
        """Busy time of a server over the length of the run."""
        return self.busy_ns / (span_ns * self.servers) if span_ns else 0.0


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
class Span:
    """One service for the timeline: which instance served how many bytes, and when."""

    part: str
    start_ns: int
    service_ns: int
    bytes: int


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
        """Bytes per second of all processes together, over the longest of their transfers.

        ``work`` is ``read`` or ``write``.
        """
        return rate_of(self.processes, work)

    def mean_elapsed_ns(self, work: str) -> int:
        """Time that a process has spent on ``read`` or ``write``, on the average.

        Of the processes that read, write or compute.
        """
        busy = self._workers()
        spent = sum(transfer_of(one, work).elapsed_ns for one in busy)
        return round(spent / len(busy)) if busy else 0

    def lost(self) -> float:
        """The part of the processes' time that was not computing; 0 of no time."""
        busy = self._workers()
        elapsed = sum(one.elapsed_ns for one in busy)
        return 1 - sum(one.compute_ns for one in busy) / elapsed if elapsed else 0.0

    def _workers(self) -> list[ProcessResult]:
        return [
            one
            for one in self.processes
            if one.read.elapsed_ns or one.write.elapsed_ns or one.compute_ns
        ]


def transfer_of(process: ProcessResult, work: str) -> Transfer:
    """Return what a process transferred by ``read`` or ``write``."""
    return process.read if work == "read" else process.write


def rate_of(processes: Sequence[ProcessResult], work: str) -> float:
    """Bytes per second of some processes together, over the longest of their transfers."""
    transfers = [transfer_of(one, work) for one in processes]
    longest = max((one.elapsed_ns for one in transfers), default=0)
    return sum(one.bytes for one in transfers) * 1e9 / longest if longest else 0.0
