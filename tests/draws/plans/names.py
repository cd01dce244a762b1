"""Named phases of drawn plans: what they begin with, also within a list, and what they hold.

And which paths pass a memory that copies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.plan.codes import LISTED, LOOP
from simulator.plan.jobs import NamedPhase, PhasePlan, ProcessPlan

if TYPE_CHECKING:
    from simulator.kinds.dice import Dice
    from simulator.plan.plan import Plan

LABELS = 3
"""Named phases of a job, which come in any order."""


def with_names(dice: Dice, plan: Plan) -> Plan:
    """Return a plan some of whose jobs have named phases, with which all of their processes begin.

    It draws after all else, so that the rest of a plan is what it would be without.
    """
    rows: list[NamedPhase] = []
    processes = list(plan.processes)
    for job in plan.jobs:
        if not dice.maybe(60):
            continue
        first = len(rows)
        for label in range(LABELS):
            memory, what = dice.some(0, 0, 7, 250, 1_500), dice.some("compute", "read f")
            rows.append(NamedPhase(job=job, label=str(label), what=what, memory=memory))
        for number, one in enumerate(processes):
            if one.job == job:
                processes[number] = _named(dice, one, first)
    paths = tuple(replace(one, copied=dice.maybe(20)) for one in plan.paths)
    return replace(plan, processes=tuple(processes), named=tuple(rows), paths=paths)


def _named(dice: Dice, process: ProcessPlan, first: int) -> ProcessPlan:
    phases = tuple(
        _begun(dice, phase, first, certain=not number)
        for number, phase in enumerate(process.phases)
    )
    return replace(process, phases=phases)


def _begun(dice: Dice, phase: PhasePlan, first: int, *, certain: bool) -> PhasePlan:
    if phase.kind == LOOP:
        return phase
    if certain or dice.maybe(60):
        phase = replace(phase, named=first + dice.int(0, LABELS - 1))
    if phase.kind != LISTED:
        return phase
    behind = range(phase.first + 1, phase.first + phase.count)
    cuts = tuple((row, first + dice.int(0, LABELS - 1)) for row in behind if dice.maybe(25))
    return replace(phase, cuts=cuts)


def without_names(plan: Plan) -> Plan:
    """Return the plan without any."""
    processes = tuple(
        replace(one, phases=tuple(replace(phase, named=-1, cuts=()) for phase in one.phases))
        for one in plan.processes
    )
    restarts = tuple(replace(one, named=-1) for one in plan.restarts)
    return replace(plan, processes=processes, named=(), restarts=restarts)
