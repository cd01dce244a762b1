"""Identities of services: conservation of messages, calls, bytes and time.

See :mod:`simulator.verification.identities`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.plan.codes import CALLS, LOOP, MESH
from simulator.plan.jobs import passes_of

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.plan.services import CallerPlan
    from simulator.result.result import Result
    from simulator.verification.planned import Planned


def broken_services(plan: Plan, planned: Planned, result: Result) -> Iterator[str]:
    """Yield a sentence for each violated identity."""
    yield from _messages(plan, planned, result)
    yield from _meshes(plan, result)
    yield from _calls(plan, result)


def _messages(plan: Plan, planned: Planned, result: Result) -> Iterator[str]:
    """Check that each message is sent once, found once and delivered once."""
    for row, service in enumerate(plan.services.messages):
        servers = [one.counts for one in result.services.values() if one.service == service.name]
        posted, found, delivered, queries = (
            sum(counts[name] for counts in servers)
            for name in ("posted", "found", "delivered", "queries")
        )
        sends = sum(once.sent[row] for once in planned.once)
        made = sum(one.count for one in plan.services.launches if one.service == row)
        edges = sum(once.messages[row] for once in planned.once)
        wanted = 4 * made + edges + sends + 2 * queries
        if posted != wanted:
            yield f"{service.name}: {posted} messages sent, {wanted} expected"
        # Messages without a receiver may be under way at the end.
        if not posted - sends <= delivered <= found <= posted:
            yield f"{service.name}: {posted} messages sent, {found} found, {delivered} delivered"


def _meshes(plan: Plan, result: Result) -> Iterator[str]:
    for row, (mesh, one) in enumerate(zip(plan.services.meshes, result.meshes, strict=True)):
        process = plan.processes[mesh.first]
        phases = passes_of(process, result.rounds()[process.name])
        wanted = sum(
            times * one.loops for one, times in phases if (one.kind, one.row) == (MESH, row)
        )
        if len(one.loop_ends_ns) != wanted:
            yield f"mesh {row}: {len(one.loop_ends_ns)} loops where {wanted} were planned"
        if list(one.loop_ends_ns) != sorted(one.loop_ends_ns):
            yield f"mesh {row}: loops end before those before them"
        for node in one.nodes:
            if node.accounted_ns() != node.counted_ns:
                accounted = node.accounted_ns()
                yield f"{node.process}: {accounted} ns of {node.counted_ns} in loops accounted for"


def _calls(plan: Plan, result: Result) -> Iterator[str]:
    if result.numerical is None:
        return
    numerical = result.numerical
    for call in numerical.calls:
        steps = (
            call.submitted_ns,
            call.accepted_ns,
            call.started_ns,
            call.received_ns,
            call.computing_ns,
            call.computed_ns,
            call.ended_ns,
        )
        if list(steps) != sorted(steps) or call.ended_ns > result.end_ns:
            yield f"a call of {call.process}: steps end at {steps} ns"
    spent = sum(wait + service for wait, service in numerical.beside.values())
    only = True
    for process in result.masters():
        phases = next(one.phases for one in plan.processes if one.name == process.name)
        if all(phase.kind in (CALLS, LOOP) for phase in phases):
            spent += sum(wait + service for wait, service in process.spent.values())
        else:
            only = only and all(phase.kind != CALLS for phase in phases)
    elapsed = sum(call.elapsed_ns for call in numerical.calls)
    if spent != elapsed if only else spent > elapsed:
        yield f"{spent} ns of {elapsed} ns of numerical calls accounted for"
    yield from _links(plan, result)


def _links(plan: Plan, result: Result) -> Iterator[str]:
    """Check that links carried the bytes of calls, where each caller has one route to a server."""
    assert result.numerical is not None
    callers: dict[str, list[CallerPlan]] = {}
    for process in plan.processes:
        rows = [one.row for one in process.phases if one.kind == CALLS]
        callers[process.name] = [plan.services.callers[row] for row in rows]
    sent: dict[tuple[int, int], int] = defaultdict(int)
    for call in result.numerical.calls:
        routes = {
            target.route
            for caller in callers[call.process]
            for target in caller.targets
            if plan.services.servers[target.server].name == call.server
        }
        if len(routes) > 1:
            return
        for link in next(iter(routes), ()):
            sent[link] += call.bytes
    for (row, member), size in sent.items():
        name = plan.instance_name(plan.parts[row], member)
        carried = result.parts[name].bytes if name in result.parts else 0
        if carried != size:
            yield f"{name}: carried {carried} B where calls moved {size} B"
