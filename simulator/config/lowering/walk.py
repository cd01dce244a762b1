"""A walk along a path, from a program down to a device: it keeps track of where a request is.

A *place* is one node or device that the request concerns; place 0 is the program's node. What a
stage names must be where the request is; a network leads from there to another place. A layout
decides on a place before the request reaches it. What each kind of tier does on a walk stands in
its folder of ``simulator/kinds/tiers``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.config.errors import Path
from simulator.config.lowering.ionodes import IoNodes
from simulator.config.lowering.tables import Rows, Tables
from simulator.config.part import IN, OUT, WRITE
from simulator.config.tier import Step, Tier, WalkError
from simulator.plan.codes import FORWARD, STAGE
from simulator.plan.paths import Hold, TierPlan

if TYPE_CHECKING:
    from simulator.config.lowering.locks import Locked


ROUND_ROBIN, LUSTRE, RANDOM, LEAST_USED = "round-robin", "lustre", "random", "least-used"
"""How files are placed on the members that they are striped over."""


class FilePlacement(NamedTuple):
    """How a stripe places files, if not in turn."""

    how: str
    members: int
    unit: int
    width: int


@dataclass
class Place:
    """One place of a path."""

    group: int
    around: int = -1
    """The place that it is inside of, where that is known."""


class Walk:
    """The tiers and places of one path so far, and where the request is."""

    def __init__(self, tables: Tables, places: list[Place], here: int = 0) -> None:
        self.tables = tables
        self.places = places
        self.here = here
        """The place where the request is."""
        self.tiers: list[TierPlan] = []
        self.known_below: set[int] = set()
        """The places around others that have been decided since the last store."""
        self.free = False
        """What the request has passed leads everywhere."""
        self._been = {places[0].group, places[here].group}
        """The groups where the request has been."""
        self.decided: int | None = None
        """The place that a layout has decided, and that the request is still to reach."""
        self.arriving = False
        """It is a message's: it comes to a place, not to a device."""
        self.decided_at: Path = ()
        self.header = 0
        """Bytes of the messages of a stage that does not say them."""
        self.first_store = -1
        """The first store before a request is divided."""
        self.dealt: dict[str, int] = {}
        """How the stages that follow are dealt out: fields of their tiers."""
        self.stripes: list[int] = []
        """The places that stripes have decided."""
        self._met: set[str] = set()
        """Stores and pools so far."""
        self.kept_on: set[tuple[str, int]] = set()
        """Parts, and their places, that keep what a write-back or a copy reads: it reads them too,
        and a fetch writes them."""
        self.placed: FilePlacement | None = None
        """How files are placed if not in turn."""
        self.io = IoNodes()
        self.locked: Locked | None = None
        """Its locks of files."""
        self._ahead: Sequence[str] = ()
        """What the steps after the present one name."""

    def go(self, tiers: Iterable[Tier], at: Path) -> None:
        """Carry out tiers in order; ``at`` is the place of their list in the file."""
        steps: list[Step] = []
        for index, tier in enumerate(tiers):
            steps += tier.steps((*at, index))
        caches = self.tables.machine.buffer_caches
        self.io.ahead = next((n for one in steps for n in one.names if n in caches), "")
        for number, step in enumerate(steps):
            self._ahead = [name for later in steps[number + 1 :] for name in later.names]
            step.lower(self)
        self.io.finish(at)
        if self.decided is not None and not (self.arriving and self.free):
            group = self.group_name(self.decided)
            about = f"no network leads to {group} after this; write '{{route: [NAME]}}' after it"
            raise WalkError(self.decided_at, about)

    def last_parts(self) -> set[tuple[str, int]]:
        """Return the parts, and their places, of the stages since the last tier that is none."""
        parts = self.tables.parts
        stages = takewhile(lambda tier: tier.kind == STAGE, reversed(self.tiers))
        return {(parts[one.part].name, one.slot) for tier in stages for one in tier.down}

    def use(self, name: str, at: Path) -> Hold:
        """Return a part that must be where the request is, as requests use it on their way down."""
        return self.hold(name, self.reach(name, at), WRITE)

    def meet(self, name: str, at: Path, why: str) -> None:
        """Refuse a store or pool that a request has met already."""
        if name in self._met:
            raise WalkError(at, f"{name} is on this path twice: {why}; leave one out")
        self._met.add(name)

    def add(self, kind: str, **fields: Any) -> None:
        """Add a tier."""
        self.tiers.append(TierPlan(kind=kind, **fields))

    def _near(self, slot: int, group: int) -> int | None:
        """Return the place of a group on the same node: around a place, inside of it, or beside."""
        inside = list(self.tables.ancestors(group))
        at = slot
        while (here := self.places[at].group) not in inside:
            if set(inside).isdisjoint(self.tables.ancestors(here)):
                return None
            at = self._around(at)
        for inner in reversed(inside[: inside.index(here)]):
            at = self._inside(at, inner)
        return at

    def _inside(self, slot: int, group: int) -> int:
        for number, place in enumerate(self.places):
            if place.group == group and place.around == slot:
                return number
        return self.new_place(group, around=slot)

    def _around(self, slot: int) -> int:
        """Return the place around one; a place that comes after it in the list is decided by it."""
        place = self.places[slot]
        parent = self.tables.groups[place.group].parent
        if place.around < 0:
            place.around = self.new_place(parent)
        around = place.around
        later = around > slot and self.tables.groups[parent].count > 1
        if later and around not in self.known_below:
            self.known_below.add(around)
            self.add(FORWARD, slot=around, by=slot)
        return around

    def around_all(self, slot: int) -> set[int]:
        """Return a place, and those around it as far as they are known."""
        found = set()
        while slot >= 0:
            found.add(slot)
            slot = self.places[slot].around
        return found

    def _single(self, group: int) -> int:
        groups = [place.group for place in self.places]
        return groups.index(group) if group in groups else self.new_place(group)

    def new_place(self, group: int, around: int = -1) -> int:
        """Return a new place of a group; that which there is of one without others."""
        groups = [place.group for place in self.places]
        if self.tables.groups[group].count == 1 and around < 0 and group in groups:
            return groups.index(group)
        self.places.append(Place(group, around))
        return len(self.places) - 1

    def _new_node(self, group: int) -> int:
        """Return a new place, within a new place of each group around it."""
        parent = self.tables.groups[group].parent
        return self.new_place(group, around=self._new_node(parent) if parent >= 0 else -1)

    def node_name(self, group: int) -> str:
        """Return the name of a group, or of the group of nodes that its devices are in."""
        names = [self.tables.groups[one].name for one in self.tables.ancestors(group)]
        return next((name for name in names if name in self.tables.group_of), names[0])

    def group_name(self, slot: int) -> str:
        """Return the name of the group of a place."""
        return self.tables.groups[self.places[slot].group].name

    def arrive(self, slot: int) -> None:
        """Have the next network lead to this place; so does what is reached from everywhere."""
        self.decided = slot
        self.arriving = True

    # -- places -------------------------------------------------------------------------------

    def reach(self, name: str, at: Path, source: int | None = None) -> int:
        """Return the place of a part or store that must be where the request is."""
        groups = self.tables.homes[name]
        if groups[0] in self.tables.single:
            self.free = True
            return self._single(groups[0])
        for slot in (self.here,) if source in (None, self.here) else (self.here, source):
            assert slot is not None
            for group in groups:
                if (found := self._near(slot, group)) is not None:
                    return found
        decided = self.decided
        if self.free:
            targets = [decided] if decided is not None else []
            targets += [self._new_node(group) for group in groups if group not in self._been]
            for target in targets:
                if any((found := self._near(target, group)) is not None for group in groups):
                    self._go_to(target)
                    return self.here if found is None else found
        there = " and ".join(self.node_name(group) for group in groups)
        here = self.node_name(self.places[self.here].group)
        about = f"{name} is at {there}, and the request is still at {here}"
        if self._been.intersection(groups):
            about = f"{name} is at {there}, which the request has left: it is at {here}"
        nets = [key for key, part in self.tables.machine.parts.items() if part.network]
        example = nets[0] if nets else "nic"
        raise WalkError(
            at, f"{about}; write the network between them before it, like '[{example}]'"
        )

    def members(self, name: str, at: Path) -> tuple[int, int]:
        """Return a new place among the members that a file is striped over, and their number."""
        groups = self.tables.groups_of(name)
        if len(groups) > 1:
            about = f"{name} is in several groups of nodes; write the name of one of these"
            raise WalkError((*at, "of"), about)
        group = groups[0]
        plan = self.tables.groups[group]
        if group in self.tables.single:
            return self._single(group), plan.count
        if plan.parent >= 0 and (around := self._near(self.here, plan.parent)) is not None:
            return self.new_place(group, around=around), plan.each
        if self.decided is not None and self.places[self.decided].group == plan.parent:
            return self.new_place(group, around=self.decided), plan.each
        if any(place.group == plan.parent for place in self.places):
            inside = self.tables.groups[plan.parent].name
            about = f"{name} is in each {inside}, where the request has been already"
            raise WalkError((*at, "of"), f"{about}; write the stripes before the network to it")
        self.decided, self.decided_at = self.new_place(group), at
        return self.decided, plan.count

    # -- networks -----------------------------------------------------------------------------

    def hop(self, name: str, to: str | None, at: Path, beside: Sequence[str]) -> None:
        """Go where a network leads."""
        ends = self.tables.homes[name]
        decided = self.decided
        if to is not None:
            target = self._named(self.tables.group_of[to])
        elif decided is not None:
            target = decided
            for group in ends:
                found = self._near(decided, group)
                if found is not None:
                    target = found
                    break
        else:
            target = self._end(self._next(name, ends, at, beside))
        out, into = self.port(name, self.here, OUT), self.port(name, target, IN)
        if not out and not into:
            here, there = self.group_name(self.here), self.group_name(target)
            known = " and ".join(self.tables.groups[group].name for group in ends)
            raise WalkError(at, f"{name} joins {known}, not {here} and {there}; write another")
        if not (out and into):
            self._refuse_one_end(name, self.here if into else target, target, at)
        self._go_to(target)

    def _refuse_one_end(self, name: str, without: int, target: int, at: Path) -> None:
        """Refuse a network with a port at one end only, unless the other is at no node."""
        *_, group = self.tables.ancestors(self.places[without].group)
        if group in self.tables.single:
            return
        here, there = (self.node_name(self.places[one].group) for one in (self.here, target))
        lacks = self.node_name(self.places[without].group)
        groups = ", ".join([*(self.tables.machine.parts[name].at or ()), lacks])
        about = f"{name} leads from {here} to {there}, and {lacks} has no port of it"
        rates = f"'rate: {{{here}: .., {there}: ..}}'" if here != there else "a rate for each"
        raise WalkError(at, f"{about}; write 'at: [{groups}]' in {name}, {rates} if they differ")

    def _go_to(self, slot: int) -> None:
        self.here, self.free, self.decided = slot, False, None
        self._been.add(self.places[slot].group)

    def _named(self, group: int) -> int:
        """Return the place of a group that the file names as the end of a network."""
        if self.decided is not None and (found := self._near(self.decided, group)) is not None:
            return found
        return self._end(group)

    def _end(self, group: int) -> int:
        """Return where a network leads: into or out of a node, or to another place."""
        here = self.places[self.here].group
        if group != here and (
            here in self.tables.ancestors(group) or group in self.tables.ancestors(here)
        ):
            found = self._near(self.here, group)
            assert found is not None
            return found
        return self.new_place(group)

    def _next(self, name: str, ends: Sequence[int], at: Path, beside: Sequence[str]) -> int:
        """Return the group that a network leads to: what comes next tells, or there is one only.

        ``beside``: those in its stage, which may be at either end.
        """
        tables = self.tables
        here = set(tables.ancestors(self.places[self.here].group))
        for number, one in enumerate([*beside, *self._ahead]):
            if one in tables.machine.parts and tables.machine.parts[one].network:
                break
            for group in tables.groups_of(one):
                around = list(tables.ancestors(group))
                if group in tables.single:
                    continue
                local = not here.isdisjoint(around)
                if local and number < len(beside):
                    continue
                if end := [g for g in around if g in ends]:
                    return end[0]
                if local:
                    continue
                if len(ends) == 1 and ends[0] in here:
                    return around[-1]
        others = [group for group in ends if group not in here]
        if len(others) == 1:
            return others[0]
        if not others:  # Ports of one group only: to another node of the same group.
            return ends[0]
        known = ", ".join(tables.groups[group].name for group in others)
        about = f"{name} leads to {known}, and what comes after it does not tell which"
        example = f"{{part: {name}, to: {tables.groups[others[0]].name}}}"
        raise WalkError(at, f"{about}; write it like '[{example}]'")

    def port(self, name: str, slot: int, way: str) -> list[Hold]:
        """Return the port of a place, which may be that of the node around it."""
        at = slot
        for group in self.tables.ancestors(self.places[slot].group):
            if (name, group) in self.tables.rows:
                return [Hold(way_of(self.tables.rows[name, group], way), at)]
            if self.tables.groups[group].parent >= 0:
                at = self._around(at)
        return []

    def hold(self, name: str, slot: int, way: str) -> Hold:
        """Return how a request uses a part in a direction: which row, and with which service."""
        rows = self.tables.rows[name, self.places[slot].group]
        return Hold(way_of(rows, way), slot, writes=way == WRITE)


def way_of(rows: Rows, way: str) -> int:
    """Return the row of a way, or the one for all ways."""
    return rows[way] if way in rows else rows[""]
