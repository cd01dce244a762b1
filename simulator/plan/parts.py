"""The parts of a machine: groups of nodes, and the instances of each part on them."""

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
    """Variation of the service times of a part: log-deviations, or exponential requests."""

    run_sd: float = 0.0
    request_sd: float = 0.0
    exponential: bool = False
    """Single requests are exponentially distributed, in runs without a seed too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartPlan:
    """A part in one direction, with an instance on each member of a group.

    ``kind`` is the name of a folder of ``simulator/kinds/parts``, which says what counts: the
    service of one request (``service``, ``writes``), or a specification of its own (``spec``).
    """

    name: str
    """The part's name in the machine file."""
    kind: str
    way: str = ""
    """``in`` and ``out``, or ``read`` and ``write``, of a part that serves both at once, each with
    servers of its own; empty for a part with one direction at a time."""
    group: int
    first: int
    """The number of its first instance; the others follow."""
    count: int
    """Its instances, one for each member of its group."""
    servers: int = 1
    """Equal servers of one instance, with one queue."""
    service: ServiceSpec = field(default_factory=lambda: ServiceSpec(float("inf")))
    latency_ns: int = 0
    """Of a port of a network of packets: from when a message begins there until its first byte is
    at the next part of the stage. It keeps the port for its service only."""
    writes: ServiceSpec | None = None
    """The service of what writes it, if it is another; ``service`` is that of what reads it then.
    Of a disk it stands for the overhead and rate of its ``spec``."""
    cores: int = 0
    """Cpu: tasks of one node that go on at full speed together; 0: any number."""
    spec: Any = None
    """The specification of a kind that has one."""
    speeds: tuple[int, ...] = ()
    """Shared: what n transfers under way get together, in 2**-20 of ``service.rate``; the last
    holds for more. Empty: always all of it."""
    write_speeds: tuple[int, ...] = ()
    """Shared, with ``writes``: the same of transfers that write, in 2**-20 of ``writes.rate``."""
    noise: NoisePlan = NoisePlan()
    column: int = 0
    """Its column in accounts of time."""
    stream: str = ""
    """Name of the random stream of an instance, with ``{i}`` for its number in the group."""

    def service_of(self, *, writes: bool) -> ServiceSpec:
        """Return the service of what writes or reads the part."""
        return self.writes if writes and self.writes is not None else self.service

    @property
    def instances(self) -> range:
        """The numbers of its instances."""
        return range(self.first, self.first + self.count)

    @property
    def at_once(self) -> int:
        """The number of tasks of an instance that go on at full speed at one time."""
        return self.cores or self.servers

    @property
    def label(self) -> str:
        """The part's name with its direction."""
        return f"{self.name}.{self.way}" if self.way else self.name

    @property
    def traits(self) -> type[PartTraits]:
        """Properties of its kind, for callers that do not know it."""
        return traits_of(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePlan:
    """A store that keeps blocks, with an instance on each member of a group.

    Sizes are in blocks, but ``block``. ``policy`` is the name of a replacement policy.
    """

    name: str
    group: int
    first: int
    count: int
    slots: int
    """Blocks that fit."""
    block: int
    """Bytes of a block."""
    extent: int = 1
    """Blocks that are moved at one time, at most; extents begin at multiples of it."""
    policy: str = "lru"
    back: bool = True
    """Written data stay until they are written back; else writes go through to the tier below."""
    dirty_limit: int = -1
    """Dirty blocks at which writers wait."""
    quota: int = -1
    """Written blocks of one file."""
    release: str = "none"
    """Written blocks of a file past its quota that go once they are clean: none, whole, full."""
    triggers: frozenset[str] = frozenset()
    """Events that start a write-back: mark, eager, close, rewrite."""
    high: int = 0
    """Dirty blocks above which the ``mark`` trigger starts write-back,"""
    low: int = 0
    """and those at which it stops."""
    workers: int = 0
    """Write-backs at one time of one instance."""
    expire_ns: int = -1
    """After so long a dirty block is written back; -1: not for its age."""
    interval_ns: int = 1
    """At multiples of it the flusher looks for such blocks."""
    slow_ns: int = 0
    """In this time a block is written back; by it writers are slowed down. 0: they are not."""
    span: int = 1
    """Blocks written back in eight seconds: above the setpoint writers stop within so many."""
    elastic: bool = False
    """Memory that processes of its node hold is taken from its slots."""
    ahead: int = 0
    """Blocks that are read ahead of a sequential reader."""
    first_worker: int = -1
    """The actor that is the first worker of the first instance; the others follow."""
    cache_column: int = 0
    """Waiting for a block that another actor fetches."""
    writeback_column: int = 0
    """Waiting for a write-back."""

    @property
    def flushers(self) -> int:
        """The number of actors of an instance look for dirty blocks that are old: one or none."""
        return int(self.expire_ns >= 0)

    @property
    def actors(self) -> int:
        """Workers of all instances, and then their flushers."""
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
    """Row of the RAID unit's part."""
    column: int
    """Waiting for blocks."""
    blocks: tuple[int, ...] = ()
    """Blocks of all files on each member."""
    stored: tuple[tuple[int, int, int], ...] = ()
    """Blocks that are on disk before the run: (member, first block, number of blocks)."""
    request_ns: int = 0
    """Time of the node's processor for a request,"""
    piece_ns: int = 0
    """for each of its pieces,"""
    copy: ServiceSpec = field(default_factory=lambda: ServiceSpec(float("inf")))
    """and for copying its data."""
