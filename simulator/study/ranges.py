"""The values of a machine and a workload that are not known well, and machines drawn from them.

A value that is ``assumed`` or ``calibrated`` may have a range in its file
(:mod:`simulator.config.range`). An assumed rate or time without one gets a factor of ``FACTOR``
each way, a calibrated one ``BAND``: both are ours, and named so wherever a number rests on them.
Other values without a range (sizes, counts, shares, words) are held, and counted.

Values are independent of each other, but for those of one fit, which go together: a group.

Not modelled: values of a kind that are wrong together, such as all parts of one year.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from random import Random
from statistics import NormalDist
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Problem, dotted
from simulator.config.range import Ends, Fitted, Range, quantity
from simulator.config.sources import leaves
from simulator.study.chances import student_quantile
from simulator.study.parameters import BASE, block_of
from simulator.units import format_rate, format_time

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.config.sources import Document
    from simulator.config.workload_file import Workload

FACTOR = 2.0
"""An assumed rate or time without a range: so much less, or more."""
BAND = 0.1
"""A calibrated rate or time without a range: so much less, or more, as a part of it."""
MOST_QUANTILE = 0.995
"""Quantiles of a fitted value's distribution that are drawn end here, on each side."""
ROUNDED = 1e-3
"""Correlations are rounded in a file; a remainder of so much is none."""
_VARIED = ("time", "rate", "speed")
"""Dimensions of values that have a default range."""
_NUMBERS = re.compile(r"[0-9][0-9.]*(?:e[+-]?[0-9]+)? ?[A-Za-z%][A-Za-z/%]*|[0-9][0-9.]*")
_WHOLE = ("size", "time")


@dataclass(frozen=True, slots=True)
class Uncertain:
    """One value that is not known well."""

    path: str
    """As settings have it: ``machine.parts.disk.seek``."""
    text: str
    """As it is written."""
    kind: str
    """Its source: assumed or calibrated."""
    range: Range
    default: bool
    """True if the range is the default one, and not the file's."""
    step: int = 0
    """A size is a multiple of it, in bytes; 0: of nothing."""

    @property
    def name(self) -> str:
        """The path without its first word, which is short enough for tables."""
        return self.path.partition(".")[2]

    def at(self, chance: float) -> str:
        """Return the value at a quantile of its distribution, as a setting takes it.

        >>> Uncertain("machine.x", "10 ms", "assumed", Ends(0.5, 2, relative=True), True).at(1.0)
        '20000000 ns'
        """
        if isinstance(self.range, Fitted):
            return self._scaled(math.exp(self.range.error * _deviate(self.range.freedom, chance)))
        low, high = self.range.low, self.range.high
        value = low * (high / low) ** chance if low > 0 else low + (high - low) * chance
        return self._scaled(value) if self.range.relative else self._absolute(value)

    def words(self) -> str:
        """Return its range in words."""
        if isinstance(self.range, Fitted):
            return f"fit: {100 * self.range.error:.2g} %"
        if not self.range.relative:
            return f"{self.shown(0.0)} - {self.shown(1.0)}"
        low, high = self.range.low, self.range.high
        if self.default and self.kind == "assumed":
            return f"a factor of {FACTOR:g} (default)"
        return f"{100 * (high - low) / 2:.3g} %" + (" (default)" if self.default else "")

    def shown(self, chance: float) -> str:
        """Return the value at a quantile, as people read it."""
        return _NUMBERS.sub(lambda match: _readable(match[0]), self.at(chance))

    def _scaled(self, factor: float) -> str:
        """Multiply every number of the value that has its dimension."""
        found = [one for one in map(quantity, _NUMBERS.findall(self.text)) if one is not None]
        nouns = [dimension.noun for _, dimension in found]
        noun = next((one for one in nouns if one in _VARIED), nouns[0])

        def scaled(match: re.Match[str]) -> str:
            read = quantity(match[0])
            if read is None or read[1].noun != noun:
                return match[0]
            return self._text(float(read[0]) * factor, noun)

        return _NUMBERS.sub(scaled, self.text)

    @property
    def _counts(self) -> bool:
        """True if it is a whole number that stays one: its ends, if it has any, are whole too."""
        ends = isinstance(self.range, Ends) and not self.range.relative
        numbers = [self.range.low, self.range.high] if isinstance(self.range, Ends) and ends else []
        return "." not in self.text and all(number == round(number) for number in numbers)

    def _absolute(self, value: float) -> str:
        read = quantity(self.text)
        assert read is not None  # Its range was checked beside it.
        return self._text(value, read[1].noun)

    def _text(self, value: float, noun: str) -> str:
        if noun == "size" and self.step:
            value = max(1, round(value / self.step)) * self.step
        if noun == "percentage":  # What a fit says of one may go beyond.
            value = min(value, 100.0)
        whole = noun in _WHOLE or (noun == "number" and self._counts)
        digits = str(round(value)) if whole else f"{Decimal(f'{value:.12g}'):f}"
        return f"{digits} {BASE.get(noun, '')}".strip()


