"""The places of a path: which node or device a request concerns, and what is around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.config.errors import Path
from simulator.config.lowering.tables import Tables
from simulator.plan.codes import FORWARD
from simulator.plan.paths import TierPlan


class WalkError(ValueError):
    """A path that no request could take: where in the file, and why."""

    def __init__(self, at: Path, about: str) -> None:
        self.at = at
        super().__init__(about)


@dataclass
class Place:
    """One place of a path."""

    group: int
    around: int = -1
    """The place that it is inside of, where that is known."""


class Places:
    """The places of a path as they are met, and the tiers so far, which may decide some."""

    def __init__(self, tables: Tables, places: list[Place], here: int) -> None:
        self.tables = tables
        self.places = places
        self.here = here
        """The place where the request is."""
        self.tiers: list[TierPlan] = []
        self._known_below: set[int] = set()
        """The places around others that have been decided since the last store."""

    def add(self, kind: int, **fields: Any) -> None:
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
        return self._new(group, around=slot)

    def _around(self, slot: int) -> int:
        """Return the place around one; a place that comes after it in the list is decided by it."""
        place = self.places[slot]
        parent = self.tables.groups[place.group].parent
        if place.around < 0:
            place.around = self._new(parent)
        around = place.around
        later = around > slot and self.tables.groups[parent].count > 1
        if later and around not in self._known_below:
            self._known_below.add(around)
            self.add(FORWARD, slot=around, by=slot)
        return around

    def _around_all(self, slot: int) -> set[int]:
        """Return a place, and those around it as far as they are known."""
        found = set()
        while slot >= 0:
            found.add(slot)
            slot = self.places[slot].around
        return found

    def _single(self, group: int) -> int:
        for number, place in enumerate(self.places):
            if place.group == group:
                return number
        return self._new(group)

    def _new(self, group: int, around: int = -1) -> int:
        if self.tables.groups[group].count == 1 and around < 0:
            for number, place in enumerate(self.places):
                if place.group == group:
                    return number
        self.places.append(Place(group, around))
        return len(self.places) - 1

    def _new_node(self, group: int) -> int:
        """Return a new place, within a new place of each group around it."""
        parent = self.tables.groups[group].parent
        return self._new(group, around=self._new_node(parent) if parent >= 0 else -1)

    def _node_name(self, group: int) -> str:
        """Return the name of a group, or of the group of nodes that its devices are in."""
        names = [self.tables.groups[one].name for one in self.tables.ancestors(group)]
        return next((name for name in names if name in self.tables.group_of), names[0])

    def _group_name(self, slot: int) -> str:
        return self.tables.groups[self.places[slot].group].name
