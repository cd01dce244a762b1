"""The tiers of a path one after the other, and what an engine could not do on its way down them.

Places are decided from the top down: a tier may use a place only if its member is known there.
Below a store a request may be a worker's or a reader's, which knows only the store's own member.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.kinds import names
from simulator.plan.codes import (
    BEFORE,
    BUFFERS,
    COMMIT,
    END,
    FORWARD,
    HOLD,
    LOCKS,
    METADATA,
    REQUEST,
    STAGE,
    STORE,
    STRIPE,
    WORK,
)
from tests.twins.plans.askedfaults import way_faults
from tests.twins.plans.lockfaults import lock_faults, store_below

if TYPE_CHECKING:
    from simulator.plan.paths import Hold, TierPlan
    from simulator.plan.plan import Plan


def parent_place(plan: Plan, places: Sequence[int], slot: int) -> int:
    """Return the place of a place's parent: the last one before it in the parent's group, or -1."""
    parent = plan.groups[places[slot]].parent
    before = [place for place in range(slot) if places[place] == parent]
    return before[-1] if before and parent >= 0 else -1


@dataclass(frozen=True, slots=True)
class Chain:
    """The tiers from one on down to ``end``, with the groups of the places that they name."""

    name: str
    top: int
    places: tuple[int, ...]
    known: frozenset[int] = frozenset((0,))
    """The places whose members are known at the top."""
    empty: bool = False
    """Its requests move no data: metadata."""
    calls: bool = False
    """It is that of the calls of processes."""
    locks: bool = False
    """Its requests ask for locks."""

    def rows(self, plan: Plan) -> list[int]:
        """Return the rows of its tiers, without ``end``; empty if it does not come to one."""
        if not 0 <= self.top < len(plan.tiers):
            return []
        for row in range(self.top, len(plan.tiers)):
            if plan.tiers[row].kind == END:
                return list(range(self.top, row))
        return []

    def ends(self, plan: Plan) -> bool:
        """Whether it begins at a tier and comes to ``end``."""
        return 0 <= self.top < len(plan.tiers) and any(
            tier.kind == END for tier in plan.tiers[self.top :]
        )


class _Known:
    """The places whose members are known at a tier of a chain."""

    def __init__(self, plan: Plan, chain: Chain, tiers: Sequence[TierPlan]) -> None:
        self.plan = plan
        self.chain = chain
        self.decided = {tier.slot for tier in tiers if tier.kind in (STRIPE, FORWARD)}
        asked = {tier.slot for tier in tiers if tier.kind == BUFFERS}
        self.now = set(chain.known) | (asked - self.decided)

    def has(self, slot: int) -> bool:
        """Whether the member of a place is known."""
        group = self.plan.groups[self.chain.places[slot]]
        if slot in self.now or group.count == 1:
            return True
        if slot in self.decided or slot in self.chain.known:
            return False
        if parent_place(self.plan, self.chain.places, slot) < 0:
            return True
        return self.parent_of(slot)

    def parent_of(self, slot: int) -> bool:
        """Whether the member of the parent of a place's group is known."""
        parent = parent_place(self.plan, self.chain.places, slot)
        return parent >= 0 and self.has(parent)


def chain_faults(plan: Plan, chain: Chain) -> Iterator[str]:
    """Yield what an engine could not do along a chain."""
    if not chain.ends(plan):
        yield f"{chain.name}: tier {chain.top} is no beginning of tiers that come to an end"
        return
    if any(not 0 <= group < len(plan.groups) for group in chain.places) or not chain.places:
        yield f"{chain.name}: places {chain.places} are not all groups"
        return
    rows = chain.rows(plan)
    known = _Known(plan, chain, [plan.tiers[row] for row in rows])
    for row in rows:
        tier = plan.tiers[row]
        where = f"{chain.name}: tier {row}"
        yield from (f"{where} {fault}" for fault in _tier_faults(plan, chain, known, tier))
        if tier.kind == BUFFERS:
            above = [plan.tiers[one] for one in rows if one <= row]
            for fault in way_faults(plan, above, plan.tiers[row + 1], chain.places):
                yield f"{where} {fault}"
            if not chain.calls:
                yield f"{where} has buffers, to which calls of processes lead only"
        if tier.kind == LOCKS:
            above = [plan.tiers[one] for one in rows if one <= row]
            found = [*lock_faults(plan, above, chain.places)]
            found += [] if found else store_below(plan, [one for one in rows if one >= row])
            if not chain.calls:
                found.append("has locks, which calls of processes take only")
            yield from (f"{where} {fault}" for fault in found)
        if tier.kind in (STRIPE, FORWARD) and _is_place(chain, tier.slot):
            known.now.add(tier.slot)
        elif tier.kind == STORE and _is_place(chain, tier.slot):
            known.now = set(_with_parents(plan, chain.places, tier.slot))


