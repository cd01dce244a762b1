"""Sizes of a plan that engines divide by: both look at them before each run.

Everything else that could be wrong with a plan made by a program is looked for by the tests
(tests/twins/plans/faults.py), which takes as long as a plan has operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.plan.codes import LOCKS, REQUEST, STRIPE

if TYPE_CHECKING:
    from simulator.plan.plan import Plan


class PlanError(ValueError):
    """A plan that no engine can carry out; one line for each fault."""


def refuse_nothing(plan: Plan) -> None:
    """Raise :class:`PlanError` for stores of no block, and tiers that cut files at 0 bytes."""
    found = [*_stores(plan), *_tiers(plan)]
    if found:
        raise PlanError("\n".join(found))


def _stores(plan: Plan) -> Iterator[str]:
    for store in plan.stores:
        if min(store.slots, store.block, store.extent) < 1:
            what = f"{store.slots} slots of {store.block} B, moved by {store.extent}"
            yield f"store {store.name}: {what}"
    for row in plan.buffers:
        if row.block < 1:
            yield f"buffers {row.name}: {row.slots} slots of {row.block} B"


def _tiers(plan: Plan) -> Iterator[str]:
    for number, tier in enumerate(plan.tiers):
        if tier.kind in (REQUEST, STRIPE, LOCKS) and min(tier.size, tier.width) < 1:
            yield f"tier {number}: units of {tier.size} B over {tier.width} members"
