"""The plan of parallel input and output: tables of steps, requests and extents, nothing to look up.

Threads, nodes and rows are numbered from 0. A thread is a process, or what goes on with an
asynchronous call of one. Both engines take this; neither knows an interface of MPI-IO.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.machine.raid import RaidSpec
from simulator.machine.station import ServiceSpec
from simulator.runtime.iosteps import ExtentRows, Groups, Requests, Steps, Thread


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
    copied: int = 0
    """Bytes that libraries and such servers copy besides."""
    seed: int = 0
    digest: str = ""

    @property
    def processes(self) -> tuple[Thread, ...]:
        """The threads that are processes of the program."""
        return tuple(thread for thread in self.threads if thread.start_ns >= 0)
