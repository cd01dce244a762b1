"""A workload file, ``workload/2``: files, and jobs of processes that use them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from simulator.config.errors import Fault
from simulator.config.jobs import Job
from simulator.config.layouts import Layouts
from simulator.config.quantities import Flag, Name, Size
from simulator.config.section import FULL, Called, Section
from simulator.config.sources import Document
from simulator.config.workload_names import workload_faults


class File(Section):
    """A file that jobs use."""

    size: Size
    """Its size when it is complete."""
    filesystem: Name | None = None
    """Where it is, by name; the machine's first file system if left out."""
    path: Name | None = None
    """How it is reached, by the name of a path of the file system, where no job says."""
    exists: Flag = False
    """It is there before the first job starts."""
    prestage: Flag = False
    """It is in the stores before the first job starts; it must exist."""
    shared: Flag = False
    """All processes use this one file; otherwise each has one of its own."""
    layout: Layouts | None = None
    """How it is striped over the I/O nodes of its file system, region by region; as other files
    there if left out."""


class Workload(Document):
    """What a machine is asked to do."""

    format: Annotated[Literal["workload/2"], Called("workload-2", sourced=False)]
    files: dict[str, File] = {}
    """The files, by name."""
    jobs: Annotated[tuple[Job, ...], FULL]
    """The jobs, in any order; they run beside each other."""

    def faults(self) -> Iterator[Fault]:
        """Find what no single value shows: wrong names, and phases that cannot be done."""
        yield from workload_faults(self)
