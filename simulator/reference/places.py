"""Places: the member of each group that a request uses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.plan.stripe import member_in_turn

if TYPE_CHECKING:
    from simulator.plan.parts import GroupPlan


@dataclass(slots=True)
class Places:
    """The members at the places of a path, as far as they are decided (immutable)."""

    groups: tuple[GroupPlan, ...]
    """The group at each place."""
    parents: tuple[int, ...]
    """The place of each group's parent; -1 for none."""
    members: tuple[int, ...]
    """-1 where no tier has decided yet."""
    later: frozenset[int]
    """Places that tiers will decide."""
    lead: int
    """Number of the file among those of its devices."""
    within: int
    """Number of the file among those within a node; -1: as ``lead``."""
    table: tuple[GroupPlan, ...]
    """All groups of the plan."""
    rows: tuple[int, ...]
    """Row of the group at each place."""
    known: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)
    """Cache of values that tiers derive from these places alone."""

    def member(self, place: int) -> int:
        """Return the member at a place; where no tier decides it, it follows from the file."""
        decided = self.members[place]
        if decided >= 0:
            return decided
        group, parent = self.groups[place], self.parents[place]
        if parent < 0:
            return member_in_turn(self.table, self.rows[place], self.lead % group.count)
        return self.member(parent) * group.each + self.number(place) % group.each

    def number(self, place: int) -> int:
        """Return the file's number among those of the member's node, or among all."""
        if self.parents[place] < 0:
            return self.lead
        divisor, around = 1, self.table[self.table[self.rows[place]].parent]
        while around.parent >= 0:
            divisor, around = divisor * around.each, self.table[around.parent]
        return self.within // divisor

    def in_turn(self, place: int, unit: int) -> int:
        """Return the member of a unit of the file: within one node, or over all nodes in turn."""
        group, parent = self.groups[place], self.parents[place]
        if parent >= 0 and self.is_decided(parent):
            return self.member(parent) * group.each + (self.number(place) + unit) % group.each
        return member_in_turn(self.table, self.rows[place], (self.lead + unit) % group.count)

    def is_decided(self, place: int) -> bool:
        """Return whether the member at a place is final."""
        if self.members[place] >= 0:
            return True
        parent = self.parents[place]
        return place not in self.later and (parent < 0 or self.is_decided(parent))

    def owner(self, place: int) -> int:
        """Return the member of the parent at a place; 0 without a parent."""
        parent = self.parents[place]
        return self.member(parent) if parent >= 0 else 0

    def undecided(self) -> Places:
        """Return the same places, decided only in groups of one member."""
        members = tuple(0 if group.count == 1 else -1 for group in self.groups)
        return self._like(members, frozenset())

    def deciding(self, later: frozenset[int]) -> Places:
        """Return the same places, of which tiers decide others later."""
        return self._like(self.members, later)

    def having(self, place: int, member: int) -> Places:
        """Return the same places with one more decided."""
        members = (*self.members[:place], member, *self.members[place + 1 :])
        return self._like(members, self.later)

    def _like(self, members: tuple[int, ...], later: frozenset[int]) -> Places:
        """Copy with changes, four times as fast as replace(); the cache starts empty."""
        groups, parents, table, rows = self.groups, self.parents, self.table, self.rows
        return Places(groups, parents, members, later, self.lead, self.within, table, rows)

    def having_branch(self, place: int, member: int) -> Places:
        """Return the same places with a member decided, and the parents that own it."""
        parent = self.parents[place]
        places = self.having(place, member)
        if parent < 0:
            return places
        return places.having_branch(parent, member // self.groups[place].each)


def places_of(
    groups: tuple[GroupPlan, ...], rows: tuple[int, ...], lead: int = 0, within: int = 0
) -> Places:
    """Return places in the groups of these rows; only groups of one member are decided."""
    parents = []
    for place, row in enumerate(rows):
        before = [other for other in range(place) if rows[other] == groups[row].parent]
        parents.append(before[-1] if before else -1)
    of = tuple(groups[row] for row in rows)
    nowhere = (-1,) * len(of)
    made = Places(of, tuple(parents), nowhere, frozenset(), lead, within, groups, rows)
    return made.undecided()
