"""What a run gives: rates, where every nanosecond went, and what each part did."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.result.calls import CallLog


@dataclass(slots=True)
class Transfer:
    """What one client read, or wrote, from its program's point of view."""

    bytes: int = 0
    """User data, without record lengths."""
    elapsed_ns: int = 0

    @property
    def rate(self) -> float:
        """Bytes per second; 0 for nothing."""
        return self.bytes * 1e9 / self.elapsed_ns if self.elapsed_ns else 0.0

    def to_json(self) -> dict[str, Any]:
        """The record for programs; the rate in MB (10^6 bytes) per second."""
        return {
            "bytes": self.bytes,
            "elapsed_ns": self.elapsed_ns,
            "rate_MBps": round(self.rate / 1e6, 6),
        }


@dataclass(slots=True)
class ClientResult:
    """One PE of a job: its transfers, and the account of its time."""

    name: str
    started_ns: int
    ended_ns: int
    read: Transfer
    write: Transfer
    compute_ns: int
    idle_ns: int
    parts: dict[str, tuple[int, int]]
    """Part -> (waiting ns, service ns)."""

    @property
    def elapsed_ns(self) -> int:
        """From its start to its end."""
        return self.ended_ns - self.started_ns

    def accounted_ns(self) -> int:
        """Everything in the account; equal to the elapsed time."""
        return self.compute_ns + self.idle_ns + sum(w + s for w, s in self.parts.values())


@dataclass(slots=True)
class PartResult:
    """What one part did."""

    requests: int
    bytes: int
    busy_ns: int
    servers: int = 1

    def utilisation(self, span_ns: int) -> float:
        """Busy time of a server over the length of the run."""
        return self.busy_ns / (span_ns * self.servers) if span_ns else 0.0


@dataclass(slots=True)
class Span:
    """One service for the timeline: who was served where, and when."""

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
    """Until the last client ended."""
    end_ns: int
    """Until nothing happened any more: write-back goes on after the last client."""
    clients: list[ClientResult]
    parts: dict[str, PartResult]
    cache: dict[str, int]
    prestage_ns: int
    events: int
    spans: list[Span] = field(default_factory=list)
    calls: CallLog | None = None
    """Every call of every client, if they were recorded."""

    def rate(self, work: str) -> float:
        """Bytes per second of all clients together: of ``read`` or ``write`` phases."""
        transfers = [c.read if work == "read" else c.write for c in self.clients]
        moved = sum(t.bytes for t in transfers)
        longest = max((t.elapsed_ns for t in transfers), default=0)
        return moved * 1e9 / longest if longest else 0.0

    def mean_elapsed_ns(self, work: str) -> int:
        """Time that a job has spent in its ``read`` or ``write`` phases, on the average."""
        jobs = self._masters()
        spent = sum((c.read if work == "read" else c.write).elapsed_ns for c in jobs)
        return round(spent / len(jobs)) if jobs else 0

    def lost(self) -> float:
        """What part of the jobs' time was not computing; 0 of no time."""
        jobs = self._masters()
        elapsed = sum(one.elapsed_ns for one in jobs)
        return 1 - sum(one.compute_ns for one in jobs) / elapsed if elapsed else 0.0

    def _masters(self) -> list[ClientResult]:
        """Give the PE of each job that computes, reads and writes for it."""
        return [c for c in self.clients if c.read.elapsed_ns or c.write.elapsed_ns or c.compute_ns]

    def to_json(self) -> dict[str, Any]:
        """The record for programs; see docs/model.md for the meaning of each key."""
        return {
            "machine": self.machine,
            "workload": self.workload,
            "engine": self.engine,
            "seed": self.seed,
            "run": self.run,
            "digest": self.digest,
            "elapsed_ns": self.elapsed_ns,
            "end_ns": self.end_ns,
            "prestage_ns": self.prestage_ns,
            "clients": [_client_json(client) for client in self.clients],
            "parts": {
                name: {
                    "requests": part.requests,
                    "bytes": part.bytes,
                    "busy_ns": part.busy_ns,
                    "servers": part.servers,
                    "utilisation": round(part.utilisation(self.end_ns), 9),
                }
                for name, part in self.parts.items()
            },
            "where": {client.name: _where_json(client) for client in self.clients},
            "cache": dict(self.cache),
            "events": self.events,
        }

    def spans_json(self) -> list[dict[str, Any]]:
        """The services of the run, in the order they were booked."""
        return [asdict(span) for span in self.spans]


def _client_json(client: ClientResult) -> dict[str, Any]:
    return {
        "name": client.name,
        "started_ns": client.started_ns,
        "elapsed_ns": client.elapsed_ns,
        "read": client.read.to_json(),
        "write": client.write.to_json(),
    }


def _where_json(client: ClientResult) -> dict[str, Any]:
    return {
        "elapsed_ns": client.elapsed_ns,
        "compute_ns": client.compute_ns,
        "idle_ns": client.idle_ns,
        "parts": {
            part: {"wait_ns": wait, "service_ns": service}
            for part, (wait, service) in client.parts.items()
        },
    }
