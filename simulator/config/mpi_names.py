"""What phases of MPI-IO must agree on: with their files, their job, and the machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.config.caches import MOST_BLOCKS
from simulator.config.errors import Fault, Path
from simulator.config.jobs import Job
from simulator.config.layouts import node_faults
from simulator.config.mpi_phases import AUTO, METHODS, MOST_PIECES, MpiTransfer, Wait
from simulator.config.phases import Sync, Transfer
from simulator.units import format_size, shown

if TYPE_CHECKING:
    from simulator.config.lowering.ionodes import IoWay
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import File, Workload

PLAIN = ("seek", "offset", "sieving", "two-phase")
"""Methods that need no I/O nodes."""
MOST_TOGETHER = 1024
"""Processes of one collective call: each may send to each."""


def mpi_faults(job: Job, phase: MpiTransfer, file: File, written: int) -> Iterator[Fault]:
    """Find arrays that are not whole rows of their file, and methods of another access.

    ``written`` is 0 if nothing that a read could get is in the file.
    """
    ranks = job.ranks
    if not file.shared:
        about = "all processes have views of one file; write 'shared: true'"
        yield ("file",), f"{about} in files.{phase.file}"
    if not written:
        about = f"{shown(phase.file)} neither exists nor is written before; write 'exists: true'"
        yield ("file",), f"{about} in files.{phase.file}, or a phase that writes it"
    offered = METHODS[phase.access]
    if phase.method != AUTO and phase.method not in offered:
        about = f"{phase.method!r} is no method of {phase.access} access"
        yield ("method",), f"{about}; write {', '.join(offered)}"
    row = phase.row(ranks)
    if phase.gap(ranks) < 0:
        about = f"{format_size(phase.stride or 0)} is less than the blocks of {ranks} processes"
        yield ("stride",), f"{about}; write {format_size(row)} or more"
        return
    yield from _rows(phase, ranks, file.size)


def _rows(phase: MpiTransfer, ranks: int, size: int) -> Iterator[Fault]:
    """Find arrays that are not whole rows, or do not fit in their file."""
    row, rows = phase.row(ranks), phase.rows(ranks, size)
    each = f"rows of {format_size(row)} ({ranks} blocks of {format_size(phase.block)})"
    if phase.size is not None and phase.size % row:
        whole = format_size(max(1, rows) * row)
        about = f"{format_size(phase.size)} is not a whole number of {each}"
        yield ("size",), f"{about}; write it like {whole!r}"
    elif not rows:
        yield ("block",), f"a file of {format_size(size)} has no {each}; write a smaller one"
    elif (extent := phase.extent(ranks, rows)) > size:
        about = f"ends at {format_size(extent)} of a file of {format_size(size)}"
        yield ("size",), f"{about}; write less"
    elif phase.size is None and extent != size:
        about = f"{format_size(size)} in the file is not a whole number of {each}"
        yield ("block",), f"{about}; write 'size: {format_size(rows * row)}' for what is"
    elif rows * ranks > MOST_PIECES:
        about = f"makes {rows * ranks:,} blocks; write a larger one: at most {MOST_PIECES:,} blocks"
        yield ("block",), about


def call_faults(job: Job) -> Iterator[Fault]:
    """Find nonblocking calls that are never waited for, and waits for none."""
    under_way: list[Path] = []
    for at, phase in job.every_phase():
        if isinstance(phase, MpiTransfer) and phase.nonblocking:
            under_way.append(at)
            if job.repeat > 1:
                about = "a nonblocking call cannot be repeated; write 'repeat: 1' in the job"
                yield (*at, "nonblocking"), f"{about}, or the phases as often"
            elif len(at) > 2:
                about = "a nonblocking call cannot be repeated; write it outside the loop"
                yield (*at, "nonblocking"), f"{about}, or the phases as often"
        elif isinstance(phase, Wait):
            if not under_way:
                about = "no nonblocking call is under way here; leave it out"
                yield (*at, "do"), about
            elif len(at) > 2:
                about = "waits in a loop for a call before it; write it outside the loop"
                yield (*at, "do"), about
            under_way.clear()
    for at in under_way:
        about = "is not waited for; write '{do: wait}' after it"
        yield (*at, "nonblocking"), about


# -- with the machine --------------------------------------------------------------------------


def mpi_misfits(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find phases and layouts that the file system of their file does not know."""
    for name, file in workload.files.items():
        if file.layout is None:
            continue
        system, way = _way(machine, file)
        of_layout: Path = ("files", name, "layout")
        if way is None:
            about = f"{system} has no I/O nodes, over which files are laid out; leave it out"
            yield of_layout, about
            continue
        for path, about in node_faults(file.layout, _nodes(machine, way), system):
            yield (*of_layout, *path), about
    for index, job in enumerate(workload.jobs):
        for at, phase in job.every_phase():
            if phase.uses is not None:
                for path, about in _phase(machine, job, phase, workload.files[phase.uses]):
                    yield ("jobs", index, *at, *path), about


