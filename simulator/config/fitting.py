"""Checks of a machine and a workload against each other, when both are known.

Errors are what cannot be simulated; warnings what can be, but will hardly be meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from simulator.config.batches import is_stage, queue_faults
from simulator.config.doubts import find_doubts
from simulator.config.errors import Fault, Path, Problem, in_order, unknown_name
from simulator.config.machine_file import Group, Machine
from simulator.config.needs import misfits
from simulator.config.part import CPU
from simulator.config.phase import JobNodes, nodes_of_jobs, phases_in, phases_on
from simulator.config.tier import WalkError
from simulator.config.workload_file import Calls, File, Job, Workload
from simulator.errors import did_you_mean
from simulator.units import format_size, shown
from simulator.wording import counted


def fit(machine: Machine, workload: Workload, *, noisy: bool = True) -> list[Problem]:
    """List what does not fit, with the places in the workload file: errors, then warnings.

    ``noisy`` says whether the run will use the machine's noise.
    """
    errors = [*_systems(machine, workload), *_places(machine, workload)]
    if not errors:
        errors += queue_faults(machine, workload)
    if not errors:
        errors += _paths(machine, workload)
    if not errors:
        errors += [*_prestaging(machine, workload), *_members(machine, workload)]
        errors += misfits(machine, workload)
    if not errors:
        errors += _ways_to_stores(machine, workload)
    warnings: list[Fault] = []
    if not errors:
        warnings += find_doubts(machine, workload, noisy=noisy)
    made = in_order(_problem(workload, path, about) for path, about in errors)
    doubts = [_problem(workload, path, about) for path, about in warnings]
    return _once(made) + in_order(replace(one, severity="warning") for one in doubts)


def _once(problems: Sequence[Problem]) -> list[Problem]:
    """Return the same mistake in several places once, at the first, with how many there are."""
    places = Counter(one.message for one in problems)
    firsts = {one.message: one for one in reversed(problems)}
    return [
        one
        if (more := places[one.message] - 1) == 0
        else replace(one, message=f"{one.message} (and so in {counted(more, 'more place')})")
        for one in problems
        if one is firsts[one.message]
    ]


def _problem(workload: Workload, path: Path, about: str) -> Problem:
    return workload.origin.problem(path, about)


def _systems(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find file systems and paths that the machine does not have."""
    systems = machine.filesystems
    for name, file in workload.files.items():
        yield from _system(machine, ("files", name), file.filesystem, file.path)
        if file.filesystem is None and not systems:
            about = f"{machine.name} has no file system; write 'filesystems:' in it"
            yield ("files", name), about
    for index, job in enumerate(workload.jobs):
        for inner, calls in job.lists():
            at: Path = ("jobs", index, *inner)
            yield from _system(machine, at, calls.filesystem, calls.path)
            if not systems:
                yield at, f"{machine.name} has no file system; write 'filesystems:' in it"
        for below, phase in job.every_phase():
            if phase.uses is not None:
                system = machine.system(workload.files[phase.uses].filesystem) or None
                at = ("jobs", index, *(below if phase.through is not None else ()))
                yield from _system(machine, at, system, phase.through or job.path, reported=False)


def _system(
    machine: Machine, at: Path, filesystem: str | None, path: str | None, *, reported: bool = True
) -> Iterator[Fault]:
    systems = machine.filesystems
    if filesystem is not None and filesystem not in systems:
        if reported:
            what = f"a file system of {machine.name}"
            yield (*at, "filesystem"), unknown_name(filesystem, what, systems)
        return
    name = machine.system(filesystem)
    if path is not None and name and path not in systems[name].ways():
        ways = [way for way in systems[name].ways() if way]
        about = f"{shown(path)} is not a path of {name}; "
        about += did_you_mean(path, ways) if ways else "it has only one, so leave this out"
        yield (*at, "path"), about


