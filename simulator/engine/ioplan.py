"""The plan of parallel input and output: tables of steps, requests and extents, nothing to look up.

Threads, nodes and rows are numbered from 0. A thread is a process, or what goes on with an
asynchronous call of one. Both engines take this; neither knows an interface of MPI-IO.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.machine.raid import RaidSpec
from simulator.machine.station import ServiceSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class IoMachine:
    """Nodes on a crossbar, each an I/O node with a RAID unit; times ns, sizes bytes."""

    name: str
    nodes: int
    port: ServiceSpec
    header: int
    """Bytes of a message beside its data."""
    request_ns: int
    """An I/O node's processor: one request,"""
    piece_ns: int
    """each of its pieces,"""
    copy: ServiceSpec
    """and copying between buffer cache and transfer buffer."""
    servers: int
    """Requests that an I/O node works on at one time."""
    cache_slots: int
    block: int
    """Bytes of a block of the buffer cache."""
    ahead: int
    """Blocks that are read ahead."""
    raid: RaidSpec


@dataclass(slots=True)
class Steps:
    """What the threads do, a row each; those of a thread stand together."""

    kind: array[int]
    think: array[int]
    """Time of the thread before it; ns."""
    part: array[int]
    """What that time counts as."""
    first: array[int]
    """Read and write: the first request. Send: the thread that gets it. Start, wait: the thread."""
    count: array[int]
    """Read and write: how many requests. Send: bytes."""


@dataclass(slots=True)
class Requests:
    """What threads ask I/O nodes for, a row each; a thread asks a node for one thing at a time."""

    node: array[int]
    size: array[int]
    """Bytes of data."""
    message: array[int]
    """Bytes of the message that asks, without header and data."""
    pieces: array[int]
    group: array[int]
    """The merged request that it is a part of; -1 if it stands alone."""
    first: array[int]
    """Its extents, if it stands alone."""
    count: array[int]


@dataclass(slots=True)
class Groups:
    """Requests of several threads that an I/O node merges, once all of them are there."""

    members: array[int]
    size: array[int]
    more: array[int]
    """Further time of the node's processor; ns."""
    first: array[int]
    count: array[int]


@dataclass(slots=True)
class ExtentRows:
    """Bytes ``low`` to ``high`` of a block of a sub-file."""

    block: array[int]
    low: array[int]
    high: array[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A process, or an asynchronous call of one."""

    name: str
    node: int
    start_ns: int
    """When it begins; -1: when it is started."""
    first: int
    """Its steps."""
    count: int
    calls: int
    """System calls that it makes."""
    read: int = 0
    """Bytes that its program asked for,"""
    written: int = 0
    """and gave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IoPlan:
    """Everything that an engine needs for one run."""

    machine: IoMachine
    workload: str
    threads: tuple[Thread, ...]
    steps: Steps
    requests: Requests
    groups: Groups
    extents: ExtentRows
    blocks: tuple[int, ...]
    """Blocks of each node's sub-file."""
    stored: bool
    """Whether the file is on disk before the run."""
    memory: Mapping[str, int] = field(default_factory=dict)
    """Bytes that buffers take, by whose they are."""
    server_calls: int = 0
    """System calls of servers that are programs themselves."""
    seed: int = 0
    digest: str = ""

    @property
    def processes(self) -> tuple[Thread, ...]:
        """The threads that are processes of the program."""
        return tuple(thread for thread in self.threads if thread.start_ns >= 0)
