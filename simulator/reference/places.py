"""Places: which member of each group a request concerns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.plan.parts import GroupPlan


@dataclass(frozen=True, slots=True)
class Places:
    """The members at the places of a path, as far as they are decided."""

    groups: tuple[GroupPlan, ...]
    """The group at each place."""
    parents: tuple[int, ...]
    """The place of each group's parent; -1 for none."""
    members: tuple[int, ...]
    """-1 where no tier has decided yet."""
    later: frozenset[int]
    """Places that tiers decide."""
    lead: int
    """Of the file."""

    def member(self, place: int) -> int:
        """Return the member at a place; where no tier decides it, it follows from the lead."""
        decided = self.members[place]
        if decided >= 0:
            return decided
        group, parent = self.groups[place], self.parents[place]
        if parent < 0:
            return self.lead % group.count
        return self.member(parent) * group.each + self.lead % group.each

    def is_decided(self, place: int) -> bool:
        """Return whether the member at a place will not change any more."""
        if self.members[place] >= 0:
            return True
        parent = self.parents[place]
        return place not in self.later and (parent < 0 or self.is_decided(parent))

    def siblings(self, place: int) -> tuple[int, int]:
        """Return the first member that a stripe can use, and how many there are."""
        group, parent = self.groups[place], self.parents[place]
        if parent >= 0 and self.is_decided(parent):
            return self.member(parent) * group.each, group.each
        return 0, group.count

    def owner(self, place: int) -> int:
        """Return the member of the parent at a place; 0 without a parent."""
        parent = self.parents[place]
        return self.member(parent) if parent >= 0 else 0

    def undecided(self) -> Places:
        """Return the same places, of which only those in groups of one member are decided."""
        members = tuple(0 if group.count == 1 else -1 for group in self.groups)
        return replace(self, members=members, later=frozenset())

    def having(self, place: int, member: int) -> Places:
        """Return the same places with one more decided."""
        members = [*self.members]
        members[place] = member
        return replace(self, members=tuple(members))

    def having_branch(self, place: int, member: int) -> Places:
        """Return the same places with a member decided, and the parents that it belongs to."""
        parent = self.parents[place]
        places = self.having(place, member)
        if parent < 0:
            return places
        return places.having_branch(parent, member // self.groups[place].each)


def places_of(groups: Sequence[GroupPlan], rows: Sequence[int], lead: int) -> Places:
    """Return places in the groups of these rows; only groups of one member are decided."""
    parents = []
    for place, row in enumerate(rows):
        before = [other for other in range(place) if rows[other] == groups[row].parent]
        parents.append(before[-1] if before else -1)
    of = tuple(groups[row] for row in rows)
    return Places(of, tuple(parents), (-1,) * len(of), frozenset(), lead).undecided()
