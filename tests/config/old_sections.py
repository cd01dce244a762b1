"""The old formats ``machine/1`` and ``workload/1``: their keys, for reading them one last time.

Nothing is checked here but keys and the form of values: what does not fit each other is found in
the new file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from simulator.config.errors import Fault, Plain, did_you_mean
from simulator.config.load import Kind
from simulator.config.quantities import (
    Count,
    CountOrNone,
    Flag,
    Name,
    Percent,
    Rate,
    Size,
    Time,
    words,
)
from simulator.config.record import RecordSize
from simulator.config.runtime import Policy
from simulator.config.section import FULL, ByWord, Called, Section
from simulator.config.sources import Document
from simulator.units import Bytes, Nanoseconds, shown

NO_TIME = Nanoseconds(0)
_STARTS = ("mark", "eager", "close", "rewrite")
_PATHS = ("scfs", "nfs", "svio")


class Pe(Section):
    """Processing elements."""

    small: Count
    small_memory: Size
    large: CountOrNone = 0
    large_memory: Size | None = None
    control: CountOrNone = 0
    copy_rate: Rate
    record_overhead: Time
    call_overhead: Time


class Fortran(Section):
    """The Fortran runtime."""

    policy: Policy = "nwt"
    buffer: Size = Bytes(600_000)
    turn_overhead: Time = NO_TIME


class Crossbar(Section):
    """The network between PEs, SSU and front end."""

    port_rate: Rate
    latency: Time


class Writeback(Section):
    """When units go from the SSU to the disk."""

    start: Annotated[
        tuple[Literal["mark", "eager", "close", "rewrite"], ...], words("starts", *_STARTS)
    ]
    workers: Count
    high_mark: Percent
    low_mark: Percent


class Ssu(Section):
    """The system storage unit."""

    unit: Size
    capacity: Size
    channels: Count
    ports: Count = 1
    read_rate: Rate
    write_rate: Rate
    request_overhead: Time
    share: Size | None = None
    release: Annotated[Literal["none", "whole", "full"], Called("release")]
    writeback: Writeback


class Lan(Section):
    """The network that NFS uses."""

    rate: Rate
    latency: Time
    sharing: Annotated[Literal["fifo", "fair"], Called("sharing")]


class Nfs(Section):
    """The network file system."""

    rpc_size: Size
    server_overhead: Time


class Frontend(Section):
    """The front end between SSU and disks."""

    paths: Count
    path_rate: Rate
    path_overhead: Time


class Array(Section):
    """Disk arrays, each seen as one disk."""

    kind: Literal["array"]
    count: Count
    capacity: Size
    rate: Rate
    overhead: Time = NO_TIME
    seek: Time = NO_TIME
    turn: Time = NO_TIME


class Disk(Array):
    """Single disks."""

    kind: Literal["disk"]  # type: ignore[assignment]
    track_seek: Time | None = None
    full_seek: Time | None = None
    rotation: Annotated[Literal["mean", "drawn"], Called("rotation")] = "mean"


class Tape(Section):
    """Tape drives."""

    kind: Literal["tape"]
    count: Count
    rate: Rate
    mount: Time
    overhead: Time = NO_TIME


Storage = Annotated[Disk | Array | Tape, ByWord("kind")]


class Filesystem(Section):
    """Where files are."""

    storage: Name
    stripes: Count


class Deviation(Section):
    """How much service times vary."""

    run: Percent = 0.0
    request: Percent = 0.0


class Noise(Section):
    """The variation of all service times."""

    pe: Deviation = Deviation()
    crossbar: Deviation = Deviation()
    ssu: Deviation = Deviation()
    lan: Deviation = Deviation()
    frontend: Deviation = Deviation()
    storage: Deviation = Deviation()


class OldMachine(Document):
    """A machine in ``machine/1``."""

    format: Annotated[Literal["machine/1"], Called("format", sourced=False)]
    pe: Pe
    fortran: Fortran = Fortran()
    crossbar: Crossbar
    ssu: Ssu | None = None
    lan: Lan | None = None
    nfs: Nfs | None = None
    frontend: Frontend
    storage: Annotated[dict[str, Storage], FULL]
    filesystems: Annotated[dict[str, Filesystem], FULL]
    noise: Noise = Noise()


AccessPath = Annotated[Literal["scfs", "nfs", "svio"], Called("path")]


class File(Section):
    """A file."""

    size: Size
    filesystem: Name | None = None
    exists: Flag = False
    prestage: Flag = False
    shared: Flag = False


class Transfer(Section):
    """A phase that reads or writes."""

    do: Literal["read", "write"]
    file: Name
    size: Size | None = None
    record: RecordSize | None = None
    buffer: Size | None = None
    policy: Policy | None = None
    path: AccessPath | None = None


class Compute(Section):
    """A phase that computes."""

    do: Literal["compute"]
    time: Time


class Job(Section):
    """Identical jobs."""

    name: Name
    count: Count = 1
    pes: Count = 1
    start: Time = NO_TIME
    record: RecordSize | None = None
    buffer: Size | None = None
    policy: Policy | None = None
    path: AccessPath = "scfs"
    repeat: Count = 1
    phases: Annotated[tuple[Annotated[Transfer | Compute, ByWord("do")], ...], FULL]


class TracedCalls(Section):
    """Listed calls."""

    calls: Name
    path: AccessPath = "scfs"
    filesystem: Name | None = None
    prestage: Flag = False
    think: Percent = 1.0
    buffer: Size | None = None


class OldWorkload(Document):
    """A workload in ``workload/1``."""

    format: Annotated[Literal["workload/1"], Called("workload-format", sourced=False)]
    files: dict[str, File] = {}
    jobs: Annotated[tuple[Job, ...], FULL] = ()
    traced: TracedCalls | None = None


def _on_no_storage(machine: Plain) -> Iterator[Fault]:
    storage = machine.get("storage") or {}
    for name, system in (machine.get("filesystems") or {}).items():
        wanted = system.get("storage") if isinstance(system, dict) else None
        if isinstance(wanted, str) and wanted not in storage:
            about = f"{shown(wanted)} is not in storage; {did_you_mean(wanted, storage)}"
            yield ("filesystems", name, "storage"), about


MACHINE = Kind("machine", OldMachine, _on_no_storage)
WORKLOAD = Kind("workload", OldWorkload)