def _with_parents(plan: Plan, places: Sequence[int], slot: int) -> Iterator[int]:
    """Yield a place and those of its group's parents."""
    while slot >= 0:
        yield slot
        slot = parent_place(plan, places, slot)


def _is_place(chain: Chain, slot: int) -> bool:
    return 0 <= slot < len(chain.places)


def _tier_faults(plan: Plan, chain: Chain, known: _Known, tier: TierPlan) -> Iterator[str]:
    if tier.kind in (STAGE, WORK, HOLD, BUFFERS, COMMIT):
        yield from _part_faults(plan, chain, known, tier)
    elif tier.kind in (REQUEST, BEFORE):
        yield from _own_faults(chain, tier)
    elif tier.kind == STRIPE:
        yield from _stripe_faults(plan, chain, known, tier)
    elif tier.kind == FORWARD:
        if not _is_place(chain, tier.slot) or not _is_place(chain, tier.by) or tier.slot == 0:
            yield f"decides place {tier.slot} from place {tier.by}"
        elif not known.has(tier.by):
            yield f"uses place {tier.by}, which nothing has decided"
    elif tier.kind == STORE:
        yield from _store_faults(plan, chain, known, tier)
    elif tier.kind in names("tiers", "reference"):
        for hold in (*tier.down, *tier.up):
            yield from _hold_faults(plan, chain, known, tier, hold)
    else:
        yield f"is of unknown kind {tier.kind}"


def _own_faults(chain: Chain, tier: TierPlan) -> Iterator[str]:
    """Yield the faults of a tier that uses neither parts nor places."""
    kinds = len(METADATA)
    if tier.kind == REQUEST:
        if tier.size < 1 or tier.window < 1:
            yield f"cuts at {tier.size} B with a window of {tier.window}"
        return
    if not chain.empty or chain.locks:
        yield "asks before requests that are no metadata operations"
    if len(tier.kinds) != kinds or not all(-1 <= one < kinds for one in tier.kinds):
        yield f"asks kinds {tier.kinds} before others"


def _stripe_faults(plan: Plan, chain: Chain, known: _Known, tier: TierPlan) -> Iterator[str]:
    if not _is_place(chain, tier.slot) or tier.slot == 0:
        yield f"decides place {tier.slot}"
        return
    if chain.empty and not chain.locks:
        yield "stripes requests without data"
    group = plan.groups[chain.places[tier.slot]]
    if tier.slot in known.now and group.count > 1:
        yield f"decides place {tier.slot}, which is decided already"
    most = group.each if group.parent >= 0 and known.parent_of(tier.slot) else group.count
    if tier.size < 1 or not 1 <= tier.width <= most:
        yield f"stripes units of {tier.size} B over {tier.width} of {most} members"
    members = tier.data + tier.parity
    if tier.parity and (tier.data < 1 or tier.width % members):
        yield f"has a code of {tier.data}+{tier.parity} over {tier.width} members"
    if len(tier.down) > bool(tier.parity) or tier.up or (tier.data and not tier.parity):
        yield "computes a code, and has none"
    for hold in tier.down:
        yield from _hold_faults(plan, chain, known, tier, hold)


def _store_faults(plan: Plan, chain: Chain, known: _Known, tier: TierPlan) -> Iterator[str]:
    if chain.empty:
        yield "keeps data of requests without data"
    if not 0 <= tier.row < len(plan.stores) or not _is_place(chain, tier.slot):
        yield f"names store {tier.row} at place {tier.slot}"
        return
    if chain.places[tier.slot] != plan.stores[tier.row].group:
        yield f"has store {plan.stores[tier.row].name} at a place of another group"
    elif not known.has(tier.slot):
        yield f"uses place {tier.slot}, which nothing has decided"


