"""The resources of a machine: groups of nodes, and the instances of each resource on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from simulator.kinds.traits import PartTraits, traits_of
from simulator.service import ServiceSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlan:
    """A group of equal nodes, or of equal devices within the nodes of another group.

    With ``parent`` p and ``each`` n, member i belongs to member i // n of p.
    """

    name: str
    count: int
    parent: int = -1
    each: int = 1

    def member(self, index: int) -> str:
        """Return the name of a member.

        >>> GroupPlan(name="pe", count=4).member(3), GroupPlan(name="ssu", count=1).member(0)
        ('pe3', 'ssu')
        """
        return f"{self.name}{index}" if self.count > 1 else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisePlan:
    """Variation of the service times of a resource: log-deviations, or exponential requests."""

    run_sd: float = 0.0
    request_sd: float = 0.0
    exponential: bool = False
    """Single requests are exponentially distributed, even in runs without a seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartPlan:
    """A resource in one direction, with an instance on each member of a group.

    ``kind`` is the name of a folder of ``simulator/kinds/parts``. It uses the service of one
    request (``service``, ``writes``), or a specification of its own (``spec``).
    """

    name: str
    """The resource's name in the machine file."""
    kind: str
    way: str = ""
    """Direction: ``in`` and ``out``, or ``read`` and ``write``, of a resource that serves both at
    once, each with servers of its own; empty for a resource with one direction at a time."""
    group: int
    first: int
    """Number of its first instance; the others follow."""
    count: int
    """Number of instances, one for each member of its group."""
    servers: int = 1
    """Identical servers of one instance, with one queue."""
    service: ServiceSpec = field(default_factory=lambda: ServiceSpec(float("inf")))
    latency_ns: int = 0
    """Port of a network of packets: time from the begin of a message there until its first byte
    is at the next resource of the stage. The port is busy for the service only."""
    writes: ServiceSpec | None = None
    """Service of writes, if it differs; ``service`` then is that of reads. Of a disk it replaces
    the overhead and rate of its ``spec``."""
    cores: int = 0
    """Cpu: tasks of one node that run at full speed together; 0: unlimited."""
    spec: Any = None
    """Specification of a kind that has its own."""
    speeds: tuple[int, ...] = ()
    """Shared: total speed of n concurrent transfers, in 2**-20 of ``service.rate``; the last value
    also holds for more. Empty: always the full rate."""
    write_speeds: tuple[int, ...] = ()
    """Shared, with ``writes``: the total speed of concurrent writes, in 2**-20 of
    ``writes.rate``."""
    noise: NoisePlan = NoisePlan()
    column: int = 0
    """Its account category."""
    stream: str = ""
    """Name of the random stream of an instance, with ``{i}`` for its number in the group."""

    def service_of(self, *, writes: bool) -> ServiceSpec:
        """Return the service of writes or reads."""
        return self.writes if writes and self.writes is not None else self.service

    @property
    def instances(self) -> range:
        """The numbers of its instances."""
        return range(self.first, self.first + self.count)

    @property
    def at_once(self) -> int:
        """Number of tasks of an instance that run at full speed at one time."""
        return self.cores or self.servers

    @property
    def label(self) -> str:
        """The resource's name with its direction."""
        return f"{self.name}.{self.way}" if self.way else self.name

    @property
    def traits(self) -> type[PartTraits]:
        """Properties of its kind, for callers that are independent of the kind."""
        return traits_of(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePlan:
    """A store of blocks, with an instance on each member of a group.

    Sizes are in blocks, except ``block``. ``policy`` is the name of a replacement policy.
    """

    name: str
    group: int
    first: int
    count: int
    slots: int
    """Capacity in blocks."""
    block: int
    """Bytes of a block."""
    extent: int = 1
    """Maximum number of blocks per transfer; extents begin at multiples of it."""
    policy: str = "lru"
    back: bool = True
    """True for write-back; false for write-through to the tier below."""
    dirty_limit: int = -1
    """Dirty blocks at which writers wait."""
    quota: int = -1
    """Maximum of written blocks of one file."""
    release: str = "none"
    """Written blocks beyond the quota that are evicted once they are clean: none, whole, full."""
    triggers: frozenset[str] = frozenset()
    """Events that start write-back: mark, eager, full, close, rewrite."""
    high: int = 0
    """High watermark: dirty blocks above which the ``mark`` trigger starts write-back."""
    low: int = 0
    """Low watermark: dirty blocks at which it stops."""
    workers: int = 0
    """Concurrent write-backs of one instance."""
    expire_ns: int = -1
    """Age at which a dirty block is written back; -1: no limit."""
    interval_ns: int = 1
    """Interval at which the flusher looks for such blocks."""
    slow_ns: int = 0
    """Write-back time of a block, by which writers are throttled; 0: they are not."""
    span: int = 1
    """Blocks written back in eight seconds: distance above the setpoint at which writers stop."""
    elastic: bool = False
    """Memory that processes of its node hold is taken from its capacity."""
    ahead: int = 0
    """Blocks of read-ahead for a sequential reader."""
    first_worker: int = -1
    """Actor number of the first worker of the first instance; the others follow."""
    cache_column: int = 0
    """Account category: waiting for a block that another actor fetches."""
    writeback_column: int = 0
    """Account category: waiting for write-back."""

    @property
    def flushers(self) -> int:
        """Number of flusher actors of an instance, which look for old dirty blocks: one or none."""
        return int(self.expire_ns >= 0)

    @property
    def actors(self) -> int:
        """Number of actors: workers of all instances, and their flushers."""
        return (self.workers + self.flushers) * self.count


@dataclass(frozen=True, slots=True, kw_only=True)
class BuffersPlan:
    """A buffer cache in front of RAID units, whose times are known when a request is made."""

    name: str
    group: int
    slots: int
    block: int
    ahead: int
    raid: int
    """Row of the RAID unit's resource."""
    column: int
    """Account category: waiting for blocks."""
    blocks: tuple[int, ...] = ()
    """Blocks of all files on each member."""
    stored: tuple[tuple[int, int, int], ...] = ()
    """Blocks that are on disk before the run: (member, first block, number of blocks)."""
    request_ns: int = 0
    """Time of the node's processor per request."""
    piece_ns: int = 0
    """Time of the node's processor per fragment of a request."""
    copy: ServiceSpec = field(default_factory=lambda: ServiceSpec(float("inf")))
    """Time of the node's processor for copying data."""
