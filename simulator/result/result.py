"""One result: processes with their accounts of time, parts, stores, and latencies of operations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.result.latency import Latency

if TYPE_CHECKING:
    from simulator.result.calls import CallLog


@dataclass(slots=True)
class Transfer:
    """What one process read, or wrote, from its program's point of view."""

    bytes: int = 0
    """User data, without record lengths."""
    elapsed_ns: int = 0


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

    @property
    def elapsed_ns(self) -> int:
        """From its start to its end."""
        return self.ended_ns - self.started_ns

    def accounted_ns(self) -> int:
        """Everything in the account; equal to the elapsed time."""
        return self.compute_ns + self.idle_ns + sum(w + s for w, s in self.spent.values())


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
    """What one instance of a store did: the counters of docs/composition.md, by name."""

    store: str
    counts: dict[str, int]


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
    """Until nothing happened any more: write-back goes on after the last process."""
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