def _part_faults(plan: Plan, chain: Chain, known: _Known, tier: TierPlan) -> Iterator[str]:
    """Yield the faults of a tier that uses parts."""
    if tier.kind != STAGE and (len(tier.down) != 1 or tier.up):
        yield f"needs one part, has {len(tier.down) + len(tier.up)}"
    priced = 0 if tier.kind != WORK or chain.locks else len(METADATA)
    if len(tier.costs) not in (0, priced, 2 * priced):
        yield f"has costs of {len(tier.costs)} kinds of metadata operations"
    if min(tier.costs, default=0) < -1:
        yield f"has a cost of {min(tier.costs)} ns"
    if tier.header < 0:
        yield f"has a header of {tier.header} B"
    for way in (tier.down, tier.up):
        for hold in way:
            yield from _hold_faults(plan, chain, known, tier, hold)
        rows = [hold.part for hold in way]
        parts = [plan.parts[row] for row in rows if 0 <= row < len(plan.parts)]
        joined = [part.kind for part in parts if part.traits.alone]
        if joined and (len(way) > 1 or tier.packets):
            yield f"holds a {joined[0]} part together with others"
        if len(set(rows)) < len(rows) and not tier.remote_only:
            yield "holds a part twice"
        if tier.pieces and (len(way) > 1 or joined):
            yield "deals out pieces to several parts, or to a shared one"
    if tier.packets and (tier.kind != STAGE or tier.pieces):
        yield "passes packets, and is no stage or deals out pieces"
    if tier.kind == HOLD and tier.down and 0 <= tier.down[0].part < len(plan.parts):
        part = plan.parts[tier.down[0].part]
        if part.kind != "queue":
            yield f"holds a server of {part.label}, which is no queue"


def _hold_faults(
    plan: Plan, chain: Chain, known: _Known, tier: TierPlan, hold: Hold
) -> Iterator[str]:
    if not 0 <= hold.part < len(plan.parts) or not _is_place(chain, hold.slot):
        yield f"uses part {hold.part} at place {hold.slot}"
        return
    part = plan.parts[hold.part]
    group = plan.groups[chain.places[hold.slot]]
    if not part.traits.usable or (part.traits.only_syncs and tier.kind != COMMIT):
        yield f"uses {part.label}, a {part.kind}"
    if chain.places[hold.slot] != part.group:
        yield f"uses {part.label} at a place of another group"
    elif tier.pieces and hold.slot == tier.slot:
        each = group.each if group.parent >= 0 else group.count
        if tier.width != each:
            yield f"deals out pieces to {tier.width} of {each} members"
        elif parent_place(plan, chain.places, hold.slot) >= 0 and not known.parent_of(hold.slot):
            yield f"uses place {hold.slot}, whose parent nothing has decided"
    elif not known.has(hold.slot):
        yield f"uses place {hold.slot}, which nothing has decided"


# -- waiting in a circle ------------------------------------------------------------------------


def circles(plan: Plan, chains: Sequence[Chain]) -> Iterator[str]:
    """Yield which pools and stores requests could wait for in a circle.

    A request keeps the servers of the pools above while it waits for one below; and writers wait
    for a store's workers, whose requests go to the tiers below it.
    """
    below: dict[str, set[str]] = {}
    for chain in chains:
        above = ["a lock"] if chain.locks else []
        for row in chain.rows(plan):
            tier = plan.tiers[row]
            name = "a lock" if tier.kind == LOCKS else ""
            if tier.kind == HOLD and tier.down:
                name = f"part {tier.down[0].part}"
            elif tier.kind == STORE:
                name = f"store {tier.row}"
            if name:
                for other in above:
                    below.setdefault(other, set()).add(name)
                above.append(name)
    for name in below:
        if _reaches(below, name):
            yield f"requests that keep {name} could wait for it again further down"


def _reaches(below: dict[str, set[str]], name: str) -> bool:
    """Whether something comes after itself."""
    seen: set[str] = set()
    left = list(below[name])
    while left:
        one = left.pop()
        if one == name:
            return True
        if one not in seen:
            seen.add(one)
            left += below.get(one, ())
    return False


def kept(plan: Plan, chain: Chain) -> dict[int, tuple[object, ...]]:
    """Return for each store of a chain what decides where its blocks are and go.

    The stripes above it, since offsets below them are local, and all that stands below it.
    """
    rows = chain.rows(plan)
    found: dict[int, tuple[object, ...]] = {}
    for place, row in enumerate(rows):
        tier = plan.tiers[row]
        if tier.kind == STORE:
            above = [plan.tiers[one] for one in rows[:place]]
            stripes = tuple(
                (t.size, t.width, t.slot, t.data, t.parity) for t in above if t.kind == STRIPE
            )
            tail = tuple(plan.tiers[one] for one in rows[place:])
            found[tier.row] = (stripes, tail, chain.places)
    return found
