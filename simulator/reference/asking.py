"""Asked requests: pieces of files that are not contiguous, all of a call at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.plan.codes import ASK_READ, BUFFERS, READ, WRITE
from simulator.reference.tiers.branches import fork
from simulator.reference.tiers.tier import Asked

if TYPE_CHECKING:
    from simulator.reference.actor import Actor, Steps
    from simulator.reference.process import Process


def ask(process: Process, kind: int, first: int, count: int) -> Steps:
    """Send requests to I/O nodes, and wait for the last answer."""
    asked = process.world.plan.asked
    assert asked is not None
    if not count:
        return
    began = process.actor.now
    nodes = asked.requests.node
    branches = [(nodes[row], _branch(process, kind, row)) for row in range(first, first + count)]
    yield from fork(process.machine, process.actor, branches)
    transfer = process.moved(READ if kind == ASK_READ else WRITE)
    transfer.bytes += sum(asked.requests.size[row] for row in range(first, first + count))
    transfer.elapsed_ns += process.actor.now - began


def _branch(process: Process, kind: int, row: int) -> Callable[[Actor], Steps]:
    """Return what carries one request to its node and back."""
    plan, asked = process.world.plan, process.world.plan.asked
    assert asked is not None
    last = asked.top
    while plan.tiers[last].kind != BUFFERS:
        last += 1
    groups = (process.plan.group, plan.buffers[plan.tiers[last].row].group)
    nodes = (process.plan.node, asked.requests.node[row])
    size, message = asked.requests.size[row], asked.requests.message[row]

    def work(actor: Actor) -> Steps:
        tier, request = process.machine.request(actor, asked.top, groups, nodes, span=(0, size))
        request = replace(request, asked=Asked(row, process.number, message))
        yield from (tier.read if kind == ASK_READ else tier.write)(request)

    return work
