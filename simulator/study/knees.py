"""Knees of a sweep's curves: where another doubling of a varied value stops paying.

A doubling *pays* if it makes the figure better by a share (5 %) or more. The knee is the first
value of the grid from which on no doubling pays. Doublings are judged from every value of the grid
whose double lies within it, and to every value whose half does. A value between two of the grid is
interpolated, straight between the logarithms, so that ``figure ~ value^p`` is exact.

Replications decide by paired differences: with common random numbers, f(2v) - (1 + share) f(v) is
taken run by run, and a doubling surely pays, or surely does not, if the interval of the mean is on
one side of 0. The intervals of all doublings of a curve hold together with the confidence
(Bonferroni), and so does what they say of its knee.

A change by less than the share is none: a curve is flat if no two of its values differ by the
share, and it may go back by less than the share and still count as monotone.

Not modelled: what lies beyond the grid; a step that both begins and ends between two of its values.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from simulator.study.curves import measured
from simulator.study.replications import Replicated

if TYPE_CHECKING:
    from simulator.study.curves import Curve, Family
    from simulator.study.replications import Replications

SHARE = 0.05
"""A doubling that changes the figure by less does not pay."""
_FEWEST = 3
"""Values of a grid that can show a knee: between two all is interpolated."""
_NEARLY = 1e-9
"""Values of a grid that differ by so small a part are one."""

State = Literal["knee", "not reached", "none"]


@dataclass(frozen=True, slots=True)
class Doubling:
    """The effect of a doubled value on a figure."""

    start: float
    """The value, in the base unit."""
    change: float
    """f(2 start) / f(start) - 1."""
    pays: bool
    """True if it makes the figure better by the share."""
    sure: bool
    """True if replications leave no doubt of that; always, if nothing is drawn."""
    between: bool
    """True if one of both values is not in the grid, so that its figure is interpolated."""


@dataclass(frozen=True, slots=True)
class Knee:
    """The knee of one curve, as far as it is known."""

    curve: Curve
    share: float
    state: State
    why: str = ""
    """Why there is none."""
    doublings: tuple[Doubling, ...] = ()
    """In the order of their values; none where a curve has no knee."""
    at: float | None = None
    """The first value of the grid from which on no doubling pays."""
    bounds: tuple[float | None, float | None] = (None, None)
    """It lies above the first and at or below the second value of the grid; None: unknown."""
    surely: tuple[float | None, float | None] = (None, None)
    """The same, as far as replications are sure; equal to ``bounds`` without any."""

    @property
    def sure(self) -> bool:
        """True if replications, if any, leave no doubt between which values it lies."""
        return self.surely == self.bounds

    @property
    def replicated(self) -> bool:
        """True if the curve has runs that vary."""
        return any(self.curve.drawn)

    @property
    def last_paying(self) -> Doubling | None:
        """The last doubling that pays."""
        return next((one for one in reversed(self.doublings) if one.pays), None)

    def text(self, number: float | None) -> str | None:
        """Return a value of the grid as its user wrote it."""
        numbers = self.curve.axis.numbers
        if numbers is None or number is None:
            return None
        return self.curve.axis.texts[numbers.index(number)]


def knees_of(
    families: Iterable[Family], replications: Replications | None = None, share: float = SHARE
) -> list[Knee]:
    """Return the knee of every curve over an axis of numbers; seeds have none."""
    return [
        knee_of(curve, replications, share)
        for family in families
        if measured(family.axis)
        for curve in family.curves
    ]


def knee_of(curve: Curve, replications: Replications | None = None, share: float = SHARE) -> Knee:
    """Return the knee of one curve over an axis of numbers."""
    heights = _Heights(curve)
    if why := _why_none(heights, replications, share):
        return Knee(curve, share, "none", why)
    starts = _starts(heights.numbers)
    doublings = tuple(_judged(heights, one, share, replications, len(starts)) for one in starts)
    bounds = _bounds(heights.numbers, doublings)
    surely = _bounds(heights.numbers, doublings, sure=True)
    state: State = "not reached" if bounds[1] is None else "knee"
    return Knee(curve, share, state, "", doublings, bounds[1], bounds, surely)


# -- the curve ------------------------------------------------------------------------------------


Place = tuple[int, int, float]
"""Between which two values of a curve a number lies, and how far."""


class _Heights:
    """A curve over its values above 0, in their order; each once."""

    def __init__(self, curve: Curve) -> None:
        assert curve.axis.numbers is not None
        first: dict[float, int] = {}
        for place, number in enumerate(curve.axis.numbers):
            first.setdefault(number, place)
        self.numbers = sorted(number for number in first if number > 0)
        self.places = [first[number] for number in self.numbers]
        self.means = [curve.values[place] for place in self.places]
        self.runs = [curve.runs[place] for place in self.places]
        self.drawn = [curve.drawn[place] for place in self.places]
        self.texts = [curve.axis.texts[place] for place in self.places]
        self.least = curve.least

    def found(self, number: float) -> Place:
        """Return between which two values a number lies, and how far, by logarithms."""
        after = bisect.bisect_left(self.numbers, number * (1 - _NEARLY))
        if math.isclose(self.numbers[after], number, rel_tol=_NEARLY):
            return after, after, 0.0
        low, high = self.numbers[after - 1], self.numbers[after]
        return after - 1, after, math.log(number / low) / math.log(high / low)

    def mean(self, place: Place) -> float:
        """Return the figure at a place of the grid."""
        low, high, part = place
        return _between(self.means[low], self.means[high], part)

    def run(self, place: Place, run: int) -> float:
        """Return the figure there in one of the replications."""
        low, high, part = place
        return _between(self._run(low, run), self._run(high, run), part)

    def _run(self, place: int, run: int) -> float:
        return self.runs[place][run if self.drawn[place] else 0]

    def difference(
        self,
        before: Place,
        after: Place,
        factor: float,
        replications: Replications | None,
        questions: int,
    ) -> tuple[float, float] | None:
        """Return the interval of f(after) - factor f(before), the means of differences run by run.

        Those of all ``questions`` hold together. None if one run of those that vary tells nothing.
        """
        places = {place for low, high, _ in (before, after) for place in (low, high)}
        drawn = [len(self.runs[place]) for place in places if self.drawn[place]]
        if replications is None or not drawn:
            exact = self.mean(after) - factor * self.mean(before)
            return exact, exact
        differences = tuple(
            self.run(after, run) - factor * self.run(before, run) for run in range(min(drawn))
        )
        looks = questions * len(replications.looks())
        return Replicated(differences, replications.confidence, looks).interval


def _between(low: float, high: float, part: float) -> float:
    """Return what lies between two figures above 0, straight between their logarithms.

    >>> round(_between(10.0, 40.0, 0.5), 9), _between(7.0, 9.0, 0.0)
    (20.0, 7.0)
    """
    return low * math.pow(high / low, part)


def _why_none(heights: _Heights, replications: Replications | None, share: float) -> str:
    """Return why a curve has no knee, in words; empty if it may have one."""
    numbers, means, texts = heights.numbers, heights.means, heights.texts
    if not numbers or 2 * numbers[0] > numbers[-1] * (1 + _NEARLY):
        return "no value has its double within the grid"
    lowest = [min(runs) for runs in heights.runs]
    if min(lowest) <= 0:
        return f"0 at {texts[lowest.index(min(lowest))]}"
    rise, fall = _changes(means)
    better, worse = (fall, rise) if heights.least else (rise, fall)
    if better < share and worse < share:
        moved = 1 - min(means) / max(means)
        return f"flat, within {_percent(moved)}" if moved else "flat"
    if len(numbers) < _FEWEST:
        return f"two values tell none; vary {texts[0]}..{texts[-1]} x2"
    if worse < share:
        return ""
    sure = _surely_worse(heights, replications)
    if better >= share:
        return _turn(heights) if sure else ""
    how = "longer" if heights.least else "lower"
    told = f"more makes it {how}, by up to {_percent(worse)}"
    return told if sure else f"{told}, if that is no chance"


def _surely_worse(heights: _Heights, replications: Replications | None) -> bool:
    """True if what is worst after a better value is surely worse than that, of all pairs."""
    sign = -1.0 if heights.least else 1.0
    best, worst, pair = 0, 0.0, (0, 0)
    for place, mean in enumerate(heights.means):
        if sign * mean > sign * heights.means[best]:
            best = place
        if (lost := sign * (1 - mean / heights.means[best])) > worst:
            worst, pair = lost, (best, place)
    before, after = (heights.found(heights.numbers[place]) for place in pair)
    ends = heights.difference(before, after, 1.0, replications, math.comb(len(heights.means), 2))
    return ends is not None and (ends[0] > 0 if heights.least else ends[1] < 0)


def _changes(values: Sequence[float]) -> tuple[float, float]:
    """Return by which part a curve rises, and falls, at most from a value to a later one.

    >>> _changes([10.0, 20.0, 15.0])
    (1.0, 0.25)
    """
    rise = fall = 0.0
    low = high = values[0]
    for value in values:
        low, high = min(low, value), max(high, value)
        rise, fall = max(rise, value / low - 1), max(fall, 1 - value / high)
    return rise, fall


def _turn(heights: _Heights) -> str:
    """Return the words for where a curve that is not monotone turns."""
    means, texts = heights.means, heights.texts
    least, most = min(means), max(means)
    best, worst = (least, most) if heights.least else (most, least)
    if best not in (means[0], means[-1]):
        return f"not monotone, best at {texts[means.index(best)]}"
    if worst not in (means[0], means[-1]):
        return f"not monotone, worst at {texts[means.index(worst)]}"
    return "not monotone"


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:,.0f} %"


# -- its doublings --------------------------------------------------------------------------------


def _starts(numbers: Sequence[float]) -> list[float]:
    """Return from where doublings are judged: they begin or end at a value of the grid.

    >>> _starts([1, 2, 4, 8]), _starts([1, 2, 3]), _starts([1, 4, 16])
    ([1, 2, 4], [1, 1.5], [1, 2.0, 4, 8.0])
    """
    from_it = [number for number in numbers if 2 * number <= numbers[-1] * (1 + _NEARLY)]
    to_it = [number / 2 for number in numbers if number / 2 >= numbers[0] * (1 - _NEARLY)]
    starts = sorted([*from_it, *to_it])
    near = (math.isclose(one, two, rel_tol=_NEARLY) for one, two in itertools.pairwise(starts))
    return [starts[0], *(two for two, twice in zip(starts[1:], near, strict=True) if not twice)]


def _judged(
    heights: _Heights,
    start: float,
    share: float,
    replications: Replications | None,
    questions: int,
) -> Doubling:
    """Return what a doubling changes, and whether it pays."""
    factor = 1 - share if heights.least else 1 + share
    places = heights.found(start), heights.found(2 * start)
    before, after = map(heights.mean, places)
    pays = after <= factor * before if heights.least else after >= factor * before
    ends = heights.difference(*places, factor, replications, questions)
    sure = ends is not None and (ends[0] == ends[1] or not ends[0] <= 0 <= ends[1])
    between = any(low != high for low, high, _ in places)
    return Doubling(start, after / before - 1, pays, sure, between)


def _bounds(
    numbers: Sequence[float], doublings: Sequence[Doubling], *, sure: bool = False
) -> tuple[float | None, float | None]:
    """Return above which and up to which value of the grid no further doubling begins to pay.

    With ``sure`` a doubling in doubt counts for neither.
    """
    paying = [one.start for one in doublings if one.pays and (one.sure or not sure)]
    doubtful = [one.start for one in doublings if one.pays or (sure and not one.sure)]
    low = max(_upto(numbers, paying[-1]), default=None) if paying else None
    last = doubtful[-1] if doubtful else 0.0
    judged = _upto(numbers, doublings[-1].start)
    high = next((one for one in judged if one > last * (1 + _NEARLY)), None)
    return low, high


def _upto(numbers: Sequence[float], most: float) -> Iterator[float]:
    return (one for one in numbers if one <= most * (1 + _NEARLY))
