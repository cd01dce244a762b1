"""What a run carries out though it is hardly meant: free messages, closes twice, endless phases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.config.errors import Fault, Path
from simulator.config.lowering.nodes import Nodes
from simulator.config.lowering.route import WalkError
from simulator.config.phases import Exchange, Message, Transfer
from simulator.config.service_phases import Numerical
from simulator.kinds.parts.link.section import Link

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Workload

MANY_CALLS = 10**10
"""An engine simulates some millions in a second."""


def find_doubts(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find phases that a run carries out, but hardly as they were meant."""
    yield from _closes(workload)
    yield from _many_calls(workload)
    yield from _free_messages(machine, workload)


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
