"""A plan on which something goes wrong, made smaller as long as it still does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from simulator.plan.codes import (
    BARRIER,
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
from simulator.plan.jobs import DrawPlan, Operations, PhasePlan, ProcessPlan
from simulator.plan.parts import NoisePlan
from simulator.plan.plan import Plan
from simulator.runtime.lengths import ListedLengths
from simulator.service import ServiceSpec
from tests.draws.plans.unused import without_unused
from tests.twins.plans.faults import faults

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
    },
    "files": {"prestaged": False, "lead": 0, "base": 0},
    "processes": {"repeat": 1, "start_ns": 0, "nodes": 1, "node": 0, "born": -1, "until": -1},
}
"""The simplest value of fields, by table of the plan."""


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

    def moved(row: int) -> int:
        return row - (row > number)

    gone = {row for row, one in enumerate(plan.channels) if number in (one.source, one.target)}
    own = _operations_of(plan.processes[number])
    barriers = list(plan.barriers)
    for barrier in {plan.operations.offset[r] for r in own if plan.operations.kind[r] == BARRIER}:
        barriers[barrier] = max(1, barriers[barrier] - 1)

    def without(kind: int, offset: int) -> tuple[int, int]:
        if kind in (START, JOIN):
            return (PAUSE, 0) if offset == number else (kind, moved(offset))
        return (PAUSE, 0) if kind in (SEND, RECEIVE) and offset in gone else (kind, offset)

    channels = tuple(
        replace(one, source=0, target=0, top=-1)
        if row in gone
        else replace(one, source=moved(one.source), target=moved(one.target))
        for row, one in enumerate(plan.channels)
    )
    served = without_arrivals(plan, number)
    return with_workers(
        replace(
            served,
            processes=tuple(one for row, one in enumerate(served.processes) if row != number),
            operations=_mapped(plan.operations, without),
            channels=channels if len(plan.processes) > 1 else (),
            barriers=tuple(barriers),
        )
    )


def without_arrivals(plan: Plan, number: int) -> Plan:
    """Leave out the arrivals that only one process serves."""
    row = plan.processes[number].arrivals
    if row < 0 or sum(one.arrivals == row for one in plan.processes) > 1:
        return plan
    processes = tuple(
        replace(one, arrivals=one.arrivals - (one.arrivals > row)) for one in plan.processes
    )
    return replace(
        plan, arrivals=plan.arrivals[:row] + plan.arrivals[row + 1 :], processes=processes
    )


def _operations_of(process: ProcessPlan) -> list[int]:
    return [
        row
        for phase in process.phases
        if phase.kind == LISTED
        for row in range(phase.first, phase.first + phase.count)
    ]


def _mapped(table: Operations, change: Callable[[int, int], tuple[int, int]]) -> Operations:
    copied = Operations()
    for row in range(len(table)):
        kind, offset = change(table.kind[row], table.offset[row])
        gap, column = table.gap[row], table.column[row]
        copied.add(kind, table.file[row], offset, table.size[row], gap=gap, column=column)
    return copied


def with_workers(plan: Plan) -> Plan:
    """Number the workers of stores anew."""
    following, stores = len(plan.processes), []
    for store in plan.stores:
        stores.append(replace(store, first_worker=following if store.workers else -1))
        following += store.workers * store.count
    return replace(plan, stores=tuple(stores))


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
        for name, value in (("gap", 0), ("column", -1), ("size", table.size[row] // 2)):
            if getattr(table, name)[row] != value:
                copied = _mapped(table, lambda kind, offset: (kind, offset))
                getattr(copied, name)[row] = value
                yield replace(plan, operations=copied)


def _rows_of(table: Operations, *kinds: int) -> list[int]:
    return [row for row, kind in enumerate(table.kind) if kind in kinds]


def _without_rows(plan: Plan, gone: set[int]) -> Plan:
    """Leave out rows of the operations."""
    table, kept, following = plan.operations, Operations(), []
    for row in range(len(table)):
        following.append(len(kept))
        if row not in gone:
            gap, column = table.gap[row], table.column[row]
            cells = table.kind[row], table.file[row], table.offset[row], table.size[row]
            kept.add(*cells, gap=gap, column=column)
    following.append(len(kept))

    def moved(phase: PhasePlan) -> PhasePlan:
        if phase.kind != LISTED:
            return phase
        first = following[phase.first]
        count = following[phase.first + phase.count] - first
        return replace(phase, first=first, count=count, draw=drawn(phase.draw))

    def drawn(draw: DrawPlan | None) -> DrawPlan | None:
        if draw is None or gone & {*draw.rows}:
            return None
        if draw.step:
            return replace(draw, first=following[draw.first])
        if gone & {*range(draw.base, draw.base + draw.places * draw.each)}:
            return None
        return replace(draw, first=following[draw.first], base=following[draw.base])

    processes = tuple(
        replace(one, phases=tuple(moved(phase) for phase in one.phases)) for one in plan.processes
    )
    return replace(plan, operations=kept, processes=processes)


# -- the machine --------------------------------------------------------------------------------


def fewer_tiers(plan: Plan) -> Iterator[Plan]:
    """Yield the plan without each of its tiers."""
    for row in reversed(range(len(plan.tiers))):
        yield _without_tier(plan, row)


def _without_tier(plan: Plan, gone: int) -> Plan:
    def moved(row: int) -> int:
        return row - (row > gone)

    paths = tuple(
        replace(
            path,
            top=moved(path.top),
            metadata=moved(path.metadata),
            drain=moved(path.drain),
            first_store=-1 if path.first_store == gone else moved(path.first_store),
        )
        for path in plan.paths
    )
    tiers = [
        replace(tier, ask=tier.ask - 1) if row < gone < row + tier.ask else tier
        for row, tier in enumerate(plan.tiers)
    ]
    return replace(
        plan,
        tiers=(*tiers[:gone], *tiers[gone + 1 :]),
        paths=paths,
        channels=tuple(replace(one, top=moved(one.top)) for one in plan.channels),
        processes=tuple(replace(one, exchange=moved(one.exchange)) for one in plan.processes),
    )


def simpler(plan: Plan) -> Iterator[Plan]:
    """Yield the plan with one thing simpler."""
    for row, process in enumerate(plan.processes):
        if process.arrivals >= 0:
            yield _changed(without_arrivals(plan, row), "processes", row, arrivals=-1)
    if plan.noisy:
        yield replace(plan, noisy=False)
    for table, fields in SIMPLE.items():
        for row, one in enumerate(getattr(plan, table)):
            for name, value in fields.items():
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
            yield with_workers(_changed(plan, "stores", row, workers=1))


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


MOVES = (fewer_processes, fewer_phases, fewer_operations, fewer_tiers, without_unused, simpler)
