"""Whole plans drawn at random: a machine, files, and jobs that share them.

The same seed gives the same plan. Every plan can be carried out (:func:`tests.twins.plans.faults`);
a few of them never end, because one operation that others wait for is missing.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from simulator.kinds.dice import Dice
from simulator.plan.codes import ASK_READ, ASK_WRITE, BARRIER, PASS, SEND, START
from simulator.plan.paths import FilePlan, PathPlan
from simulator.plan.plan import Plan
from tests.draws.plans.events import draw_events, draw_patience, draw_stops
from tests.draws.plans.jobs import Jobs, draw_jobs, own_paths, without_one
from tests.draws.plans.machines import draw_machine
from tests.draws.plans.magnitudes import magnified
from tests.draws.plans.names import with_names
from tests.draws.plans.pieces import draw_pieces
from tests.draws.plans.restarts import draw_restarts
from tests.draws.plans.tables import CLIENT, SPAN, Machine


def draw_plan(rng: Random, most: int | None = None) -> Plan:
    """Draw a plan of at most so many processes."""
    dice = Dice(rng)
    machine = draw_machine(dice)
    paths = [dice.int(0, len(machine.paths) - 1) for _ in range(dice.int(1, 5))]
    ways = [own_paths(machine.paths, path) for path in paths]
    if most is None:
        most = dice.some(1, 2, 3, 4, 6, 8, 8, 20)
    pieces = draw_pieces(dice, machine, len(paths))
    jobs = draw_jobs(dice, machine, ways, most, pieces)
    plan = _assembled(dice, machine, jobs, paths)
    if dice.maybe(3):
        plan = _loose(dice, plan)
    return draw_restarts(dice, with_names(dice, plan))


def plan_of(seed: int) -> Plan:
    """Return the plan of a seed; one in fifty is of many processes."""
    rng = Random(seed)
    return draw_plan(rng, 60 if rng.random() < 0.02 else None)


def any_plan_of(seed: int) -> Plan:
    """Return the plan of a seed; one in eight goes as far as a run may, or further."""
    return magnified(plan_of(seed), Random(~seed))


def _assembled(dice: Dice, machine: Machine, jobs: Jobs, paths: list[int]) -> Plan:
    """Put machine and jobs together: what depends on both."""
    columns = {
        f"{name}_column": machine.column(name) for name in ("others", "barrier", "lock", "merging")
    }
    stores, worker = [], len(jobs.processes)
    for store in machine.stores:
        stores.append(replace(store, first_worker=worker if store.actors else -1))
        worker += store.actors
    runs = dice.some(0, 0, 1, 3)
    plan = Plan(
        machine="drawn",
        workload="drawn",
        groups=tuple(machine.groups),
        parts=tuple(machine.parts),
        stores=tuple(stores),
        buffers=tuple(jobs.pieces.buffers),
        tiers=tuple(machine.tiers),
        paths=tuple(machine.paths),
        processes=tuple(jobs.processes),
        operations=jobs.operations,
        arrivals=tuple(jobs.arrivals),
        channels=tuple(jobs.channels),
        barriers=tuple(jobs.barriers),
        locks=jobs.locks,
        marks=jobs.marks,
        asked=jobs.pieces.plan(),
        columns=tuple(machine.columns),
        seed=dice.int(0, 99),
        run=dice.int(0, max(0, runs - 1)),
        runs=runs,
        noisy=not dice.exact and dice.maybe(50),
        **columns,
    )
    files = [_file(dice, plan, jobs, number, path) for number, path in enumerate(paths)]
    plan = replace(plan, files=(*files, *jobs.pieces.files()))
    events = draw_events(dice, plan)
    if not events:
        return plan
    paths, processes = draw_patience(dice, plan), draw_stops(dice, plan)
    return replace(plan, events=events, paths=paths, processes=processes)


def _file(dice: Dice, plan: Plan, jobs: Jobs, number: int, path: int) -> FilePlan:
    """A file as long as streams need; listed reads may find nothing there."""
    size = max(jobs.reach[number], jobs.needed[number])
    length = dice.some(dice.int(jobs.needed[number], size), jobs.needed[number], size)
    shared = _shared_store(plan, plan.paths[path])
    return FilePlan(
        name=f"f{number}",
        path=path,
        length=length,
        size=size,
        base=number * SPAN,
        lead=dice.some(number, 0, dice.int(0, 9)),
        within=dice.some(-1, -1, 0, dice.int(1, 9)),
        prestaged=shared and dice.maybe(40),
    )


def _loose(dice: Dice, plan: Plan) -> Plan:
    """The plan without one of the operations that others wait for."""
    needed = (PASS, SEND, START, BARRIER, ASK_READ, ASK_WRITE)
    phases = [phase for one in plan.processes for phase in one.phases]
    drawn = {row for one in phases if one.draw for row in range(one.draw.base, one.draw.rows.stop)}
    kinds = enumerate(plan.operations.kind)
    rows = [row for row, kind in kinds if kind in needed and row not in drawn]
    if not rows:
        return plan
    # Who goes on until others end would do so for ever.
    processes = tuple(replace(one, until=-1) for one in plan.processes)
    operations = without_one(plan.operations, dice.some(*rows))
    return replace(plan, operations=operations, processes=processes)


def _shared_store(plan: Plan, path: PathPlan) -> bool:
    """Whether all requests of a path reach one instance of its first store."""
    if path.first_store < 0:
        return False
    slot = plan.tiers[path.first_store].slot
    own = slot == CLIENT or plan.groups[slot].parent == CLIENT
    return not own or plan.groups[CLIENT].count == 1
