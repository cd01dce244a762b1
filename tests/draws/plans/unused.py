"""Rows of a plan that nothing uses, left out: for plans that are to be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from simulator.plan.codes import BUFFERS, LISTED, STORE, STREAM
from simulator.plan.jobs import Operations, PhasePlan
from simulator.plan.paths import Hold, TierPlan
from simulator.plan.plan import Plan


def without_unused(plan: Plan) -> Iterator[Plan]:
    """Yield the plan without one row that nothing uses, table by table."""
    for row in reversed(range(len(plan.files))):
        if row not in _files_used(plan):
            yield _without_file(plan, row)
    paths = {file.path for file in plan.files} | {phase.path for phase in _phases(plan)}
    for row in reversed(range(len(plan.paths))):
        if row not in paths:
            yield _without_path(plan, row)
    held = {hold.part for tier in plan.tiers for hold in (*tier.down, *tier.up)}
    held |= {process.cpu for process in plan.processes} | {one.raid for one in plan.buffers}
    for row in reversed(range(len(plan.parts))):
        if row not in held:
            yield _without_part(plan, row)
    stores = {tier.row for tier in plan.tiers if tier.kind == STORE}
    for row in reversed(range(len(plan.stores))):
        if row not in stores:
            yield _without_store(plan, row)
    if all(tier.kind != BUFFERS for tier in plan.tiers):
        yield replace(plan, buffers=(), asked=None)


def _phases(plan: Plan) -> Iterator[PhasePlan]:
    for process in plan.processes:
        yield from process.phases


def _files_used(plan: Plan) -> set[int]:
    streams = {phase.file for phase in _phases(plan) if phase.kind == STREAM}
    listed = [phase for phase in _phases(plan) if phase.kind == LISTED]
    rows = (row for one in listed for row in range(one.first, one.first + one.count))
    return streams | {plan.operations.file[row] for row in rows}


def _moved(row: int, gone: int) -> int:
    return row - (row > gone)


def _without(rows: tuple[Any, ...], gone: int) -> tuple[Any, ...]:
    return rows[:gone] + rows[gone + 1 :]


def _with_phases(plan: Plan, name: str, gone: int) -> Plan:
    """Move the rows that phases name."""
    processes = []
    for process in plan.processes:
        phases = [
            replace(one, **{name: _moved(getattr(one, name), gone)}) for one in process.phases
        ]
        processes.append(replace(process, phases=tuple(phases)))
    return replace(plan, processes=tuple(processes))


def _without_file(plan: Plan, gone: int) -> Plan:
    table, copied = plan.operations, Operations()
    for row in range(len(table)):
        cells = table.kind[row], _moved(table.file[row], gone), table.offset[row], table.size[row]
        copied.add(*cells, gap=table.gap[row], column=table.column[row])
    files = _without(plan.files, gone)
    return _with_phases(replace(plan, files=files, operations=copied), "file", gone)


def _without_path(plan: Plan, gone: int) -> Plan:
    files = tuple(replace(one, path=_moved(one.path, gone)) for one in plan.files)
    return _with_phases(replace(plan, files=files, paths=_without(plan.paths, gone)), "path", gone)


def _without_part(plan: Plan, gone: int) -> Plan:
    parts, first = [], 0
    for part in _without(plan.parts, gone):
        parts.append(replace(part, first=first))
        first += part.count

    def holds(rows: tuple[Hold, ...]) -> tuple[Hold, ...]:
        return tuple(replace(hold, part=_moved(hold.part, gone)) for hold in rows)

    tiers = [replace(tier, down=holds(tier.down), up=holds(tier.up)) for tier in plan.tiers]
    processes = tuple(replace(one, cpu=_moved(one.cpu, gone)) for one in plan.processes)
    buffers = tuple(replace(one, raid=_moved(one.raid, gone)) for one in plan.buffers)
    changed = replace(plan, parts=tuple(parts), tiers=tuple(tiers), processes=processes)
    return replace(changed, buffers=buffers)


def _without_store(plan: Plan, gone: int) -> Plan:
    stores, first, worker = [], 0, len(plan.processes)
    for store in _without(plan.stores, gone):
        hired = worker if store.workers else -1
        stores.append(replace(store, first=first, first_worker=hired))
        first += store.count
        worker += store.workers * store.count

    def moved(tier: TierPlan) -> TierPlan:
        return replace(tier, row=_moved(tier.row, gone)) if tier.kind == STORE else tier

    tiers = tuple(moved(tier) for tier in plan.tiers)
    return replace(plan, stores=tuple(stores), tiers=tiers)
