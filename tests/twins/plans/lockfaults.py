"""What is wrong with the locks of files in a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.plan.codes import END, LOCKS, STORE, STREAM, STRIPE

if TYPE_CHECKING:
    from simulator.plan.paths import TierPlan
    from simulator.plan.plan import Plan


def lock_faults(plan: Plan, tiers: Sequence[TierPlan], places: Sequence[int]) -> Iterator[str]:
    """Yield the faults of the last of some tiers, that has locks; ``tiers`` begin at the top.

    What follows it in the plan is looked at as well.
    """
    tier = tiers[-1]
    if tier.size < 1 or tier.grow < 1:
        yield f"locks units of {tier.size} B, {tier.grow} at one time"
        return
    if not 0 <= tier.column < len(plan.columns):
        yield f"charges waiting to column {tier.column} of {len(plan.columns)}"
    if any(one.kind in (STORE, STRIPE, LOCKS) for one in tiers[:-1]):
        yield "has locks below a store, a stripe or other locks"
    if tier.row < 0:
        return
    if not tier.row < len(plan.stores) or plan.stores[tier.row].group != places[0]:
        yield f"protects store {tier.row}, which is not at the nodes of its requests"
        return
    store = plan.stores[tier.row]
    if tier.size % store.block:
        yield f"locks units of {tier.size} B, and {store.name} has blocks of {store.block} B"


def store_below(plan: Plan, rows: Sequence[int]) -> Iterator[str]:
    """Yield what is wrong between locks and the store that they protect; ``rows`` are below."""
    tier = plan.tiers[rows[0]]
    above: list[int] = []
    for row in rows[1:]:
        one = plan.tiers[row]
        if one.kind == STORE and one.slot == 0:
            if one.row != tier.row or STRIPE in above:
                yield f"has store {one.row} at the node below, where locks protect store {tier.row}"
            above.append(STORE)
        elif one.kind == STRIPE:
            above.append(STRIPE)
    if tier.row >= 0 and STORE not in above:
        yield f"protects store {tier.row}, which does not follow"


def ways_to_files(plan: Plan) -> dict[int, set[int]]:
    """Return the paths by which each file may be reached."""
    used: dict[int, set[int]] = {number: {file.path} for number, file in enumerate(plan.files)}
    for process in plan.processes:
        for phase in process.phases:
            if phase.kind == STREAM and phase.file in used:
                used[phase.file].add(phase.path)
    table = plan.operations
    for file, path in {*zip(table.file, table.path, strict=True)}:
        if path >= 0 and file in used:
            used[file].add(path)
    return used


def ways_of_locks(plan: Plan) -> Iterator[str]:
    """Yield files that are reached with different locks, or with locks and without."""
    for number, paths in ways_to_files(plan).items():
        found = {_locks_of(plan, path) for path in paths if 0 <= path < len(plan.paths)}
        if len(found) > 1:
            yield f"file {plan.files[number].name}: reached with different locks, or without"


def _locks_of(plan: Plan, path: int) -> tuple[int, int]:
    """Return the unit of a path's locks, and how many are granted together; 0 for none."""
    for tier in plan.tiers[plan.paths[path].top :]:
        if tier.kind == LOCKS:
            return tier.size, tier.grow
        if tier.kind == END:
            break
    return 0, 0
