"""Warnings about valid but suspicious input: files that do not fit, copies twice, lockstep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from simulator.config.batches import queue_doubts
from simulator.config.errors import Fault, Problem, in_order
from simulator.config.lowering.block import end_of
from simulator.config.part import CPU, UNLIMITED
from simulator.config.phase import OnMachine, nodes_of_jobs, phases, phases_on
from simulator.config.restart import restart_doubts
from simulator.config.tier import WalkError
from simulator.plan.codes import STORE
from simulator.units import format_rate, format_size

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.part import Part
    from simulator.config.workload_file import Job, Workload

LOCKSTEP = (
    "identical processes move in lockstep when service times do not vary: the order in a queue is"
    " then always the same, which is a property of the model, not of the machine; start them"
    " at different times, or give the machine noise"
)


def find_doubts(machine: Machine, workload: Workload, *, noisy: bool) -> Iterator[Fault]:
    """Find phases that a run, with noise or without, carries out, but hardly as they were meant."""
    yield from _shared_nodes(machine, workload)
    yield from _room(machine, workload)
    yield from _parts_of_rows(machine, workload)
    yield from queue_doubts(machine, workload)
    for spot, phase in phases_on(machine, workload):
        for path, about in phase.doubts(spot):
            yield spot.where(*path), about
    for index, (job, place) in enumerate(nodes_of_jobs(machine, workload)):
        for path, about in restart_doubts(job, place):
            yield ("jobs", index, *path), about
        for kind in phases():
            for path, about in kind.doubts_of(job, machine):
                yield ("jobs", index, *path), about
    if not noisy or not any(part.variation.varies for part in machine.parts.values()):
        yield from _lockstep(workload)


COUNTS = 100
"""A cpu that copies so many times as fast as a memory adds nothing to speak of."""


def machine_doubts(machine: Machine) -> list[Problem]:
    """List warnings about a machine alone: memories beside which the cpu copies once more."""
    made = (machine.origin.problem(path, about) for path, about in _copied_twice(machine))
    return in_order(replace(one, severity="warning") for one in made)


def _copied_twice(machine: Machine) -> Iterator[Fault]:
    """Find cores that may be the memory, and do not say whether they copy what calls move."""
    found = {
        name: core
        for filesystem, system in machine.filesystems.items()
        for path in system.ways()
        for name, core in _silent_cores(machine, filesystem, path).items()
    }
    row = machine.tables.of_group(CPU, 0)
    cpu = machine.parts[machine.tables.parts[row].name] if row >= 0 else None
    for name, core in found.items():
        if core.copies_at < UNLIMITED and cpu and cpu.copies_at < COUNTS * core.copies_at:
            about = (
                f"what calls move is copied here, at {format_rate(core.copies_at)}, and by the cpu"
                f" again, at {format_rate(cpu.copies_at)}; write 'copies: true' if this is the"
                " memory, 'copies: false' if it does something else"
            )
            yield ("parts", name), about


def _silent_cores(machine: Machine, filesystem: str, path: str) -> dict[str, Part]:
    """Return the cores of a path that leave open whether they copy; none if another one does."""
    cores = machine.ways.cores(filesystem, path)
    if any(core.copies for core in cores.values()):
        return {}
    return {name: core for name, core in cores.items() if core.copies is None}


def free_messages(spot: OnMachine) -> Iterator[Fault]:
    """Find messages between nodes that nothing joins: they take no time on their way."""
    group = spot.place.group
    if len(set(spot.place.members)) > 1 and _is_free(spot.machine, group):
        name = spot.machine.tables.groups[group].name
        about = f"no network joins the nodes of {name}, so that messages take no time"
        yield (), f"{about}; write one in parts, like '{{kind: network, at: {name}}}'"


def _is_free(machine: Machine, group: int) -> bool:
    """Return whether messages in a group take no time; a wrong way is a mistake of its jobs."""
    try:
        return not machine.ways.between(group, group)
    except WalkError:
        return False


def _shared_nodes(machine: Machine, workload: Workload) -> Iterator[Fault]:
    for index, (job, place) in enumerate(nodes_of_jobs(machine, workload)):
        group = machine.tables.groups[place.group]
        if group.count == 1:  # Where else should they run?
            continue
        if place.shared and job.arrivals is None and job.calls is None:
            about = f"several processes run on one node, since {group.name} has {group.count}"
            yield ("jobs", index, "processes"), f"{about}; say so with 'per_node', or write fewer"


def _room(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find files that do not fit on the disks of their file system."""
    used: dict[str, int] = {}
    for name, file in workload.files.items():
        system = machine.system(file.filesystem)
        device, room = room_of(machine, system, machine.path(system))
        if room is None:
            continue
        copies = 1 if file.shared else sum(job.ranks for job in workload.jobs if _uses(job, name))
        before = used.get(device, 0)
        used[device] = before + max(1, copies) * file.size
        if before <= room < used[device]:
            about = f"all files together do not fit on the {format_size(room)} of {device}"
            yield ("files", name, "size"), f"{about}; write less"


def _parts_of_rows(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find new files that a store writes in parts of rows, of an array or a code with parity."""
    reported = set[tuple[str, str]]()
    for name, file in workload.files.items():
        block = machine.ways.block(*machine.way(file), 0)
        tiers = block.tiers[: end_of(block.tiers)]
        stores = [number for number, tier in enumerate(tiers) if tier.kind == STORE]
        if not stores or file.exists:
            continue
        part, of = machine.parts.get(block.device), block.device
        row = part.parity_row if part is not None else 0
        if code := next((tier for tier in tiers[stores[-1] :] if tier.parity), None):
            row, of = code.data * code.size, f"the code {code.data}+{code.parity}"
        store = machine.tables.stores[tiers[stores[-1]].row]
        extent = store.extent * store.block
        if not row or (store.name, of) in reported or extent % row == 0:
            continue
        reported.add((store.name, of))
        about = f"{store.name} moves {format_size(extent)} at one time, no whole number of rows of"
        about = f"{about} {of} ({format_size(row)}), so that what is written is read before"
        more = format_size(-(-extent // row) * row)
        yield ("files", name), f"{about} in part; write 'extent: {more}' in {store.name}"


def room_of(machine: Machine, system: str, path: str) -> tuple[str, int | None]:
    """Return the device behind a path of a file system, and its bytes; None if nothing says.

    With an erasure code these are the bytes of data.
    """
    block = machine.ways.block(system, path, 0)
    room = machine.parts[block.device].room
    if room is None:
        return block.device, None
    room *= machine.tables.groups[machine.tables.homes[block.device][0]].count
    for tier in block.tiers[: end_of(block.tiers)]:
        if tier.parity:
            room = room * tier.data // (tier.data + tier.parity)
    return block.device, room


def _uses(job: Job, name: str) -> bool:
    return any(phase.uses == name for _, phase in job.every_phase())


def _lockstep(workload: Workload) -> Iterator[Fault]:
    """Find processes that do the same from the same moment on."""
    for index, job in enumerate(workload.jobs):
        alike = takewhile(lambda phase: not phase.draws, (phase for _, phase in job.every_phase()))
        transfers = any(phase.moves for phase in alike)
        together = job.arrivals is None and not job.skew
        if job.processes > 1 and together and transfers:
            yield ("jobs", index, "processes"), LOCKSTEP
