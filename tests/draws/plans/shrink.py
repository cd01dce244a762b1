"""A plan on which something goes wrong, made smaller as long as it still does."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from simulator.plan.codes import (
    BARRIER,
    BUFFERS,
    JOIN,
    LISTED,
    LOCK,
    LOOP,
    PASS,
    PAUSE,
    RECEIVE,
    SEND,
    START,
    STREAM,
    UNLOCK,
    WAIT,
)
from simulator.plan.jobs import DrawPlan, Operations, PhasePlan
from simulator.plan.parts import NoisePlan
from simulator.plan.plan import Plan
from simulator.runtime.lengths import ListedLengths
from simulator.service import ServiceSpec
from tests.draws.plans.names import without_names
from tests.draws.plans.restarts import without_restarts
from tests.twins.plans.faults import faults
from tests.twins.plans.references import named, numbered, turned, with_columns, without

ROUNDS = 12
SIMPLE: dict[str, dict[str, Any]] = {
    "parts": {"speeds": (), "servers": 1, "noise": NoisePlan(), "stream": ""},
    "stores": {
        "triggers": frozenset(),
        "quota": -1,
        "dirty_limit": -1,
        "ahead": 0,
        "extent": 1,
        "policy": "lru",
        "release": "none",
    },
    "tiers": {
        "header": 0,
        "window": 1,
        "remote_only": False,
        "pieces": 0,
        "aligned": True,
        "grow": 1,
        "costs": (),
    },
    "paths": {
        "metadata": -1,
        "drain": -1,
        "close": 0,
        "opening": 0,
        "attributes_min_ns": 0,
        "attributes_max_ns": 0,
        "give_up_ns": -1,
    },
    "files": {"prestaged": False, "lead": 0, "base": 0},
    "processes": {
        "repeat": 1,
        "start_ns": 0,
        "nodes": 1,
        "node": 0,
        "born": -1,
        "until": -1,
        "stops": False,
    },
}
"""The simplest value of fields, by table of the plan."""


PRUNED = ("files", "paths", "parts", "stores", "channels", "barriers", "columns", "groups")
"""Tables of which rows that nothing names are left out."""


def shrunk(plan: Plan, fails: Callable[[Plan], bool]) -> Plan:
    """Return a smaller plan that still fails: nothing that is tried makes it smaller."""
    for _ in range(ROUNDS):
        before = plan
        for moves in MOVES:
            plan = _tried(plan, moves, fails)
        if plan == before:
            break
    return plan


def _tried(
    plan: Plan, moves: Callable[[Plan], Iterator[Plan]], fails: Callable[[Plan], bool]
) -> Plan:
    """Take moves as long as one of them leaves a plan that fails."""
    again = True
    while again:
        again = False
        for smaller in moves(plan):
            if smaller != plan and not faults(smaller) and fails(smaller):
                plan, again = smaller, True
                break
    return plan


# -- processes ----------------------------------------------------------------------------------


def fewer_processes(plan: Plan) -> Iterator[Plan]:
    """Yield the plan without each of its processes."""
    for number in reversed(range(len(plan.processes))):
        yield without_process(plan, number)


def without_process(plan: Plan, number: int) -> Plan:
    """Leave out a process, and what others do with it."""
    table, barriers = plan.operations, list(plan.barriers)
    listed = [phase for phase in plan.processes[number].phases if phase.kind == LISTED]
    own = {row for phase in listed for row in range(phase.first, phase.first + phase.count)}
    for barrier in {table.offset[row] for row in own if table.kind[row] == BARRIER}:
        barriers[barrier] = max(1, barriers[barrier] - 1)
    gone = [row for row, one in enumerate(plan.channels) if number in (one.source, one.target)]
    with_it = {(START, number), (JOIN, number)}
    with_it |= {(kind, row) for kind in (SEND, RECEIVE) for row in gone}
    left = [one not in with_it for one in zip(table.kind, table.offset, strict=True)]
    quiet = with_columns(
        table,
        kind=(kind if kept else PAUSE for kind, kept in zip(table.kind, left, strict=True)),
        offset=(row if kept else 0 for row, kept in zip(table.offset, left, strict=True)),
        size=(size if kept else 0 for size, kept in zip(table.size, left, strict=True)),
    )
    plan = without_arrivals(replace(plan, operations=quiet, barriers=tuple(barriers)), number)
    for row in reversed(gone):
        plan = without(plan, "channels", row)
    return without(plan, "processes", number)


def without_arrivals(plan: Plan, number: int) -> Plan:
    """Let a process serve no arrivals; leave them out if it is the only one that does."""
    row = plan.processes[number].arrivals
    plan = _changed(plan, "processes", number, arrivals=-1)
    return plan if row < 0 or row in named(plan, "arrivals") else without(plan, "arrivals", row)


def without_phase(phases: tuple[PhasePlan, ...], gone: int) -> tuple[PhasePlan, ...]:
    """Return phases without one, and without loops of nothing; those behind it begin earlier."""
    left = [
        replace(one, first=one.first - 1) if one.kind == LOOP and one.first > gone else one
        for number, one in enumerate(phases)
        if number != gone
    ]
    for number, one in enumerate(left):
        if one.kind == LOOP and one.first == number:
            return without_phase(tuple(left), number)
    return tuple(left)


def fewer_phases(plan: Plan) -> Iterator[Plan]:
    """Yield the plan without a phase of a process."""
    for row, process in enumerate(plan.processes):
        for number in reversed(range(len(process.phases))):
            yield _changed(plan, "processes", row, phases=without_phase(process.phases, number))
        for number, phase in enumerate(process.phases):
            if phase.kind == LOOP and phase.loops > 1:
                phases = list(process.phases)
                phases[number] = replace(phase, loops=phase.loops - 1)
                yield _changed(plan, "processes", row, phases=tuple(phases))
            if phase.draw is not None:
                phases = list(process.phases)
                phases[number] = replace(phase, draw=None)
                yield _changed(plan, "processes", row, phases=tuple(phases))


def fewer_operations(plan: Plan) -> Iterator[Plan]:
    """Yield the plan with fewer operations: those that belong together go together."""
    table = plan.operations
    kinds = {(PASS, WAIT), (LOCK, UNLOCK), (SEND, RECEIVE), (BARRIER,)}
    for together in kinds:
        for offset in sorted({table.offset[r] for r in _rows_of(table, *together)}):
            rows = {r for r in _rows_of(table, *together) if table.offset[r] == offset}
            yield _without_rows(plan, rows)
    for row in reversed(range(len(table))):
        yield _without_rows(plan, {row})
    for row in range(len(table)):
        for name, value in (
            ("gap", 0),
            ("column", -1),
            ("path", -1),
            ("size", table.size[row] // 2),
        ):
            if getattr(table, name)[row] != value:
                cells = [*getattr(table, name)]
                cells[row] = value
                yield replace(plan, operations=with_columns(table, **{name: cells}))


def _rows_of(table: Operations, *kinds: int) -> list[int]:
    return [row for row, kind in enumerate(table.kind) if kind in kinds]


def _without_rows(plan: Plan, gone: set[int]) -> Plan:
    """Leave out rows of the operations."""
    kept = [row for row in range(len(plan.operations)) if row not in gone]
    following = [bisect_left(kept, row) for row in range(len(plan.operations) + 1)]

    def left(phase: PhasePlan) -> PhasePlan:
        if phase.kind != LISTED:
            return phase
        first, end = following[phase.first], following[phase.first + phase.count]
        drawn = gone.isdisjoint(_drawn_from(phase.draw))
        cuts = {following[row]: named for row, named in phase.cuts}
        left_cuts = tuple((row, named) for row, named in cuts.items() if first < row < end)
        draw = phase.draw if drawn else None
        return replace(phase, count=end - first, draw=draw, cuts=left_cuts)

    processes = tuple(
        replace(one, phases=tuple(left(phase) for phase in one.phases)) for one in plan.processes
    )
    columns = {
        one.name: [getattr(plan.operations, one.name)[row] for row in kept]
        for one in fields(plan.operations)
    }
    operations = with_columns(plan.operations, **columns)
    moved = turned(replace(plan, processes=processes), {"operations": following.__getitem__})
    return replace(moved, operations=operations)


def _drawn_from(draw: DrawPlan | None) -> set[int]:
    """Return the rows that are drawn, and those that say where."""
    if draw is None:
        return set()
    places = range(draw.base, draw.base + (0 if draw.step else draw.places * draw.each))
    return {*draw.rows, *places}


# -- the machine --------------------------------------------------------------------------------


def fewer_tiers(plan: Plan) -> Iterator[Plan]:
    """Yield the plan without each of its tiers."""
    for row in reversed(range(len(plan.tiers))):
        yield _without_tier(plan, row)


def _without_tier(plan: Plan, gone: int) -> Plan:
    """Leave out a tier; what begins there begins at the next one."""
    for row, path in enumerate(plan.paths):
        if path.first_store == gone:
            plan = _changed(plan, "paths", row, first_store=-1)
    for row, tier in enumerate(plan.tiers):
        if row < gone < row + tier.ask:
            plan = _changed(plan, "tiers", row, ask=tier.ask - 1)
    return without(plan, "tiers", gone)


def without_unused(plan: Plan) -> Iterator[Plan]:
    """Yield the plan without one row that nothing names, table by table."""
    for table in PRUNED:
        unused = {*range(len(getattr(plan, table)))} - named(plan, table)
        for row in sorted(unused, reverse=True):
            yield without(plan, table, row)
    if all(tier.kind != BUFFERS for tier in plan.tiers):
        yield replace(plan, buffers=(), asked=None)


def simpler(plan: Plan) -> Iterator[Plan]:
    """Yield the plan with one thing simpler."""
    for row, process in enumerate(plan.processes):
        if process.arrivals >= 0:
            yield without_arrivals(plan, row)
    if plan.noisy:
        yield replace(plan, noisy=False)
    for table, simple in SIMPLE.items():
        for row, one in enumerate(getattr(plan, table)):
            for name, value in simple.items():
                if getattr(one, name) != value:
                    yield _changed(plan, table, row, **{name: value})
    yield from _simpler_parts(plan)
    for row, process in enumerate(plan.processes):
        for number, phase in enumerate(process.phases):
            for simple in _simple_phases(phase):
                phases = (*process.phases[:number], simple, *process.phases[number + 1 :])
                yield _changed(plan, "processes", row, phases=phases)


def _simpler_parts(plan: Plan) -> Iterator[Plan]:
    """Yield the plan with a simpler part or store."""
    for row, part in enumerate(plan.parts):
        if part.kind in ("queue", "delay", "shared") and part.service != ServiceSpec(1e9):
            yield _changed(plan, "parts", row, service=ServiceSpec(1e9))
    for row, store in enumerate(plan.stores):
        for name in sorted(store.triggers):
            yield _changed(plan, "stores", row, triggers=store.triggers - {name})
        if store.workers > 1:
            yield numbered(_changed(plan, "stores", row, workers=1))


def _simple_phases(phase: PhasePlan) -> Iterator[PhasePlan]:
    if phase.kind != STREAM or phase.lengths is None:
        return
    if phase.policy != "posix":
        yield replace(phase, policy="posix")
    lengths = [phase.lengths.length(i) for i in range(phase.lengths.count)]
    for fewer in (lengths[:1], lengths[: len(lengths) // 2], lengths[:-1], lengths[1:]):
        if 0 < len(fewer) < len(lengths):
            yield replace(phase, lengths=ListedLengths(fewer))
    if any(lengths):
        yield replace(phase, lengths=ListedLengths([one // 2 for one in lengths]))


def _changed(plan: Plan, table: str, row: int, **fields: Any) -> Plan:
    """The plan with other fields in one row of a table."""
    rows = list(getattr(plan, table))
    rows[row] = replace(rows[row], **fields)
    return replace(plan, **{table: tuple(rows)})


def nameless(plan: Plan) -> Iterator[Plan]:
    """Yield the plan without named phases, with which all processes of a job would have to begin.

    Then nothing more can be left out of them than with all others.
    """
    if plan.named:
        yield without_names(plan)


def restartless(plan: Plan) -> Iterator[Plan]:
    """Yield the plan without failures of jobs, or with the first of their times only."""
    if plan.restarts:
        yield without_restarts(plan)
        yield replace(
            plan, restarts=tuple(replace(one, times=one.times[:1]) for one in plan.restarts)
        )


MOVES = (
    restartless,
    nameless,
    fewer_processes,
    fewer_phases,
    fewer_operations,
    fewer_tiers,
    without_unused,
    simpler,
)
