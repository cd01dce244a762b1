"""Needs of phases of MPI-IO and of services, and of layouts of files, that a machine must meet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.config.caches import MOST_BLOCKS
from simulator.config.errors import Fault, Path
from simulator.config.events import event_faults
from simulator.config.machine_file import Machine
from simulator.config.phase import nodes_of_jobs, phases_on
from simulator.config.restart import restart_misfits
from simulator.config.workload_file import File, Job, Workload, node_faults
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.config.lowering.ionodes import IoWay

MOST_TOGETHER = 1024
"""Processes of one collective call: each may send to each."""


def misfits(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find layouts, jobs and phases that need what the machine does not have."""
    yield from _layouts(machine, workload)
    yield from event_faults(workload.events, machine)
    owners: dict[tuple[int, int], str] = {}
    for index, (job, place) in enumerate(nodes_of_jobs(machine, workload)):
        at: Path = ("jobs", index)
        name = machine.tables.groups[place.group].name
        yield from (((*at, *path), about) for path, about in restart_misfits(machine, job))
        makers = (one for one in machine.services.values() if one.creates)
        if job.launched and not any(one.at == name for one in makers):
            about = f"no process server is on {name} in {machine.name}, to make processes"
            yield (*at, "launched"), f"{about}; leave it out, or write one in services"
        if machine.tables.processor(place.group) >= 0 and job.computes:
            yield from _alone(job, place.members, place.group, (*at, "processes"), owners)
    for spot, phase in phases_on(machine, workload):
        for path, about in phase.misfits(spot):
            yield spot.where(*path), about


def _layouts(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find layouts that the file system of their file does not know."""
    for name, file in workload.files.items():
        if file.layout is None:
            continue
        system, path = machine.way(file)
        way = machine.ways.block(system, path, 0).io
        of_layout: Path = ("files", name, "layout")
        if way is None:
            about = f"{system} has no I/O nodes, over which files are laid out; leave it out"
            yield of_layout, about
            continue
        nodes = machine.tables.devices(way.cache)
        for where, about in node_faults(file.layout, nodes, system):
            yield (*of_layout, *where), about


def _alone(
    job: Job, members: list[int], group: int, at: Path, owners: dict[tuple[int, int], str]
) -> Iterator[Fault]:
    """Find a second process on a node whose processor servers share with one."""
    for member in members:
        owner = owners.setdefault((group, member), job.name)
        if owner != job.name or members.count(member) > 1:
            about = f"node {member} has a process of {owner} that computes, and its processor is"
            yield at, f"{about} for one; write fewer processes, or another 'first_node'"
            return


def too_much(machine: Machine, file: File, way: IoWay) -> list[Fault]:
    """Find files of too many blocks, and data that would be cut into too many parts."""
    blocks = file.size // machine.buffer_caches[way.cache].block
    if blocks > MOST_BLOCKS:
        about = f"has {blocks:,} blocks of {way.cache}, more than {MOST_BLOCKS:,}"
        return [(("file",), f"{about}; write a smaller file, or larger blocks")]
    library = machine.mpi_io
    stripes: list[int] = [one.stripe for one in file.layout or ()]
    stripes = stripes or [way.stripe or file.size]
    least = min(*stripes, library.transfer_buffer, library.sieve_buffer, library.collective_buffer)
    if file.size // least > MOST_BLOCKS:
        about = f"is cut into more than {MOST_BLOCKS:,} parts of {format_size(least)}"
        return [(("file",), f"{about}; write a smaller file, or larger stripes and buffers")]
    return []