def _deviate(freedom: int, chance: float) -> float:
    """Return a quantile of Student's t, or of the normal distribution without freedom."""
    chance = min(max(chance, 1 - MOST_QUANTILE), MOST_QUANTILE)
    if not freedom:
        return NormalDist().inv_cdf(chance)
    if chance == 0.5:
        return 0.0
    return math.copysign(student_quantile(max(chance, 1 - chance), freedom), chance - 0.5)


def _readable(text: str) -> str:
    read = quantity(text)
    if read is None:
        return text
    noun = read[1].noun
    if noun == "time":
        return format_time(float(read[0]))
    return format_rate(float(read[0])).partition(" (")[0] if noun == "rate" else text


@dataclass(frozen=True, slots=True)
class NotVaried:
    """Numbers of assumed and calibrated values that are not varied, by the reason."""

    other: int
    """Sizes, counts, shares and words without a range."""
    unsourced: int
    """Values that do not say where they come from."""


@dataclass(frozen=True, slots=True)
class Group:
    """Values that are drawn together: one, or those of a fit that are correlated."""

    values: tuple[Uncertain, ...]
    root: tuple[tuple[float, ...], ...]
    """Cholesky's root of the correlations of their normal scores."""

    @property
    def name(self) -> str:
        """The name of its value, or of all."""
        return " with ".join(one.name for one in self.values)

    def at(self, chances: Sequence[float]) -> list[Setting]:
        """Return the settings at a point of the unit cube, a coordinate for each value."""
        if len(self.values) == 1:
            return [(self.values[0].path, self.values[0].at(chances[0]))]
        normal = NormalDist()
        scores = [normal.inv_cdf(min(max(one, 1e-12), 1 - 1e-12)) for one in chances]
        mixed = [math.fsum(a * b for a, b in zip(row, scores, strict=False)) for row in self.root]
        places = (normal.cdf(one) for one in mixed)
        return [(one.path, one.at(at)) for one, at in zip(self.values, places, strict=True)]

    def ends(self) -> list[tuple[list[Setting], list[Setting]]]:
        """Return the settings with each value at its 5 % and its 95 % quantile.

        The others of the group are then where they are expected, as they are correlated with it.
        """
        pairs = []
        for place in range(len(self.values)):
            score = NormalDist().inv_cdf(0.95)
            pairs.append((self._with(place, -score), self._with(place, score)))
        return pairs

    def _with(self, place: int, score: float) -> list[Setting]:
        row = self.root[place]
        settings = []
        for one, other in zip(self.values, self.root, strict=True):
            correlation = math.fsum(a * b for a, b in zip(row, other, strict=False))
            settings.append((one.path, one.at(NormalDist().cdf(correlation * score))))
        return settings


