"""A drawn job whose processes fail together, and go on from the last round that all completed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.config.lowering.failing import MEETINGS
from simulator.plan.codes import COMPUTE, LISTED, LOOP, STREAM, plain
from simulator.plan.cores import crowded_groups
from simulator.plan.jobs import NamedPhase
from simulator.plan.restarts import RestartPlan

if TYPE_CHECKING:
    from simulator.kinds.dice import Dice
    from simulator.plan.jobs import ProcessPlan
    from simulator.plan.plan import Plan


def draw_restarts(dice: Dice, plan: Plan) -> Plan:
    """Let some processes of a job fail; none in most plans."""
    jobs = sorted({one.job for one in plan.processes})
    if not jobs or not dice.maybe(25):
        return plan
    job, crowded = dice.some(*jobs), crowded_groups(plan)
    able = [
        number
        for number, one in enumerate(plan.processes)
        if one.job == job and one.group not in crowded and _can_begin_again(plan, one)
    ]
    team = [number for number in able if dice.maybe(80)]
    if not team:
        return plan
    times = sorted(dice.some(0, 1, dice.int(0, 400), dice.int(0, 9_000)) for _ in range(9))
    mean = dice.some(0, 0, 700, 4_000, 40_000)
    named = any(one.job == job for one in plan.named)
    restart = RestartPlan(
        job=job,
        processes=len(team),
        start_ns=dice.some(0, 0, dice.int(0, 400)),
        times=() if mean else tuple(times[: dice.int(1, 9)]),
        mean_ns=mean,
        delay_ns=dice.some(0, 0, 1, dice.int(0, 300), 3_000),
        named=len(plan.named) if named else -1,
    )
    processes = list(plan.processes)
    for number in team:
        one = processes[number]
        most = 0 if any(phase.kind == LOOP for phase in one.phases) else len(one.phases) - 1
        processes[number] = replace(
            one, restart=0, reading=dice.int(0, min(1, most)), repeat=dice.some(1, 2, 5)
        )
    rounds = {processes[number].repeat for number in team}
    for number in team:
        processes[number] = replace(processes[number], repeat=max(rounds))
    row = NamedPhase(job=job, label="restart", what="restart")
    return replace(
        plan,
        restarts=(restart,),
        processes=tuple(processes),
        named=(*plan.named, row) if named else plan.named,
    )


def without_restarts(plan: Plan) -> Plan:
    """Return the plan without failures of jobs."""
    gone = {one.named for one in plan.restarts}
    processes = tuple(replace(one, restart=-1, reading=0) for one in plan.processes)
    named = tuple(one for row, one in enumerate(plan.named) if row not in gone)
    return replace(plan, restarts=(), processes=processes, named=named)


def _can_begin_again(plan: Plan, process: ProcessPlan) -> bool:
    """Return whether a process goes through rounds alone, and waits for no others in them."""
    if (
        process.nodes > 1
        or process.arrivals >= 0
        or process.until >= 0
        or process.born >= 0
        or process.sleeps
    ):
        return False
    kinds = {
        plain(plan.operations.kind[row])
        for phase in process.phases
        for row in range(phase.first, phase.first + phase.count)
        if phase.kind == LISTED
    }
    known = {phase.kind for phase in process.phases} <= {COMPUTE, STREAM, LISTED, LOOP}
    known = known and bool(process.phases)
    return known and not process.stops and not kinds & MEETINGS
