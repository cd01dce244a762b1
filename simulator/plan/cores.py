"""Groups of nodes that can have more runnable tasks than cores.

The decision uses the plan alone, so that both engines agree, and runs without contention for cores
have no events for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.plan.tiers import traits_of_tier

if TYPE_CHECKING:
    from simulator.plan.plan import Plan

MOST_CORES = 4_096
"""Maximum cores of a node. Virtual time has 64 bits: see ``native/sharing.hpp``."""
SPEED_BITS = 20
"""Fractional bits of a speed; see ``PartPlan.speeds``."""


def speeds_of(cores: int) -> tuple[int, ...]:
    """Return the total speed of n tasks, as ``PartPlan.speeds``: one core each, up to the limit.

    >>> [speed >> SPEED_BITS for speed in speeds_of(3)]
    [0, 1, 2, 3]
    """
    return tuple(n << SPEED_BITS for n in range(cores + 1))


def crowded_groups(plan: Plan) -> frozenset[int]:
    """Return the groups on whose nodes tasks can wait for a core."""
    limited = {part.group: part.cores for part in plan.parts if part.cores}
    if not limited:
        return frozenset()
    found = set(_shared_by_others(plan) & limited.keys())
    here = Counter((one.group, one.node) for one in plan.placed() if one.phases)
    here.update({(row.group, 0): plan.most_on_one_node(row) for row in plan.queues})
    found |= {group for (group, _), count in here.items() if count > limited.get(group, count)}
    return frozenset(found)


def cpu_of(plan: Plan, group: int) -> int:
    """Return the row of the cpu resource that owns the cores of a group's nodes."""
    rows = enumerate(plan.parts)
    return next(row for row, part in rows if part.kind == "cpu" and part.group == group)


def _shared_by_others(plan: Plan) -> set[int]:
    """Return the groups whose ``core`` resources serve others than processes of their node."""
    cores = {row: part.group for row, part in enumerate(plan.parts) if part.kind == "core"}
    if not cores:
        return set()
    return {
        cores[row]
        for top, alone in _tops(plan)
        if top >= 0
        for row, mine in _used(plan, top, alone=alone)
        if row in cores and not mine
    }


def _tops(plan: Plan) -> set[tuple[int, bool]]:
    """Return the first tiers of requests, and whether a process itself makes them there."""
    tops = {(top, True) for path in plan.paths for top in (path.top, path.metadata)}
    tops |= {(one.top, True) for one in plan.channels}
    tops |= {(path.drain, False) for path in plan.paths}
    tops |= {(one.exchange, False) for one in plan.processes}
    tops |= {(one.top, False) for one in plan.services.messages}
    return tops | {(row + tier.ask, False) for row, tier in enumerate(plan.tiers) if tier.ask}


def _used(plan: Plan, top: int, *, alone: bool) -> Iterator[tuple[int, bool]]:
    """Yield the resources from a tier down to ``end``; true if the process itself uses them.

    ``alone``: true if a process makes the requests that begin there.
    """
    tiers = [(tier, traits_of_tier(tier.kind)) for _, tier in plan.chain(top)]
    alone = alone and not any(traits.merges for _, traits in tiers)  # Asked ones fork.
    for tier, traits in tiers:
        for hold in (*tier.down, *tier.up):
            yield hold.part, alone and hold.slot == 0
        alone = alone and traits.alone and tier.window == 1
