"""A comparison of combinations with their machines, made once for all that agree in what matters.

A value or a way that contradicts the machine whatever else is chosen is a mistake of the file. What
contradicts it beside some values of other choices only is a combination that cannot be bought.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.sizing.ledger import Contradiction, path_of

if TYPE_CHECKING:
    from simulator.config.errors import Path
    from simulator.sizing.configurations import Offer

MOST = 5_000
"""Combinations of the choices that matter which are all compared; of more so many are drawn."""


class Check:
    """A comparison, made once for all combinations that agree in the choices that matter to it."""

    def __init__(
        self,
        offer: Offer,
        matter: Iterable[int],
        compare: Callable[[Sequence[int]], Iterable[Contradiction]],
    ) -> None:
        """``compare`` gets the place of the level of each choice; others have their first."""
        self._offer = offer
        self.matter = sorted(set(matter))
        self._compare = compare
        self._known: dict[tuple[int, ...], tuple[Contradiction, ...]] = {}

    def of(self, places: Sequence[int]) -> tuple[Contradiction, ...]:
        """Return what contradicts a combination."""
        key = tuple(places[index] for index in self.matter)
        if key not in self._known:
            self._known[key] = tuple(self._compare(places_with(self._offer, self.matter, key)))
        return self._known[key]

    def mistakes(self) -> Iterator[Contradiction]:
        """Yield what is wrong with a value whatever else is chosen, and is so because of it.

        What another choice buys is too much beside one value of this one, and right beside another:
        that is a combination which cannot be bought.
        """
        keys = combinations(self._offer, self.matter)
        every = {key: places_with(self._offer, self.matter, key) for key in keys}
        broken = self._offer.rules.broken
        found = {
            key: self.of(places)
            for key, places in every.items()
            if broken(places, self.matter) is None
        }
        if found and all(found.values()):
            last = _always([*found.values()][::-1], ())
            yield from (one for one in last if one.blames == "all")
        for index, choice in enumerate(self.matter):
            own = "choices", self._offer.names[choice]
            for place in sorted({key[index] for key in found}):
                mine = [wrong for key, wrong in found.items() if key[index] == place]
                if all(mine):
                    level = self._offer.levels[choice][place]
                    for one in _always(mine, path_of(self._offer, choice, level)):
                        if one.blames == "any" or (one.blames == "own" and one.at[:2] == own):
                            yield one


def places_with(offer: Offer, matter: Sequence[int], key: Sequence[int]) -> list[int]:
    """Return places of levels: those of some choices, the first of the others."""
    places = [0] * len(offer.names)
    for index, place in zip(matter, key, strict=True):
        places[index] = place
    return places


def size_of(offer: Offer, matter: Iterable[int]) -> int:
    """Return how many combinations there are of some choices."""
    return math.prod(len(offer.levels[index]) for index in matter)


def combinations(offer: Offer, matter: Sequence[int]) -> list[tuple[int, ...]]:
    """Return which level each of some choices has in all combinations, or in a sample."""
    lengths = [len(offer.levels[index]) for index in matter]
    if size_of(offer, matter) <= MOST:
        return list(itertools.product(*map(range, lengths)))
    drawn = random.Random(0)
    return [tuple(map(drawn.randrange, lengths)) for _ in range(MOST)]


def _always(found: Sequence[tuple[Contradiction, ...]], path: Path) -> list[Contradiction]:
    """Return what is wrong with a value in all combinations with it, or else in the first.

    ``path`` is where it is written: what is wrong there tells more.
    """
    common = set.intersection(*({one.at for one in wrong} for wrong in found))
    there = {one.at: one for one in found[0]}
    mine = [one for at, one in there.items() if at[: len(path)] == path]
    return [there[at] for at in there if at in common] or mine[:1] or [*found[0][:1]]
