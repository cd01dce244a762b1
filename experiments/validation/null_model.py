"""Models of studies without a machine, as the measure of what the simulator adds.

A model is a few constants and formulas for printed numbers and for the figures of claims. It is
fitted as the simulator is: the same residuals, the same least squares, the same leave-one-out.

Not modelled: anything that has a state. A formula has no cache, queue, file pointer or time of day.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import numpy as np

from simulator.study.leastsquares import Box, derivatives, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float64]

RANGE = 100.0
"""A constant is at most so many times its start, or a part of it."""
SPARE = 2
"""A datum is left out of the fit only if there are at least so many more data than constants."""
_STEP = 1e-5
"""Of finite differences, in logarithms."""
_SMALL, _CLOSE = 1e-6, 1e-3
"""Of the largest singular value, and of a gradient's length: what counts as nothing."""

Values = TypeVar("Values")


@dataclass(frozen=True, slots=True)
class Constant:
    """A positive number that is fitted."""

    name: str
    """With its unit."""
    start: float


@dataclass(frozen=True, slots=True)
class Datum:
    """A printed number, its band, and the formula for it."""

    id: str
    value: float
    low: float
    high: float
    of: Callable[[Sequence[float]], float]
    """Takes the constants, in their order."""

    @property
    def width(self) -> float:
        """Width of the band, in which deviations are measured."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class NullFit:
    """Constants fitted to data."""

    all_values: tuple[float, ...]
    """Every constant; one that the data do not determine has any value."""
    values: Mapping[str, float]
    """Those that the data determine, by name."""
    fitted: Mapping[str, float]
    """Each datum that took part, by the formulas."""
    predicted: Mapping[str, float | None]
    """Each datum that took part, by a fit to the others that did, and each that did not, by the
    fit; None if the fit does not determine it. Empty of the former if there are too few data."""


@dataclass(frozen=True, slots=True)
class NullModel(Generic[Values]):
    """The formulas of one study."""

    study: str
    about: str
    """The formulas in words: goes on after "Formulas without a machine, with N constants: "."""
    given: str
    """What they take from the paper or from data sheets without fitting it; may be empty."""
    constants: tuple[Constant, ...]
    kind: Callable[..., Values]
    """Makes of the constants what the formulas take."""
    figures: Mapping[str, Callable[[Values], float]]
    """Printed numbers by their ids, in their units."""
    claims: Mapping[str, Callable[[Values], Mapping[str, float]]]
    """By the id of a claim: those of its figures for which there is a formula."""
    chosen_after: bool = False
    """Whether their form was chosen having seen numbers that the study has as held out."""


def fit(
    constants: Sequence[Constant], data: Sequence[Datum], others: Sequence[Datum] = ()
) -> NullFit:
    """Fit constants to data by least squares, leave out each in turn, and predict others."""
    problem = _Problem(constants, data, others)
    x = problem.solution(range(len(data)), problem.starts)
    slopes, rates = problem.slopes(x), problem.rates(x)
    own = slopes[: len(data)]
    predicted: dict[str, float | None] = {}
    if len(data) >= len(constants) + SPARE:
        for i, one in enumerate(data):
            predicted[one.id] = problem.left_out(i, x)
    for i, one in enumerate(others, start=len(data)):
        predicted[one.id] = rates[i] if determined(own, slopes[i]) else None
    unit = np.eye(len(constants))
    values = [float(value) for value in np.exp(x)]
    return NullFit(
        all_values=tuple(values),
        values={one.name: values[i] for i, one in enumerate(constants) if determined(own, unit[i])},
        fitted={one.id: rates[i] for i, one in enumerate(data)},
        predicted=predicted,
    )


def determined(slopes: Vector, slope: Vector) -> bool:
    """Whether data with these slopes, a row for each, tell a number with this slope.

    That is so if its slope is a combination of theirs: then no change of the constants that
    leaves the data as they are moves the number.

    >>> determined(np.array([[1.0, 1.0]]), np.array([2.0, 2.0]))
    True
    >>> determined(np.array([[1.0, 1.0]]), np.array([1.0, 0.0]))
    False
    """
    length = float(np.linalg.norm(slope))
    if not slopes.size or not length:
        return not length
    _, sizes, rows = np.linalg.svd(slopes, full_matrices=False)
    base = rows[sizes > _SMALL * sizes[0]]
    return bool(np.linalg.norm(slope - base.T @ (base @ slope)) <= _CLOSE * length)


class _Problem:
    """Least squares over the logarithms of constants."""

    def __init__(
        self, constants: Sequence[Constant], data: Sequence[Datum], others: Sequence[Datum]
    ) -> None:
        self.every = [*data, *others]
        self.data = len(data)
        self.starts = np.log([one.start for one in constants])
        self._box = Box(self.starts - math.log(RANGE), self.starts + math.log(RANGE))

    def rates(self, x: Vector) -> list[float]:
        """Return what the formulas say of every datum."""
        values = [float(value) for value in np.exp(x)]
        return [one.of(values) for one in self.every]

    def slopes(self, x: Vector) -> Vector:
        """Return the derivatives of all data, in widths of their bands; a row for each."""
        everything = range(len(self.every))
        if not len(x):  # Formulas whose constants are all given.
            return np.zeros((len(self.every), 0))
        (residuals,) = self._function(everything)([x])
        return derivatives(self._function(everything), x, residuals, self._box, _STEP)

    def solution(self, taking: Sequence[int], start: Vector) -> Vector:
        """Return the logarithms of the constants that fit the data with these numbers best."""
        return solve(self._function(taking), start, self._box, step=_STEP).x

    def left_out(self, which: int, start: Vector) -> float | None:
        """Return a datum by a fit to all others, None if these do not determine it."""
        taking = [i for i in range(self.data) if i != which]
        x = self.solution(taking, start)
        slopes = self.slopes(x)
        return self.rates(x)[which] if determined(slopes[taking], slopes[which]) else None

    def _function(self, taking: Sequence[int]) -> Callable[[Sequence[Vector]], list[Vector]]:
        data = [self.every[i] for i in taking]

        def residuals(points: Sequence[Vector]) -> list[Vector]:
            found = []
            for x in points:
                values = [float(value) for value in np.exp(x)]
                found.append(np.array([(d.of(values) - d.value) / d.width for d in data]))
            return found

        return residuals
