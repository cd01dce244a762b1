"""One run of the reference engine: a plan in, a result out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.plan.errors import BlockedError
from simulator.plan.limits import check_divisors, check_reach
from simulator.reference.world import World
from simulator.result.result import CallLog, ProcessResult, Result, Transfer
from simulator.result.states import changes_of, states_of
from simulator.verification.check import check

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from simulator.plan.plan import Plan
    from simulator.reference.actor import Actor
    from simulator.reference.machine import Machine
    from simulator.reference.process import Process
    from simulator.result.curves import StoreCurve
    from simulator.workload.follower import Follower

USED = ("hits", "misses", "accepted_bytes", "prestaged")
"""Counters that show whether a store was used."""


def run_reference(
    plan: Plan,
    *,
    debug: bool = False,
    record: bool = False,
    timeline: bool = False,
    samples: int = 0,
    followers: Mapping[int, Follower] | None = None,
    begun: Callable[[Callable[[], int]], None] | None = None,
) -> Result:
    """Run a plan with SimPy.

    ``followers`` observe the processes of meshes, by the rows of these in the plan. ``begun``
    receives a function that returns the current simulated time. ``timeline`` keeps every service,
    ``record`` every call, ``samples`` curves of so many bins at most; ``debug`` checks the
    conservation laws, and raises :class:`~simulator.verification.identities.IdentityError`. Raises
    :class:`~simulator.plan.errors.BlockedError` naming the processes that are blocked at the
    end, :class:`~simulator.plan.limits.PlanError` for stores without room for a block.
    """
    check_divisors(plan)
    check_reach(plan)
    world = World(plan, record=record, timeline=timeline, samples=samples, followers=followers)
    prestage_ns = world.machine.prestage()
    for process in world.processes:
        process.actor.begin(process.run())
    if world.processes:
        world.services.begin()
    if begun is not None:
        begun(lambda: world.machine.clock.now)
    world.machine.clock.go()
    _refuse_blocked(world)
    result = _result(world, prestage_ns)
    world.services.add_to(result)
    if debug:
        world.services.check()
    check(plan, result, debug=debug)
    return result


def _refuse_blocked(world: World) -> None:
    actors = [process.actor for process in world.processes if process.ended_ns < 0]
    blocked = {one.name: one.waits_for() if one.waits_for else "nothing" for one in actors}
    if blocked:
        raise BlockedError(blocked)


def _result(world: World, prestage_ns: int) -> Result:
    plan, machine = world.plan, world.machine
    elapsed = max((process.ended_ns for process in world.processes), default=0)
    drained = [buffers.drain(elapsed) for buffers in machine.all_buffers()]
    stores = {store.name: store.result() for store in machine.stores()}
    stores |= {buffers.name: buffers.result() for buffers in machine.all_buffers()}
    parts = {part.name: part.result() for part in machine.parts()}
    for (row, member), users in plan.core_users().items():
        if row >= 0 and (name := plan.instance_name(plan.parts[row], member)) in parts:
            parts[name].servers = users
    used = {
        name: store
        for name, store in sorted(stores.items())
        if any(store.counts.get(key) for key in USED)
    }
    end_ns = max([machine.clock.last_ns, *drained])
    return Result(
        machine=plan.machine,
        workload=plan.workload,
        engine="reference",
        seed=plan.seed,
        run=plan.run,
        digest=plan.digest,
        elapsed_ns=elapsed,
        end_ns=end_ns,
        processes=[one for process in world.processes for one in _accounts(process)],
        parts={name: part for name, part in sorted(parts.items()) if part.requests or part.busy_ns},
        stores=used,
        latencies=dict(sorted(world.latencies.items())),
        job_latencies={job: dict(one) for job, one in sorted(world.job_latencies.items()) if one},
        prestage_ns=prestage_ns,
        events=machine.clock.events,
        spans=machine.spans or [],
        calls=_calls(world) if world.recorded else None,
        needless=machine.needless(),
        stable=machine.stable.by_job(machine.all_buffers()),
        responses=dict(sorted(world.responses.items())),
        took_ns={job: world.took[row] for job, row in sorted(plan.rows_of_arrivals().items())},
        states=states_of(plan, end_ns, _delays(machine)),
        arrays=machine.arrays(end_ns),
        queues=[queue.result() for queue in world.queues],
        restarts=[one.result for one in world.restarts],
        changes={} if machine.spans is None else changes_of(plan, end_ns),
        gaps_ns=plan.gaps_ns(),
        phases=[one.without_failed() for one in world.phases if one.passes],
        curves=_curves(machine, end_ns, used) if world.call_curve else {},
        call_curve=world.call_curve.finish(end_ns) if world.call_curve else None,
    )


def _curves(machine: Machine, end_ns: int, used: Container[str]) -> dict[str, StoreCurve]:
    """Return the curves of the store instances that were used."""
    found = {store.name: store for store in machine.stores() if store.name in used}
    return {
        name: one.blocks.curve(end_ns, one.plan.name, one.plan.slots)
        for name, one in sorted(found.items())
    }


def _delays(machine: Machine) -> Callable[[int], tuple[int, int, int]]:
    """Return for each instance the number of delayed requests, their delay, and the timeouts."""
    found = machine.by_number()

    def delays(number: int) -> tuple[int, int, int]:
        one = found.get(number)
        return (0, 0, 0) if one is None else (one.delayed, one.lost_ns, one.given_up)

    return delays


def _accounts(process: Process) -> list[ProcessResult]:
    """Return the result of a process, and of the members that share its data."""
    elapsed = process.ended_ns - process.started_ns
    own = _account(process, process.actor)
    own.read, own.write = process.read.without_failed(), process.write.without_failed()
    own.failed = process.failures
    own.compute_ns, own.idle_ns = process.compute_ns, process.idle_ns
    own.rounds = process.rounds
    own.node = process.world.plan.home_of(process.plan)
    shared = [_account(process, other) for other in process.others]
    for one in shared:
        one.idle_ns = elapsed - one.accounted_ns()
    return [own, *shared]


def _account(process: Process, actor: Actor) -> ProcessResult:
    columns = process.world.plan.columns
    spent = ((columns[column], wait, service) for column, (wait, service) in actor.spent.items())
    return ProcessResult(
        name=actor.name,
        job=process.plan.job,
        started_ns=process.started_ns,
        ended_ns=process.ended_ns,
        read=Transfer(),
        write=Transfer(),
        compute_ns=0,
        idle_ns=0,
        spent={name: (wait, service) for name, wait, service in sorted(spent) if wait or service},
    )


def _calls(world: World) -> CallLog:
    log = CallLog([], [])
    for process in world.processes:
        log.first.append(len(log.kind))
        log.count.append(len(process.calls))
        for row in process.calls:
            for column, value in zip(log.columns(), row, strict=True):
                column.append(value)
    return log
