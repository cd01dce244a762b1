"""Counters of parts, stores and arrays, and of their failures."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.kinds.traits import traits_of


@dataclass(slots=True)
class PartResult:
    """Counters of one instance of a part."""

    part: str
    """The part's name in the machine file, with its direction."""
    kind: str
    requests: int
    bytes: int
    busy_ns: int
    servers: int = 1
    """Requests that it serves at once; 0 of work of cores, of which its node has no number."""
    active_ns: int | None = None
    """Of a part that is shared: the time in which a transfer was under way."""

    @property
    def queues(self) -> bool:
        """Return whether it can be busy: nothing queues at a delay, or for unlimited cores."""
        return bool(self.servers) and traits_of(self.kind).busy

    def utilisation(self, span_ns: int) -> float:
        """Busy time of a server over the length of the run; 0 where nothing queues."""
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
        """Hits among all looks at a block; None without any."""
        looks = self.counts.get("hits", 0) + self.counts.get("misses", 0)
        return self.counts.get("hits", 0) / looks if looks else None


@dataclass(slots=True)
class StateResult:
    """Failures of one instance of a part, and requests that they delayed."""

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
    """Failures of one array of disks, and counters of its disks."""

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
    queue: str = ""
    """The queue within the instance, as a disk of an array; "": it has one."""

    @property
    def end_ns(self) -> int:
        """When it ended."""
        return self.start_ns + self.service_ns
