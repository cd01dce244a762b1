"""A fit of some figures to some values, with a limited number of evaluations.

Values are varied by logarithms of their factors; residuals are in halves of a figure's band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.plan.errors import SimulationError
from simulator.study.leastsquares import Box, StartError, derivatives, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float64]

NEAR = 0.5
"""Distance from the middle of its band, relative to half the band, at which a figure is fitted."""
GOOD = 0.8
"""Distance that suffices where a further step gains little."""
LITTLE = 0.1
"""Relative change of the sum of squares that is little."""
CLOSE = 0.01
"""The shortest step, in logarithms."""
STEP = 0.05
"""Step of the derivatives, in logarithms: larger than rounding effects."""
RUN_ERRORS = (ConfigError, InputError, SimulationError, ArithmeticError)
"""Exceptions of machines that cannot be built, or of runs that fail."""


_LONGEST = 1.0
"""Longest step of a root search."""


class _Converged(Exception):  # noqa: N818 - it ends a search, and is caught here
    """Each figure is fitted, or the evaluations are exhausted."""


class Attempt:
    """A fit of some figures to some values, for given assumptions, and its best point so far."""

    def __init__(
        self, at: Callable[[Vector], Vector], start: Vector, columns: Sequence[int]
    ) -> None:
        """Raises an exception in ``RUN_ERRORS`` if the start cannot be run."""
        self._at = at
        self._columns = list(columns)
        self.x = start
        self.residuals = at(start)
        self.evaluations = 1
        self._gained = True
        """True if the last step reduced the squares by more than a little."""

    @property
    def near(self) -> bool:
        """True if each figure is fitted."""
        return self._farthest <= NEAR

    @property
    def good(self) -> bool:
        """True if each figure is well inside its band."""
        return self._farthest <= GOOD

    @property
    def _farthest(self) -> float:
        return float(np.abs(self.residuals).max(initial=0.0))

    @property
    def _done(self) -> bool:
        return self.near or (self.good and not self._gained)

    def descend(self, box: Box, derived: Vector, most: int) -> None:
        """Minimise the sum of squares, with a limited number of evaluations."""
        if self.near or not self._columns:
            return
        last = self.evaluations + most

        def function(points: Sequence[Vector]) -> list[Vector | None]:
            if self._done or self.evaluations >= last:
                raise _Converged
            return [self._evaluated(x) for x in points]

        start = self.x[self._columns]
        with suppress(_Converged):
            solve(function, start, self._inside(box), known=(self.residuals, derived), close=CLOSE)

    def derivatives(self, box: Box) -> Vector | None:
        """Return the derivatives at the best point; None if no point near it can be run."""
        try:
            return derivatives(
                lambda points: [self._evaluated(x, better=False) for x in points],
                self.x[self._columns],
                self.residuals,
                self._inside(box),
                STEP,
            )
        except StartError:
            return None

    def approach(self, box: Box, slope: float, most: int) -> None:
        """Fit the one figure by the one value."""
        (column,) = self._columns

        def function(at: float) -> float | None:
            residuals = self._evaluated(np.array([at]))
            return None if residuals is None else float(residuals[0])

        start = float(self.x[column]), float(self.residuals[0])
        bounds = float(box.low[column]), float(box.high[column])
        root(function, start, slope, bounds, near=NEAR, most=most)

    def _inside(self, box: Box) -> Box:
        return Box(box.low[self._columns], box.high[self._columns])

    def _evaluated(self, some: Vector, *, better: bool = True) -> Vector | None:
        self.evaluations += 1
        x = self.x.copy()
        x[self._columns] = some
        try:
            residuals = self._at(x)
        except RUN_ERRORS:
            return None
        if better:
            before, now = _squares(self.residuals), _squares(residuals)
            self._gained = now < (1 - LITTLE) * before
            if now < before:
                self.x, self.residuals = x, residuals
        return residuals


def _squares(residuals: Vector) -> float:
    return float(residuals @ residuals)


def root(
    function: Callable[[float], float | None],
    start: tuple[float, float],
    slope: float,
    bounds: tuple[float, float],
    *,
    near: float,
    most: int,
) -> tuple[float, float]:
    """Find the root of a function of one variable; return the best x, and its value there.

    ``start``: the first x and the value there; ``slope``: the approximate slope. The search ends
    where the value is at most ``near``, at a bound beyond which the root is, or after ``most``
    evaluations. It uses secants; once two values have different signs, the root remains bracketed.
    After a failure (None) the step is halved.

    >>> x, value = root(lambda x: x**3 - 8, (1.0, -7.0), 3.0, (0.0, 5.0), near=0.01, most=20)
    >>> round(x, 2)
    2.0
    >>> root(lambda x: x - 8, (1.0, -7.0), 1.0, (0.0, 5.0), near=0.01, most=20)
    (5.0, -3.0)
    """
    x, value = best = start
    ends: dict[bool, float] = {value > 0: x}
    limit = _LONGEST
    for _ in range(most):
        if abs(best[1]) <= near:
            break
        step = float(np.clip(-value / slope if slope else limit, -limit, limit))
        there = float(np.clip(x + step, *bounds))
        if len(ends) == 2 and not min(ends.values()) < there < max(ends.values()):
            there = sum(ends.values()) / 2
        if there == x:
            break
        found = function(there)
        if found is None:
            limit /= 2
            continue
        slope = (found - value) / (there - x) or slope
        x, value = there, found
        ends[value > 0] = x
        if abs(value) < abs(best[1]):
            best = x, value
    return best
