"""Rules of a requirement: which values of choices are bought only beside some values of others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.config.requirement_file import Choice


class Rules:
    """The rules between choices, by the places of these and of their values."""

    def __init__(self, choices: Mapping[str, Choice]) -> None:
        self._names = [*choices]
        self._texts = [one.texts for one in choices.values()]
        self._needs: dict[tuple[int, int], dict[int, frozenset[int]]] = {}
        """By a value: the places of the values beside which it may be, by their choice."""
        for index, choice in enumerate(choices.values()):
            for value, rules in choice.only_with.items():
                self._needs[index, choice.texts.index(value)] = {
                    (other := self._names.index(name)): frozenset(
                        self._texts[other].index(text) for text in allowed
                    )
                    for name, allowed in rules.items()
                }
        needs = self._needs.items()
        self.matter = sorted({one for (index, _), rules in needs for one in (index, *rules)})
        """The places of the choices that rules are about."""

    def broken(self, places: Sequence[int], among: Collection[int] | None = None) -> str | None:
        """Return which rule a combination breaks; None if it breaks none.

        ``among``: the places of the choices whose values count; None: of all.
        """
        for (index, place), rules in self._needs.items():
            if places[index] != place or not (among is None or index in among):
                continue
            for other, allowed in rules.items():
                if places[other] not in allowed and (among is None or other in among):
                    one, beside = (self._said(each, places[each]) for each in (index, other))
                    only = " or ".join(self._texts[other][each] for each in sorted(allowed))
                    return f"{one} beside {beside} (only with {only})"
        return None

    def beside(self, fixed: Mapping[int, int]) -> list[int] | None:
        """Return places of a combination with some values that breaks no rule; None: all do.

        Of the others it has the first values that can be.
        """
        places = [fixed.get(index, 0) for index in range(len(self._names))]
        free = [index for index in self.matter if index not in fixed]
        return places if self._filled(places, [*fixed], free) else None

    def _filled(self, places: list[int], known: list[int], free: Sequence[int]) -> bool:
        """Fill in the values of choices that are free, the first that break no rule."""
        if self.broken(places, known) is not None:
            return False
        if not free:
            return True
        index, *rest = free
        for place in range(len(self._texts[index])):
            places[index] = place
            if self._filled(places, [*known, index], rest):
                return True
        return False

    def _said(self, index: int, place: int) -> str:
        return f"{self._names[index]} {self._texts[index][place]}"