def _places(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find jobs on nodes that the machine does not have."""
    for index, (job, place) in enumerate(nodes_of_jobs(machine, workload)):
        at: Path = ("jobs", index)
        if job.on is not None and job.on not in machine.nodes:
            what = f"a group of nodes of {machine.name}"
            yield (*at, "on"), unknown_name(job.on, what, machine.nodes)
            continue
        name = job.on or next(iter(machine.nodes))
        count = machine.tables.groups[place.group].count
        if job.first_node is not None and job.first_node >= count:
            about = f"{job.first_node} is no node of {name}; write 0 to {count - 1}"
            yield (*at, "first_node"), about
        elif machine.tables.of_group(CPU, place.group) < 0 and not is_stage(workload, job):
            about = f"{name} has no cpu, which its programs need; write 'at: [..., {name}]' in one"
            yield (*at, "on"), about
        elif machine.nodes[name].queue is not None:
            continue
        elif place.shared and (job.nodes > 1 or job.per_node is not None):
            each = f" of {job.nodes} nodes" if job.nodes > 1 else f", {job.per_node} on a node,"
            about = f"{job.ranks} processes{each} do not fit on what is left of the {count} {name}"
            key = "processes" if "processes" in job.given else "nodes"
            yield (*at, key), f"{about} nodes; write fewer"
        elif job.buffer is not None and not machine.nodes[name].fits(
            job.buffer, job.ranks * job.nodes
        ):
            group = machine.nodes[name]
            memory = format_size(group.memory or 0)
            about = f"{format_size(job.buffer)} is more than the memory of a node of {name}"
            about = f"{about}; write {memory} or less"
            if group.larger is not None and job.buffer <= group.larger.memory:
                about = f"{about}, or ask for at most {group.larger.count} nodes"
            yield (*at, "buffer"), about
        else:
            for inner, about in _memory(job, place, name, machine.nodes[name]):
                yield (*at, *inner), about


def _memory(job: Job, placed: JobNodes, name: str, group: Group) -> Iterator[Fault]:
    """Find what a job holds that its nodes do not have the memory for."""
    held: dict[Path, int] = {("memory",): job.memory or 0}
    held |= {(*at, "memory"): one.memory or 0 for at, one in phases_in(job.phases or ())}
    key = max(held, key=lambda one: held[one])
    if not held[key] or group.memory is None:
        return
    nodes = Counter(first + one for first in placed.members for one in range(job.nodes))
    most = max(nodes.values())
    if not group.fits(held[key] * most, len(nodes)):
        has = format_size(group.memory)
        each = f" for each of {most} processes" if most > 1 else ""
        about = f"{format_size(held[key])}{each} is more than the {has} of a node of {name}"
        about = f"{about}; write {format_size(group.memory // most)} or less"
        about += ", or fewer processes on a node ('per_node')" if most > 1 else ""
        if group.larger is not None and held[key] * most <= group.larger.memory:
            about = f"{about}, or ask for at most {group.larger.count} nodes"
        yield key, about


def _paths(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find jobs on nodes from which no path leads to their files."""
    for spot, phase in phases_on(machine, workload):
        if phase.uses is None:
            continue
        try:
            spot.block(phase)
        except WalkError as error:
            on = machine.tables.groups[spot.place.group].name
            about = f"no path of {spot.system(phase)} leads from {on} to a device: {error}"
            yield ("jobs", spot.index, "on"), about


def _prestaging(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find files that should be in a store before the start, on paths without a store for all."""
    reported: set[Path] = set()
    for at, one, on, taken in _ways_of_files(workload):
        if not one.prestage or at in reported:
            continue
        (system, path), group = machine.way(one, taken), machine.group(on)
        try:
            block = machine.ways.block(system, path, group)
        except WalkError as error:
            reported.add(at)
            node = machine.tables.groups[group].name
            yield (*at, "prestage"), f"no path of {system} leads from {node} to a device: {error}"
            continue
        first = block.plan.first_store
        if first < 0:
            reported.add(at)
            where = f"path {path} of {system}" if path else system
            yield (*at, "prestage"), f"{where} has no store to hold it; write 'prestage: false'"
        elif block.tiers[first].slot == 0 and machine.tables.groups[group].count > 1:
            reported.add(at)
            store = machine.tables.stores[block.tiers[first].row].name
            about = f"each node has its own {store}, so that nobody knows in which the file is"
            yield (*at, "prestage"), f"{about}; write 'prestage: false'"


def _ways_of_files(
    workload: Workload,
) -> Iterator[tuple[Path, File | Calls, str | None, str | None]]:
    """Yield files and lists of calls: (place, what it says, nodes that use it, path of the job)."""
    for name, file in workload.files.items():
        users = [
            (job.on, phase.through or job.path)
            for job in workload.jobs
            for phase in job.phases or ()
            if phase.uses == name
        ]
        for on, path in users or [(None, None)]:
            yield ("files", name), file, on, path
    for index, job in enumerate(workload.jobs):
        for inner, calls in job.lists():
            yield ("jobs", index, *inner), calls, job.on, None


def _members(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find processes on several nodes between which data cannot move."""
    for index, job in enumerate(workload.jobs):
        if job.nodes > 1 and any(phase.uses for _, phase in job.every_phase()):
            group = machine.group(job.on)
            if not machine.ways.between(group, group):
                name = machine.tables.groups[group].name
                about = f"no network joins the nodes of {name}; write 'nodes: 1'"
                yield ("jobs", index, "nodes"), about


def _ways_to_stores(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find files that reach one store in different ways, so that its blocks would differ."""
    met: dict[tuple[str, int, int], tuple[object, ...]] = {}
    for spot, phase in phases_on(machine, workload):
        if phase.uses is None:
            continue
        user = -1 if spot.file(phase.uses).shared else spot.index
        for store, how in spot.block(phase).stores().items():
            if met.setdefault((phase.uses, user, store), how) != how:
                name = machine.tables.stores[store].name
                about = f"{shown(phase.uses)} reaches {name} in another way than before"
                yield spot.where("file"), f"{about}; use one path and one group of nodes for it"
