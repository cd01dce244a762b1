"""Counters of resources, stores and arrays, and of their failures."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.kinds.traits import traits_of


@dataclass(slots=True)
class PartResult:
    """Counters of one instance of a resource."""

    part: str
    """The resource's name in the machine file, with its direction."""
    kind: str
    requests: int
    bytes: int
    busy_ns: int
    servers: int = 1
    """Requests that it serves at once; 0 for work of cores, of which its node has no limit."""
    active_ns: int | None = None
    """Shared resource: the time during which a transfer was under way."""

    @property
    def queues(self) -> bool:
        """Return whether it has a queue: delays and unlimited cores have none."""
        return bool(self.servers) and traits_of(self.kind).busy

    def utilisation(self, span_ns: int) -> float:
        """Busy time of a server over the length of the run; 0 without a queue."""
        busy = self.busy_ns if self.active_ns is None else self.active_ns
        return busy / (span_ns * self.servers) if span_ns and self.queues else 0.0


@dataclass(slots=True)
class StoreResult:
    """Counters of one instance of a store."""

    store: str
    """The store's name in the machine file."""
    counts: dict[str, int]
    """The counters of docs/composition.md, by name."""

    @property
    def hit_ratio(self) -> float | None:
        """Hits over lookups of blocks; None without any."""
        looks = self.counts.get("hits", 0) + self.counts.get("misses", 0)
        return self.counts.get("hits", 0) / looks if looks else None


@dataclass(slots=True)
class StateResult:
    """Failures of one instance of a resource, and requests that they delayed."""

    part: str
    """The resource's name in the machine file, with its direction."""
    failures: int
    """Number of failures."""
    down_ns: int
    """Time during which it had failed, up to the end of the run."""
    slow_ns: int
    """Time during which it had another speed than usual."""
    delayed: int
    """Requests that waited until it was available."""
    lost_ns: int
    """Total delay of these requests."""
    given_up: int = 0
    """Requests that timed out."""


@dataclass(slots=True)
class ArrayResult:
    """Failures of one array of disks, and counters of its disks."""

    part: str
    """The resource's name in the machine file."""
    failures: int = 0
    """Number of failures of its disks."""
    rebuilds: int = 0
    """Number of rebuilds of disks."""
    degraded_ns: int = 0
    """Time during which some disk lacked data, up to the end of the run."""
    rebuilt_bytes: int = 0
    """Bytes written to disks under rebuild."""
    rebuild_read_bytes: int = 0
    """Bytes read from other disks for rebuilds."""
    reconstructed_bytes: int = 0
    """Bytes of requests that had to be reconstructed from other disks."""
    read_bytes: int = 0
    """Bytes that disks read for requests, and for the parity of writes."""
    written_bytes: int = 0
    """Bytes that disks wrote for requests."""
    losses: int = 0
    """Number of data losses: more failed disks than it tolerates."""
    first_loss_ns: int = -1
    """Time of the first data loss."""


@dataclass(slots=True)
class Span:
    """One service for the timeline: the instance, the bytes, and the times."""

    part: str
    start_ns: int
    service_ns: int
    bytes: int
    queue: str = ""
    """The queue within the instance, as a disk of an array; empty if it has one only."""

    @property
    def end_ns(self) -> int:
        """End of the service."""
        return self.start_ns + self.service_ns
