"""The offer: every combination of the choices of a requirement, with its price.

A choice is a number of units, or one of several ways. There are as many units of it for each unit
of the choices that it is ``per``: with 4 servers and 8 disks per server 32 disks are bought.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from simulator.config.amounts import Redundancy, show_height
from simulator.config.axis import read_axis
from simulator.config.errors import ConfigError
from simulator.sizing.rooms import Rooms
from simulator.sizing.rules import Rules
from simulator.study.lattice import Lattice
from simulator.units import shown
from simulator.wording import brief_size

if TYPE_CHECKING:
    from simulator.config.amounts import Raid
    from simulator.config.requirement_file import Choice, Requirement
    from simulator.config.settings import Setting

MOST = 200_000
"""Combinations that are all looked at; of more a sample is."""
DRAWN = 10_000
"""Combinations that are drawn to see whether anything can be built, where there are more."""


@dataclass(frozen=True, slots=True)
class Level:
    """One value of a choice, or one of its ways."""

    text: str
    """The value, or the name of the way."""
    units: Fraction
    """Number of units; 1 of a way."""
    settings: tuple[Setting, ...]
    buys: tuple[tuple[str, int], ...]
    """Pieces that each unit takes."""
    bought_as: Redundancy | Raid | None
    """Its redundancy, as it is written;"""
    redundancy: Redundancy | None
    """and its pieces, that of a RAID by its disks (:mod:`simulator.sizing.groups`)."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One machine that can be bought."""

    number: int
    """Its place among all combinations, the first choice varying slowest."""
    levels: tuple[str, ...]
    """The text of each choice, in the file's order."""
    settings: tuple[Setting, ...]
    pieces: Mapping[str, int]
    """Number of pieces of each thing in the catalogue."""
    price: float
    power: float
    """Watts."""
    height: float
    """Rack units."""
    total: float | None
    """Cost of ownership; None if the requirement does not say what that is."""
    cost: float
    """What is minimised: the price, or the total."""
    usable: int
    """Bytes that it can keep, redundancy taken off."""
    shares: Mapping[str, Fraction]
    """Part of each thing that keeps data that is not redundancy."""
    alternative: str = ""
    """The name of the alternative that it is of; empty if there are none."""

    @property
    def order(self) -> tuple[float, float, int]:
        """Key for sorting: the price, or the total if that is minimised, then the power."""
        return self.cost, self.power, self.number


@dataclass(frozen=True, slots=True)
class Full:
    """The settings of a requirement, with full paths."""

    values: Mapping[str, Sequence[str]]
    """The paths that take the value of each choice that has values."""
    options: Mapping[tuple[str, str], Sequence[Setting]]
    """The settings of each way of each choice."""
    states: Mapping[str, Sequence[Setting]]


