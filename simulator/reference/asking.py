"""Asked requests: pieces of files that are not contiguous, all of a call at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.plan.codes import ASK_READ, BUFFERS
from simulator.reference.tiers.branches import fork
from simulator.reference.tiers.tier import Asked

if TYPE_CHECKING:
    from simulator.reference.actor import Actor, Steps
    from simulator.reference.process import Process


def ask(process: Process, kind: int, file: int, first: int, count: int) -> Steps:
    """Send requests to I/O nodes, and wait for the last answer."""
    asked = process.world.plan.asked
    assert asked is not None
    if not count:
        return
    nodes = asked.requests.node
    rows = range(first, first + count)
    branches = [(nodes[row], _branch(process, kind, file, row)) for row in rows]
    yield from fork(process.machine, process.actor, branches)


def _branch(process: Process, kind: int, file: int, row: int) -> Callable[[Actor], Steps]:
    """Return what carries one request to its node and back."""
    plan, asked = process.world.plan, process.world.plan.asked
    assert asked is not None
    path = plan.paths[plan.files[file].path]
    top = last = plan.asked_top(path)
    while plan.tiers[last].kind != BUFFERS:
        last += 1
    nodes = (process.plan.node, asked.requests.node[row])[: plan.tiers[last].slot + 1]
    size, message = asked.requests.size[row], asked.requests.message[row]

    def work(actor: Actor) -> Steps:
        tier, request = process.machine.request(actor, top, path.places, nodes, span=(0, size))
        request = replace(request, asked=Asked(row, process.number, message))
        yield from (tier.read if kind == ASK_READ else tier.write)(request)

    return work
