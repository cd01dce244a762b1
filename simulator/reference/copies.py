"""Copies of written files to the device after a process has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.plan.codes import STREAM, WRITE, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.reference.actor import Actor, Steps
    from simulator.reference.process import Process


def copy_out(process: Process, actor: Actor) -> Steps:
    """Copy files one by one, in the order of the process's phases."""
    machine = process.machine
    yield actor.until(actor.now)
    for path, file in dict.fromkeys(_written(process)):
        end = process.written.get((path, file), 0)
        if end:
            plan = machine.plan.paths[path]
            node = (process.node,)
            tier, request = machine.request(actor, plan.drain, plan.places, node, file, (0, end))
            yield from tier.write(request)


def _written(process: Process) -> Iterator[tuple[int, int]]:
    """Yield the path and the file of each phase and listed operation that writes."""
    plan = process.machine.plan
    rows = plan.operations
    for phase in process.plan.phases:
        if phase.kind == STREAM and phase.write:
            yield phase.path, phase.file
        for row in range(phase.first, phase.first + phase.count):
            if plain(rows.kind[row]) == WRITE and rows.size[row]:
                yield plan.path_of(row), rows.file[row]