class Offer:
    """All that can be bought for a requirement; ConfigError for values that cannot be counted."""

    def __init__(self, requirement: Requirement, full: Full) -> None:
        self.requirement = requirement
        self.alternative = ""
        """The name of the alternative that it is of, if there are several."""
        self.names = tuple(requirement.choices)
        self._full = full
        self.rooms = Rooms(requirement.catalogue)
        self.rules = Rules(requirement.choices)
        self.built: dict[int, Configuration] | None = None
        """All combinations by their numbers, once they were looked at; None: they are not kept."""
        self.written = 0.0
        """Bytes that the loads write in a day, for what wears out."""
        self.contradicted: Callable[[Configuration], str | None] = lambda _one: None
        """Reason why a combination is not the simulated machine; None if it is."""
        self.stored: Callable[[Configuration], int] = lambda _one: 0
        """Bytes of files that lie on what is bought."""
        self.too_high = 0
        """Combinations that nothing but the rack units refuses, once all have been looked at."""
        self.ruled_out = Counter[str]()
        """Combinations that break a rule, by the first one, once all have been looked at."""
        self.levels = [self._levels(name, choice) for name, choice in requirement.choices.items()]
        self.lattice = Lattice([len(levels) for levels in self.levels])

    @property
    def size(self) -> int:
        """The number of combinations."""
        return self.lattice.size

    @property
    def countable(self) -> bool:
        """True if there are few enough to look at all."""
        return self.size <= MOST

    def _levels(self, name: str, choice: Choice) -> list[Level]:
        buys, none = tuple(choice.buys.items()), choice.redundancy
        if choice.options:
            return [
                Level(
                    key,
                    Fraction(1),
                    tuple(self._full.options[name, key]),
                    tuple((Counter(choice.buys) + Counter(one.buys)).items()),
                    one.redundancy or none,
                    _pieces(one.redundancy or none),
                )
                for key, one in choice.options.items()
            ]
        paths = self._full.values[name]
        return [
            Level(
                text, self._units(name, choice, text), _all(paths, text), buys, none, _pieces(none)
            )
            for text in choice.values or ()
        ]

    def _units(self, name: str, choice: Choice, text: str) -> Fraction:
        """Return of how many units a value is."""
        if not choice.unit:
            return Fraction(int(text)) if text.isdigit() else Fraction(1)
        axis = read_axis("unit", "", f"{text}, {choice.unit}") if text != choice.unit else None
        numbers = (1, 1) if axis is None else axis.numbers
        about = f"{text} and {choice.unit} are not of one kind; write a unit like {text!r}"
        if numbers is not None:
            units = Fraction(numbers[0]) / Fraction(numbers[1])
            if units.denominator == 1:
                return units
            about = f"{text} is no whole number of pieces of {shown(choice.unit)}"
        raise ConfigError([self.requirement.origin.problem(("choices", name, "unit"), about)])

    def configurations(self) -> Iterator[Configuration]:
        """Yield those that can be built: nothing has more pieces in it than it takes."""
        too_high, ruled_out = 0, Counter[str]()
        for number, levels in enumerate(itertools.product(*self.levels)):
            if (rule := self._broken(number)) is not None:
                ruled_out[rule] += 1
                continue
            made = (self.built or {}).get(number) or self._made(number, levels)
            if self.built is not None:
                self.built[number] = made
            if self._unbuildable(made) is not None:
                continue
            if self._too_high(made) is None:
                yield made
            else:
                too_high += 1
        self.too_high, self.ruled_out = too_high, ruled_out

    def drawn(self, seed: int, count: int) -> Iterator[Configuration]:
        """Draw so many combinations, and yield those of them that can be built.

        Of one that breaks a rule one value that rules are about is kept: others are as it allows.
        """
        import numpy as np

        draws = np.random.default_rng(seed)
        for _ in range(count):
            places = [int(place) for place in draws.integers(self.lattice.lengths)]
            if (matter := self.rules.matter) and self.rules.broken(places) is not None:
                kept = {*range(len(places))} - {*matter} | {matter[sum(places) % len(matter)]}
                places = self.rules.beside({one: places[one] for one in kept}) or places
            one = self.configuration(self.lattice.number(places))
            if self.crowded(one) is None:
                yield one

    def check_buildable(self) -> None:
        """Raise ConfigError if nothing can be built."""
        some = self.configurations() if self.countable else self.drawn(0, DRAWN)
        if next(some, None) is None:
            first = self.configuration(0)
            all_of = "" if self.countable else f", of {DRAWN:,} combinations drawn"
            about = f"nothing can be built{all_of}: with {', '.join(first.levels)} there are"
            about = f"{about} {self.crowded(first)}; write more values, or more in the catalogue"
            raise ConfigError([self.requirement.origin.problem(("choices",), about)])

    def configuration(self, number: int) -> Configuration:
        """Return the combination of this number."""
        return self._made(number, self.levels_of(number))

    def levels_of(self, number: int) -> tuple[Level, ...]:
        """Return what each choice is in the combination of this number."""
        places = zip(self.levels, self.places_of(number), strict=True)
        return tuple(levels[place] for levels, place in places)

    def places_of(self, number: int) -> tuple[int, ...]:
        """Return which of its levels each choice has in the combination of this number."""
        return self.lattice.places(number)

    def _made(self, number: int, levels: tuple[Level, ...]) -> Configuration:
        catalogue, ownership = self.requirement.catalogue, self.requirement.ownership
        pieces: Counter[str] = Counter()
        usable: dict[str, Fraction] = defaultdict(Fraction)
        for index, level in enumerate(levels):
            units = self.units(index, levels)
            for item, each in level.buys:
                count = math.ceil(each * units)
                pieces[item] += count
                part = level.redundancy.usable if level.redundancy else Fraction(1)
                usable[item] += count * part
        price = sum(catalogue[item].purchase(count).together for item, count in pieces.items())
        power = sum(count * catalogue[item].power for item, count in pieces.items())
        total = None if ownership is None else ownership.bill(price, power).total
        return Configuration(
            number,
            tuple(level.text for level in levels),
            tuple(setting for level in levels for setting in level.settings),
            {item: pieces[item] for item in catalogue if pieces[item]},
            price,
            power,
            sum(count * (catalogue[item].height or 0.0) for item, count in pieces.items()),
            total,
            total if total is not None and self.requirement.minimise == "total" else price,
            int(sum(one * (catalogue[item].size or 0) for item, one in usable.items())),
            {item: one / pieces[item] for item, one in usable.items() if pieces[item]},
            self.alternative,
        )

    def units(self, index: int, levels: tuple[Level, ...]) -> Fraction:
        """Return how many units there are of a choice, those for each unit of others multiplied."""
        return math.prod(
            (levels[other].units for other in self.all_above(index)), start=levels[index].units
        )

    def pieces(self, index: int, levels: tuple[Level, ...], items: Iterable[str]) -> int:
        """Return how many pieces of some things a choice buys."""
        units = self.units(index, levels)
        return sum(math.ceil(each * units) for item, each in levels[index].buys if item in items)

    def paths_of(self, name: str) -> Sequence[str]:
        """Return the settings that take the value of a choice."""
        return self._full.values[name]

    def all_above(self, index: int) -> list[int]:
        """Return the places of the choices that one is per, and of those that these are per."""
        return [self.names.index(one) for one in self.requirement.above(self.names[index])]

    def crowded(self, one: Configuration) -> str | None:
        """Return why a combination cannot be built; None if it can.

        It breaks a rule, there is no room for its pieces, they wear out, or they are not those of
        its machine.
        """
        return self._broken(one.number) or self._unbuildable(one) or self._too_high(one)

    def _broken(self, number: int) -> str | None:
        """Return which rule between choices a combination breaks."""
        return self.rules.broken(self.places_of(number)) if self.rules.matter else None

    def _too_high(self, one: Configuration) -> str | None:
        """Return by what a configuration is too high for the racks."""
        room = self.requirement.rack_units
        if room is None or one.height <= room:
            return None
        return f"{show_height(one.height)}, but there is room for {show_height(room)}"

    def _unbuildable(self, one: Configuration) -> str | None:
        """Return why a combination cannot be built, whatever rack units there are."""
        return self.rooms.lack(one.pieces) or self._worn(one) or self.contradicted(one)

    def wear(self, one: Configuration) -> Iterator[tuple[str, float]]:
        """Yield what wears out, and the bytes that are written to each piece of it in a day.

        Whatever is written is taken to come to each kind of it.
        """
        for item, count in one.pieces.items():
            if self.requirement.catalogue[item].endurance:
                yield item, float(self.written / one.shares[item] / count)

    def _worn(self, one: Configuration) -> str | None:
        """Return what wears out."""
        for item, written in self.wear(one):
            piece = self.requirement.catalogue[item]
            if written <= (bears := piece.endurance or 0):
                continue
            each = f"{brief_size(written)} of {brief_size(bears)} a day"
            if piece.size:
                each += f", {written / piece.size:.2g} of {bears / piece.size:.2g} DWPD"
            return f"{one.pieces[item]:,} {item}, which wear out: each is written {each}"
        return None

    def neighbours(self, number: int) -> Iterator[tuple[str, int]]:
        """Yield the choice and the number of each combination that is one step up from this."""
        for index, name in enumerate(self.names):
            if (step := self.lattice.step(number, (index, 1))) is not None:
                yield name, step

    def swaps(self, number: int) -> Iterator[tuple[str, str, int]]:
        """Yield what is one step up in a choice and one down in another: both, and the number."""
        for up, down in itertools.permutations(range(len(self.names)), 2):
            if (swap := self.lattice.step(number, (up, 1), (down, -1))) is not None:
                yield self.names[up], self.names[down], swap

    def without(self, one: Configuration, state: str) -> Configuration:
        """Return what is left of a configuration in a state: its units, pieces and capacity."""
        less = self.requirement.states[state].less
        levels = zip(self.names, self.levels_of(one.number), strict=True)
        left = (replace(level, units=level.units - less.get(name, 0)) for name, level in levels)
        return self._made(one.number, tuple(left))

    def settings_in(self, one: Configuration, state: str) -> tuple[Setting, ...]:
        """Return the settings of a configuration in a state."""
        found = self.requirement.states.get(state)
        if found is None:
            return one.settings
        settings = dict(one.settings)
        for name, count in found.less.items():
            level = one.levels[self.names.index(name)]
            settings |= _all(self._full.values[name], str(int(level) - count))
        return tuple((settings | dict(self._full.states[state])).items())


def _pieces(redundancy: Redundancy | Raid | None) -> Redundancy | None:
    return redundancy if isinstance(redundancy, Redundancy) else None


def _all(paths: Sequence[str], text: str) -> tuple[Setting, ...]:
    return tuple((path, text) for path in paths)