def uncertain_of(machine: Machine, workload: Workload | None) -> tuple[list[Group], NotVaried]:
    """Return the values that are not known well, in groups; ConfigError if a group is wrong."""
    found: list[Uncertain] = []
    other = unsourced = 0
    files: list[tuple[str, Document]] = [("machine", machine)]
    files += [] if workload is None else [("workload", workload)]
    for head, file in files:
        for path, _, _, _ in leaves(file):
            source = file.origin.sources.get(dotted(path))
            kind = "default" if source is None else source.kind
            unsourced += kind == "unstated"
            if source is None or kind not in ("assumed", "calibrated"):
                continue
            text = file.origin.texts[dotted(path)]
            given = source.range or _default(kind, text)
            if given is None:
                other += 1
                continue
            step = block_of(machine, path) if file is machine else 0
            place = f"{head}.{dotted(path)}"
            found.append(Uncertain(place, text, kind, given, source.range is None, step))
    documents = [file for _, file in files]
    return list(_groups(found, documents)), NotVaried(other, unsourced)


def machines_drawn(machine: Machine, count: int, seed: int) -> list[list[Setting]]:
    """Return the settings of so many machines whose values are drawn from their ranges.

    A Latin hypercube: of each value one is in each of ``count`` parts of equal chance.
    """
    groups, _ = uncertain_of(machine, None)
    random = Random(seed)
    drawn: list[list[Setting]] = [[] for _ in range(count)]
    for group in groups:
        columns = [random.sample(range(count), count) for _ in group.values]
        for number in range(count):
            place = [(one[number] + random.random()) / count for one in columns]
            drawn[number] += group.at(place)
    return drawn


@lru_cache(maxsize=4096)
def _default(kind: str, text: str) -> Range | None:
    """Return the range of a value without one; None if it is held."""
    numbers = [one for one in map(quantity, _NUMBERS.findall(text)) if one is not None]
    if not any(one[1].noun in _VARIED and one[0] for one in numbers):
        return None
    if kind == "assumed":
        return Ends(1 / FACTOR, FACTOR, relative=True)
    return Ends(1 - BAND, 1 + BAND, relative=True)


def _groups(found: Sequence[Uncertain], files: Sequence[Document]) -> Iterator[Group]:
    """Put values that are correlated together, in the order of the files."""
    by_path = {one.path: one for one in found}
    left = dict.fromkeys(by_path)
    for path in by_path:
        if path not in left:
            continue
        together, new = [], [path]
        while new:
            one = new.pop(0)
            if one in left:
                del left[one]
                together.append(by_path[one])
                new += _linked(by_path[one], found)
        yield Group(tuple(together), _root(together, files))


def _linked(one: Uncertain, found: Sequence[Uncertain]) -> list[str]:
    """Return the paths that a value is correlated with, whichever of both says so."""
    others = (other for other in found if other is not one)
    return [other.path for other in others if _said(one, other) is not None]


def _said(one: Uncertain, other: Uncertain) -> float | None:
    """Return the correlation of two values that either of them names."""
    for a, b in ((one, other), (other, one)):
        if isinstance(a.range, Fitted) and b.name in a.range.correlations:
            return a.range.correlations[b.name]
    return None


def _root(values: Sequence[Uncertain], files: Sequence[Document]) -> tuple[tuple[float, ...], ...]:
    """Return Cholesky's root of the correlations; ConfigError if they contradict each other."""
    rows: list[list[float]] = []
    for i, one in enumerate(values):
        row: list[float] = []
        for j, other in enumerate(values[: i + 1]):
            wanted = 1.0 if i == j else _said(one, other) or 0.0
            before = rows[j] if j < i else row
            rest = wanted - math.fsum(a * b for a, b in zip(row, before, strict=False))
            if i == j:
                if rest < -ROUNDED:
                    raise ConfigError([_contradiction(one, files)])
                row.append(math.sqrt(max(rest, 0.0)))
            else:
                row.append(rest / rows[j][j] if rows[j][j] ** 2 > ROUNDED else 0.0)
        rows.append(row)
    return tuple(map(tuple, rows))


def _contradiction(one: Uncertain, files: Sequence[Document]) -> Problem:
    head, *path = one.path.split(".")
    file = files[0] if head == "machine" else files[1]
    steps = tuple(int(step) if step.isdigit() else step for step in path)
    about = "the correlations contradict each other: no values have all of them; correct them"
    return file.origin.problem((*steps, "range"), about)
