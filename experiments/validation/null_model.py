"""Null models of studies: formulas that measure what the simulator adds.

A model is a few constants and formulas for printed numbers and for the figures of claims. It is
fitted as the simulator is: the same residuals, the same least squares, the same leave-one-out.

Not modelled: any state. A formula has no cache, queue, file pointer or time of day.
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
"""Maximum factor between a constant and its start."""
SPARE = 2
"""Minimum excess of data over constants for leaving a datum out of the fit."""
_STEP = 1e-5
"""Step of finite differences, in logarithms."""
_SMALL, _CLOSE = 1e-6, 1e-3
"""Thresholds of zero: relative to the largest singular value, and of a gradient's length."""

Values = TypeVar("Values")


@dataclass(frozen=True, slots=True)
class Constant:
    """A positive constant that is fitted."""

    name: str
    """Its name, with its unit."""
    start: float


@dataclass(frozen=True, slots=True)
class Datum:
    """A printed number, its band, and the formula for it."""

    id: str
    value: float
    low: float
    high: float
    of: Callable[[Sequence[float]], float]
    """Its formula, a function of the constants in their order."""

    @property
    def width(self) -> float:
        """Width of the band, the unit of deviations."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class NullFit:
    """Constants fitted to data."""

    all_values: tuple[float, ...]
    """Every constant; undetermined ones have arbitrary values."""
    values: Mapping[str, float]
    """Constants determined by the data, by name."""
    fitted: Mapping[str, float]
    """Fitted value of each datum of the fit."""
    predicted: Mapping[str, float | None]
    """Prediction of each datum of the fit by a fit to the others, and of each other datum by the
    fit; None if undetermined. With too few data those of the fit are missing."""


@dataclass(frozen=True, slots=True)
class NullModel(Generic[Values]):
    """The formulas of one study."""

    study: str
    about: str
    """The formulas in words, continuing "Formulas without a machine, with N constants: "."""
    given: str
    """Values taken from the paper or data sheets without a fit; may be empty."""
    constants: tuple[Constant, ...]
    kind: Callable[..., Values]
    """Converts the constants to the formulas' argument."""
    figures: Mapping[str, Callable[[Values], float]]
    """Printed numbers by their ids, in their units."""
    claims: Mapping[str, Callable[[Values], Mapping[str, float]]]
    """Figures of claims for which there is a formula, by claim."""
    chosen_after: bool = False
    """True if their form was chosen after reading numbers that the study holds out."""


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
    """Return whether data with these slopes, a row for each, determine a number with this slope.

    They do if its slope is a linear combination of theirs: then no change of the constants that
    preserves the data changes the number.

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
        """Return the formula's value of every datum."""
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
        """Return the logarithms of the constants that best fit the data with these numbers."""
        return solve(self._function(taking), start, self._box, step=_STEP).x

    def left_out(self, which: int, start: Vector) -> float | None:
        """Return the prediction of a datum by a fit to all others, None if undetermined."""
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
