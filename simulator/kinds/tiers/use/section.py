"""A store, a buffer cache, or a part that is a stage, by its name alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from simulator.config.errors import Fault, Path
from simulator.config.lowering.walk import Walk
from simulator.config.quantities import Name
from simulator.config.tier import NO_BYTES, Tier, WalkError
from simulator.kinds.tiers.stage.section import add_stage
from simulator.plan.codes import BUFFERS, STORE


class Use(Tier):
    """A store, a buffer cache, or a part that is a stage; a plain name is short for it."""

    rank = 1
    twice = False
    shorthand = {"text": "use"}
    naming = {"use": "tier"}

    use: Name
    """Its name."""

    def lower(self, walk: Walk, at: Path) -> None:
        """Add a store, a buffer cache or a stage."""
        there = (*at, "use")
        if self.use in walk.tables.machine.stores:
            _add_store(walk, self.use, there)
        elif self.use in walk.tables.machine.buffer_caches:
            _add_buffers(walk, self.use, there)
        else:
            add_stage(walk, [(self.use, None)], 0, there)

    def misplaced(self, role: str, stores: Collection[str]) -> Iterator[Fault]:
        """Find a store where requests have no bytes."""
        if self.use in stores and role == "metadata":
            yield ("use",), f"a store {NO_BYTES}"
        elif self.use in stores and role == "locks":
            yield ("use",), "a store has no effect on requests for locks; leave it out"


def _add_store(walk: Walk, name: str, at: Path) -> None:
    """Add a store."""
    walk.dealt = {}
    walk.io.refuse(f"{name} is a store", at)
    walk.meet(name, at, "a block cannot be in it twice")
    slot = walk.reach(name, at)
    _holds_whole_parts(walk, name, slot, at)
    if walk.decided is not None:
        about = f"{name} comes after this, and before a network to where it leads"
        raise WalkError(walk.decided_at, f"{about}; write this after {name}")
    if walk.first_store < 0:
        walk.first_store = len(walk.tiers)
    walk.kept_on |= walk.last_parts()
    walk.known_below.clear()
    if walk.places[slot].group in walk.tables.single:
        walk.here = slot  # Its write-backs come from no node.
    walk.add(STORE, row=walk.tables.store_of[name, walk.places[slot].group], slot=slot)


def _holds_whole_parts(walk: Walk, name: str, slot: int, at: Path) -> None:
    """Refuse a store that several members of a stripe share: it could not tell their blocks."""
    within = {slot}
    while (slot := walk.places[slot].around) >= 0:
        within.add(slot)
    for stripe in walk.stripes:
        if stripe not in within and walk.tables.groups[walk.places[stripe].group].count > 1:
            members = walk.group_name(stripe)
            about = f"{name} comes after stripes over {members}, and has to be in each of these"
            cure = _each_a_store(walk, members, name, walk.places[stripe].group)
            raise WalkError(at, f"{about}; write {cure}, or the stripe after it")


def _each_a_store(walk: Walk, members: str, name: str, group: int) -> str:
    """Return how each member of a stripe gets a store: stores are at nodes, not at devices."""
    nodes, around = walk.tables.machine.nodes, walk.node_name(group)
    if members in nodes:
        return f"'at: {members}' in it"
    if around not in nodes:
        return f"'of: ' with a group of nodes that have {members}"
    each = f"'volume: {{count: {walk.tables.groups[group].each}, per: {around}}}' in nodes"
    whole = f"'of: {around}' in the stripe and 'at: {around}' in {name}"
    apart = f"'at: volume' in {name} and, instead of its count, in {members}"
    return f"{whole}; or {each}, {apart}, and 'of: volume'"


def _add_buffers(walk: Walk, name: str, at: Path) -> None:
    """Add a buffer cache of I/O nodes, where a path ends but for the RAID unit."""
    slot = walk.reach(name, at)
    machine, group = walk.tables.machine, walk.tables.groups[walk.places[slot].group]
    if walk.arriving or slot > 1 or (slot == 0 and group.count > 1):
        about = f"no request for pieces of a file can come to {name} here"
        about = f"{about}; write the stripe over {group.name} and a network before it"
        raise WalkError(at, about)
    row = list(machine.buffer_caches).index(name)
    walk.add(BUFFERS, row=row, slot=slot, down=(walk.io.enter(name, group.count, slot, at),))
