"""The sections of a machine file.

Sizes are bytes, times nanoseconds, rates bytes per second, percentages fractions of 1. Sections
say what a machine is, not how it behaves: the parts in ``simulator/machine`` do that.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from simulator.config.document import Document
from simulator.config.quantities import (
    Count,
    CountOrNone,
    FileName,
    Name,
    Percent,
    Rate,
    Size,
    Text,
    Time,
    word,
)
from simulator.config.section import Section
from simulator.config.stores import Ssu, Storage
from simulator.units import Bytes, Nanoseconds

Policy = Annotated[
    Literal["nwt", "nwt-predicted", "gfortran", "flang", "posix"],
    word("policy", "nwt", "nwt-predicted", "gfortran", "flang", "posix"),
]
"""How the Fortran runtime writes the length in front of a record; posix: no Fortran, no length."""

Sharing = Annotated[Literal["fifo", "fair"], word("sharing", "fifo", "fair")]
"""First come, first served; or all at once, each with its part of the rate."""


class Pe(Section):
    """The processing elements, and what a call of the I/O library costs on one."""

    small: Count
    """PEs with the usual memory."""
    small_memory: Size
    """Memory of one of these."""
    large: CountOrNone = 0
    """PEs with more memory."""
    large_memory: Size | None = Field(default=None, validate_default=True)
    """Memory of one of these; needed if there are any."""
    control: CountOrNone = 0
    """PEs of the system, which run no jobs."""
    copy_rate: Rate
    """Rate of copying between user data and a buffer."""
    record_overhead: Time
    """CPU time of one READ or WRITE statement."""
    call_overhead: Time
    """CPU time of one system call."""

    @field_validator("large_memory")
    @classmethod
    def _large_pes_have_memory(cls, memory: Bytes | None, info: ValidationInfo) -> Bytes | None:
        if memory is None and info.data.get("large", 0) > 0:
            raise ValueError("is missing although there are large PEs; write it like '1 GB'")
        return memory


class Fortran(Section):
    """The Fortran runtime, where a workload does not say otherwise."""

    policy: Policy = "nwt"
    """How the length in front of a record is written."""
    buffer: Size = Bytes(600_000)
    """Size of the buffer of one file."""
    turn_overhead: Time = Nanoseconds(0)
    """Overhead of one flush or refill of a buffer."""


class Crossbar(Section):
    """The network between PEs, SSU and front end; a port serves first come, first served."""

    port_rate: Rate
    """Rate of one port, each way."""
    latency: Time
    """Time from the last byte out of one port to the first into another."""


class Lan(Section):
    """The network that NFS uses instead of the crossbar."""

    rate: Rate
    """Its rate."""
    latency: Time
    """Time one message takes beside its transfer."""
    sharing: Sharing
    """Whether messages queue, or share the rate."""


class Nfs(Section):
    """The network file system on the LAN."""

    rpc_size: Size
    """Bytes read or written by one call."""
    server_overhead: Time
    """Time the server needs for one call."""


class Frontend(Section):
    """The front-end processor between SSU and disks."""

    paths: Count
    """Transfers at one time."""
    path_rate: Rate
    """Rate of one of them."""
    path_overhead: Time
    """Time of one transfer in addition to that of its bytes."""


class Filesystem(Section):
    """A file system: where its files are, and over how many stripes."""

    storage: Name
    """The storage under it, by its name in ``storage``."""
    stripes: Count
    """Parts that a file is dealt out to; more than the volumes is usual."""


class Deviation(Section):
    """How much the service times of a part vary, as standard deviations."""

    run: Percent = 0.0
    """Of the factor that one run has for all its requests."""
    request: Percent = 0.0
    """Of the factor of each single request."""


class Noise(Section):
    """The variation of service times; none where it is left out."""

    pe: Deviation = Deviation()
    """Of the PEs."""
    crossbar: Deviation = Deviation()
    """Of the ports of the crossbar."""
    ssu: Deviation = Deviation()
    """Of the channels of the SSU."""
    lan: Deviation = Deviation()
    """Of the LAN."""
    frontend: Deviation = Deviation()
    """Of the transfers of the front end."""
    storage: Deviation = Deviation()
    """Of the volumes."""

    @property
    def is_none(self) -> bool:
        """Whether every service time is exactly what the model says."""
        return self == Noise()


class Machine(Document):
    """A whole machine."""

    format: Annotated[Literal["machine/1"], word("format", "machine/1", sourced=False)]
    """The version of this file format."""
    name: FileName
    """Short name, used in the names of results."""
    title: Text = ""
    """What people call it."""
    references: dict[str, Text] = {}
    """The literature that sources name, by key."""
    pe: Pe
    fortran: Fortran = Fortran()
    crossbar: Crossbar
    ssu: Ssu | None = None
    """None: the paths through it, SCFS and SVIO, cannot be used."""
    lan: Lan | None = None
    """None: the paths over it, NFS and SVIO, cannot be used."""
    nfs: Nfs | None = None
    """None: likewise."""
    frontend: Frontend
    storage: Annotated[dict[str, Storage], Field(min_length=1)]
    """The kinds of volumes, by name."""
    filesystems: Annotated[dict[str, Filesystem], Field(min_length=1)]
    """The file systems, by name; the first is that of files that name none."""
    noise: Noise = Noise()
