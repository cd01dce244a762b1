"""What a run carries out though it is hardly meant: closes twice, buffers unused, lockstep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.config.errors import Fault, Path
from simulator.config.library_phases import Numerical
from simulator.config.lowering.plan import Nodes
from simulator.config.phases import Exchange, Message, Transfer
from simulator.config.tier import WalkError
from simulator.kinds.parts.disk.section import Disk
from simulator.kinds.parts.link.section import Link
from simulator.runtime.policies import UNBUFFERED
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Job, Workload

MANY_CALLS = 10**10
"""An engine simulates some millions in a second."""


LOCKSTEP = (
    "identical processes move in lockstep when service times do not vary: the order in a queue is"
    " then always the same, which is a property of the model, not of the machine; start them"
    " at different times, or give the machine noise"
)


def find_doubts(machine: Machine, workload: Workload, *, noisy: bool) -> Iterator[Fault]:
    """Find phases that a run, with noise or without, carries out, but hardly as they were meant."""
    yield from _shared_nodes(machine, workload)
    yield from _buffers(machine, workload)
    yield from _room(machine, workload)
    yield from _closes(workload)
    yield from _many_calls(workload)
    yield from _free_messages(machine, workload)
    if not noisy or not any(part.variation.varies for part in machine.parts.values()):
        yield from _lockstep(workload)


def _closes(workload: Workload) -> Iterator[Fault]:
    """Find closes of files that reads and writes have closed already."""
    for index, job in enumerate(workload.jobs):
        moved = {one.file for _, one in job.every_phase() if isinstance(one, Transfer)}
        for at, phase in job.every_phase():
            if phase.do == "close" and phase.uses in moved:
                about = "each read or write opens its file, and closes it at its end with what is"
                about = f"{about} to be flushed; this is one more close, of no data: leave it out"
                yield ("jobs", index, *at), about


def _many_calls(workload: Workload) -> Iterator[Fault]:
    """Find phases whose calls would take hours to simulate."""
    for index, job in enumerate(workload.jobs):
        for at, phase in job.every_phase():
            times = job.ranks * job.repeat * job.times(at)
            if not isinstance(phase, Transfer):
                continue
            record = phase.record if phase.record is not None else job.record
            size = phase.size or workload.files[phase.file].size
            if isinstance(record, int) and (calls := size // record * times) > MANY_CALLS:
                about = f"{calls:,} calls take hours to simulate; write larger records"
                yield ("jobs", index, *at), f"{about}, or fewer bytes"


def _free_messages(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find messages and calls between nodes that nothing joins: they take no time on their way."""
    nodes = Nodes(machine)
    linked = any(isinstance(part, Link) for part in machine.parts.values())
    for index, job in enumerate(workload.jobs):
        members = nodes.place(job)
        group = machine.tables.groups[members.group]
        for below, phase in job.every_phase():
            at: Path = ("jobs", index, *below)
            if isinstance(phase, Numerical) and not linked:
                about = "no link leads to a server, so that calls take no time on their way"
                yield at, f"{about}; write one at {group.name} in parts, 'kind: link'"
            elif (
                isinstance(phase, Message | Exchange)
                and len(set(members.members)) > 1
                and _is_free(machine, members.group)
            ):
                about = f"no network joins the nodes of {group.name}, so that messages take no time"
                yield at, f"{about}; write one in parts, like '{{kind: network, at: {group.name}}}'"


def _is_free(machine: Machine, group: int) -> bool:
    """Whether messages between nodes of a group take no time; a wrong way is told of its jobs."""
    try:
        return not machine.ways.between(group, group)
    except WalkError:
        return False


def _shared_nodes(machine: Machine, workload: Workload) -> Iterator[Fault]:
    nodes = Nodes(machine)
    for index, job in enumerate(workload.jobs):
        placed = nodes.place(job)
        if placed.shared and job.arrivals is None and job.calls is None:
            count = machine.tables.groups[placed.group].count
            name = machine.tables.groups[placed.group].name
            if count == 1:  # Where else should they run?
                continue
            about = f"several processes run on one node, since {name} has {count}"
            yield ("jobs", index, "processes"), f"{about}; say so with 'per_node', or write fewer"


def _buffers(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find buffers that no phase uses."""
    for index, job in enumerate(workload.jobs):
        transfers = [(at, one) for at, one in job.every_phase() if isinstance(one, Transfer)]
        used, unbuffered = False, "posix"
        for at, phase in transfers:
            policy = phase.policy or job.policy or machine.runtime.policy
            unbuffered = policy if policy in UNBUFFERED else unbuffered
            used = used or (policy not in UNBUFFERED and phase.buffer is None)
            if policy in UNBUFFERED and phase.buffer is not None:
                yield ("jobs", index, *at, "buffer"), _unused("buffer", policy)
        if job.buffer is not None and not used:
            yield ("jobs", index, "buffer"), _unused("buffer", unbuffered)


def _unused(key: str, policy: str) -> str:
    why = "whose calls go to the system as they are"
    if policy == "flang":
        why = "whose buffer grows with the records"
    about = f"the {key} has no effect with policy {policy}, {why}"
    return f"{about}; leave it out, or write another policy"


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


def room_of(machine: Machine, system: str, path: str) -> tuple[str, int | None]:
    """Return the device behind a path of a file system, and its bytes; None if nothing says."""
    device = machine.ways.block(system, path, 0).device
    part = machine.parts[device]
    if not isinstance(part, Disk) or part.capacity is None:
        return device, None
    return device, part.capacity * machine.tables.groups[machine.tables.homes[device][0]].count


def _uses(job: Job, name: str) -> bool:
    return any(phase.uses == name for _, phase in job.every_phase())


def _lockstep(workload: Workload) -> Iterator[Fault]:
    """Find processes that do the same from the same moment on."""
    for index, job in enumerate(workload.jobs):
        transfers = any(isinstance(phase, Transfer) for _, phase in job.every_phase())
        if job.processes > 1 and job.arrivals is None and transfers:
            yield ("jobs", index, "processes"), LOCKSTEP
