"""The sections of a workload file: which jobs read and write which files, and how.

Sizes are bytes, times nanoseconds. What a job does not say about the Fortran runtime (buffer,
policy) is the machine's; what a phase does not say is its job's.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simulator.config.document import Document
from simulator.config.machine import Policy
from simulator.config.quantities import Count, FileName, Flag, Name, Size, Text, Time, word
from simulator.config.record import RecordSize
from simulator.config.section import Section
from simulator.units import Nanoseconds

AccessPath = Annotated[Literal["scfs", "nfs", "svio"], word("path", "scfs", "nfs", "svio")]
"""How file operations reach the file: through the SSU's cache, by NFS over the LAN, or (printed
output only) into the SSU's SVO area."""


class File(Section):
    """A file that jobs read or write."""

    size: Size
    """Its size when it is complete."""
    filesystem: Name | None = None
    """Where it is, by name; the machine's first file system if left out."""
    exists: Flag = False
    """It is there before the first job starts."""
    prestage: Flag = False
    """It is in the SSU before the first job starts; it must exist."""
    shared: Flag = False
    """All jobs use this one file; otherwise each identical job has one of its own."""


class Transfer(Section):
    """A phase that reads or writes a file from its beginning."""

    do: Literal["read", "write"]
    """What the phase does."""
    file: Name
    """The file, by its name in ``files``."""
    size: Size | None = None
    """How much of it; all of it if left out."""
    record: RecordSize | None = None
    """As in the job, for this phase only."""
    buffer: Size | None = None
    """As in the job, for this phase only."""
    policy: Policy | None = None
    """As in the job, for this phase only."""
    path: AccessPath | None = None
    """As in the job, for this phase only."""


class Compute(Section):
    """A phase without input or output."""

    do: Literal["compute"]
    """What the phase does."""
    time: Time
    """How long."""


Phase = Annotated[Transfer | Compute, Field(discriminator="do")]


class Job(Section):
    """Identical jobs that start together."""

    name: Name
    """What reports call it; each job has another."""
    count: Count = 1
    """Identical jobs."""
    pes: Count = 1
    """PEs of one job; the first does its input and output for all."""
    start: Time = Nanoseconds(0)
    """When it starts."""
    record: RecordSize | None = None
    """Bytes of user data in one READ or WRITE; needed by phases that read or write."""
    buffer: Size | None = None
    """The Fortran buffer of each file; the machine's if left out."""
    policy: Policy | None = None
    """How record lengths are written; the machine's if left out."""
    path: AccessPath = "scfs"
    """How the files are reached."""
    repeat: Count = 1
    """How often the phases are gone through."""
    phases: Annotated[tuple[Phase, ...], Field(min_length=1)]
    """What the job does, one after the other."""


class Workload(Document):
    """What a machine is asked to do."""

    format: Annotated[Literal["workload/1"], word("workload-format", "workload/1", sourced=False)]
    """The version of this file format."""
    name: FileName
    """Short name, used in the names of results."""
    title: Text = ""
    """What people call it."""
    references: dict[str, Text] = {}
    """The literature that sources name, by key."""
    files: dict[str, File] = {}
    """The files, by name."""
    jobs: Annotated[tuple[Job, ...], Field(min_length=1)]
    """The jobs, in any order."""