def _phase(machine: Machine, job: Job, phase: object, file: File) -> Iterator[Fault]:
    system, way = _way(machine, file, job, phase)
    if isinstance(phase, MpiTransfer):
        if way is None:
            yield from _plain(job, phase, system)
            return
        yield from _features(machine, phase, system)
        yield from _too_much(machine, job, phase, file, way)
    elif way is not None and isinstance(phase, Sync) and file.layout is not None:
        about = "a file with a layout of its own is not synced"
        yield ("do",), f"{about}; leave it out, or the file's layout"
    elif way is not None and isinstance(phase, Transfer) and file.layout is not None:
        policy = phase.policy or job.policy or machine.runtime.policy
        if policy != "posix":
            about = f"{policy} does not write to a file with a layout of its own"
            yield ("file",), f"{about}; write 'policy: posix', or leave the file's layout out"
        yield from _too_much(machine, job, phase, file, way)


def _plain(job: Job, phase: MpiTransfer, system: str) -> Iterator[Fault]:
    """Find methods that need I/O nodes, and processes that cannot exchange what they have read."""
    if phase.method not in (AUTO, *PLAIN):
        about = f"{system} has no I/O nodes, which {phase.method} needs"
        yield ("method",), f"{about}; write auto, or {', '.join(PLAIN)}"
    if phase.access == "collective":
        yield from _together(job)


def _together(job: Job) -> Iterator[Fault]:
    if job.ranks > MOST_TOGETHER:
        about = f"{job.ranks:,} processes call together; write at most {MOST_TOGETHER}"
        yield ("access",), about


def _too_much(
    machine: Machine, job: Job, phase: MpiTransfer | Transfer, file: File, way: IoWay
) -> Iterator[Fault]:
    """Find files of too many blocks, and data that would be cut into too many parts."""
    blocks = file.size // machine.buffer_caches[way.cache].block
    if blocks > MOST_BLOCKS:
        about = f"has {blocks:,} blocks of {way.cache}, more than {MOST_BLOCKS:,}"
        yield ("file",), f"{about}; write a smaller file, or larger blocks"
        return
    library = machine.mpi_io
    stripes: list[int] = [one.stripe for one in file.layout or ()]
    stripes = stripes or [way.stripe or file.size]
    least = min(*stripes, library.transfer_buffer, library.sieve_buffer, library.collective_buffer)
    if file.size // least > MOST_BLOCKS:
        about = f"is cut into more than {MOST_BLOCKS:,} parts of {format_size(least)}"
        yield ("file",), f"{about}; write a smaller file, or larger stripes and buffers"
    elif isinstance(phase, MpiTransfer) and phase.access == "collective":
        yield from _together(job)


def _features(machine: Machine, phase: MpiTransfer, system: str) -> Iterator[Fault]:
    """Find methods that the file system does not offer."""
    offers = machine.mpi_io
    lacking = {
        "stride": not offers.stride_io and "stride_io",
        "list": not offers.list_io and "list_io",
        "disk-directed": not offers.disk_directed and "disk_directed",
    }.get(phase.method)
    if lacking:
        about = f"{system} of {machine.name} does not offer it (runtime.mpi_io.{lacking})"
        yield ("method",), f"{about}; write auto"


def _way(
    machine: Machine, file: File, job: Job | None = None, phase: object = None
) -> tuple[str, IoWay | None]:
    """Return the file system of a file, and its way to I/O nodes if it has one."""
    system = machine.system(file.filesystem)
    path = getattr(phase, "path", None) or (job and job.path) or file.path
    return system, _way_of(machine, system, path)


def _way_of(machine: Machine, system: str, path: str | None) -> IoWay | None:
    ways = machine.filesystems[system].ways() if system else {}
    way = path if path in ways else next(iter(ways), None)
    return None if way is None else machine.ways.block(system, way, 0).io


def _nodes(machine: Machine, way: IoWay) -> int:
    return machine.tables.groups[machine.tables.group_of[machine.buffer_caches[way.cache].at]].count
