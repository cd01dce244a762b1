"""Room for what is bought: places in other pieces, bays that several kinds share, and ports.

Pieces can be placed if those of each set of kinds are no more than its holders have room for, of
each at most its bays and at most what it takes of these kinds: the cut of a flow from kinds to
holders (Gale, A theorem on flows in networks, 1957). Pieces of one holder are spread evenly.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.config.requirement_file import Item

Pieces = Mapping[str, int]
Catalogue = Mapping[str, "Item"]


class Rooms:
    """The rooms of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.ports: Collection[str] = ()
        """What is in the catalogue, and served by pieces of it."""
        takers = {name: one.takes for name, one in catalogue.items() if one.takes}
        self._holders = {
            item: [holder for holder, takes in takers.items() if item in takes]
            for item in dict.fromkeys(item for takes in takers.values() for item in takes)
        }
        """The holders of what has its place in others."""
        self._sharing = list[list[str]]()
        """Kinds that may be in the way of each other, since they share bays."""
        for one in catalogue.values():
            if one.bays:
                kinds = [*one.takes]
                for other in [each for each in self._sharing if {*each} & {*kinds}]:
                    self._sharing.remove(other)
                    kinds += [kind for kind in other if kind not in kinds]
                self._sharing.append(kinds)

    def lack(self, pieces: Pieces) -> str | None:
        """Return for what there is no room, or no port; None if there is."""
        return next(self._lacking(pieces), None)

    def _lacking(self, pieces: Pieces) -> Iterator[str]:
        """Yield what has no room, alone first."""
        for item in self._holders:
            if item in pieces:
                yield from self._cut(pieces, (item,))
        for kinds in self._sharing:
            bought = [item for item in pieces if item in kinds]
            for size in range(2, len(bought) + 1):
                for several in itertools.combinations(bought, size):
                    yield from self._cut(pieces, several)
        yield from self._unclear(pieces)
        for item in self.ports:
            holders = [holder for holder, one in self._catalogue.items() if item in one.serves]
            served = sum(pieces.get(one, 0) * self._catalogue[one].serves[item] for one in holders)
            if pieces.get(item, 0) > served:
                names = " and ".join(holders)
                yield f"{pieces[item]:,} {item}, but {names} serve {served:,}"

    def _cut(self, pieces: Pieces, items: tuple[str, ...]) -> Iterator[str]:
        """Find that all holders of some kinds have too little room for them together."""
        holders = [*dict.fromkeys(holder for item in items for holder in self._holders[item])]
        room, by_bays = 0, False
        for holder in holders:
            one, count = self._catalogue[holder], pieces.get(holder, 0)
            taken = sum(one.takes.get(item, 0) for item in items)
            by_bays = by_bays or bool(one.bays and one.bays < taken and count)
            room += count * min(one.bays or taken, taken)
        if sum(pieces[item] for item in items) > room:
            have = "has" if by_bays and len(holders) == 1 else "have"
            what = f"{room:,} bays" if by_bays else f"room for {room:,}"
            yield f"{_all_of(pieces, items)}, but {' and '.join(holders)} {have} {what}"

    def _unclear(self, pieces: Pieces) -> Iterator[str]:
        """Find a holder that takes as many of each of several kinds: of each, or in all?"""
        for holder, count in pieces.items() if self._holders else ():
            one = self._catalogue[holder]
            if one.bays or len(one.takes) <= 1:
                continue
            inside = [
                item
                for item in one.takes
                if [other for other in self._holders[item] if other in pieces] == [holder]
                and item in pieces
            ]
            rooms = [one.takes[item] for item in inside]
            most, total = max(rooms, default=0), sum(pieces[item] for item in inside)
            if len({*rooms}) < len(rooms) and total > count * most:
                bays = f"'bays: {most}', or 'bays: {sum(rooms)}'"
                about = f"{holder} takes {most} of each or in all: write {bays}"
                yield f"{_all_of(pieces, inside)}, and {about}"


def _all_of(pieces: Pieces, items: Collection[str]) -> str:
    return " and ".join(f"{pieces[item]:,} {item}" for item in items)
