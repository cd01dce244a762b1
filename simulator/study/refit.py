"""Fitting a machine's calibrated values again, after what was assumed of it has changed.

From the shipped values, by least squares on the printed figures, with derivatives of the shipped
machine brought up to date by Broyden's formula: some five evaluations instead of dozens. Only where
that does not do, derivatives are found anew, once. A fit ends as soon as each figure is near the
middle of its band.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from simulator.config.errors import ConfigError
from simulator.errors import InputError
from simulator.result.errors import SimulationError
from simulator.study.change import Settings
from simulator.study.leastsquares import Box, StartError, derivatives, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.study.ranged import Template

    Vector: TypeAlias = NDArray[np.float64]

Figures: TypeAlias = Callable[[Settings, Sequence[str]], Mapping[str, float]]
"""Simulates some figures, by their ids, with settings."""

NEAR = 0.5
"""How near the middle of its band, as a part of half the band, a figure is near enough."""
MOST = 6
"""Evaluations of a fit with derivatives of the shipped machine, and with its own."""
CLOSE = 0.01
"""The shortest step, in logarithms."""
WITHIN = 8.0
"""How many times its shipped value, or what part of it, a fitted value may become."""
STEP = 0.05
"""Of the derivatives, in logarithms: past what is uneven."""
CANNOT = (ConfigError, InputError, SimulationError, ArithmeticError)
"""What a machine raises that cannot be built, or whose runs cannot be carried out."""


@dataclass(frozen=True, slots=True)
class Target:
    """A printed figure and its band."""

    id: str
    middle: float
    low: float
    high: float

    def residual(self, simulated: float) -> float:
        """Return the logarithm of simulated over printed, in halves of the band."""
        if not simulated > 0:
            raise ArithmeticError(f"{self.id} is {simulated}")
        return float(np.log(simulated / self.middle)) * 2 * self.middle / (self.high - self.low)

    def holds(self, simulated: float) -> bool:
        """Whether a simulated figure is in the band."""
        return self.low <= simulated <= self.high


@dataclass(frozen=True, slots=True)
class Fitted:
    """The settings of the fitted values, and the figures that are outside of their bands."""

    settings: Settings
    outside: tuple[str, ...]
    evaluations: int


@dataclass(frozen=True, slots=True)
class Variable:
    """A text of the machine with numbers that are fitted; zeros stay."""

    paths: tuple[str, ...]
    shipped: Template

    @property
    def moving(self) -> list[int]:
        """Which of its numbers are fitted."""
        return [i for i, one in enumerate(self.shipped.numbers) if one > 0]

    def settings(self, factors: Sequence[float]) -> Settings:
        """Return the settings that multiply each number that moves by a factor."""
        numbers = list(self.shipped.numbers)
        for i, factor in zip(self.moving, factors, strict=True):
            numbers[i] *= factor
        return tuple((path, self.shipped.text(numbers)) for path in self.paths)


class _Enough(Exception):  # noqa: N818 - it ends a search, and is caught here
    """Each figure is near enough, or there were enough evaluations."""


class _Attempt:
    """The best point of a fit so far."""

    def __init__(self, residuals: Callable[[Vector], Vector | None], start: Vector) -> None:
        self._at = residuals
        self.x = start
        self.residuals = start
        self.evaluations = 0

    def begin(self, residuals: Vector) -> None:
        """Note the residuals of the first point."""
        self.residuals = residuals
        self.evaluations = 1

    @property
    def near(self) -> bool:
        """Whether each figure is near enough."""
        return float(np.abs(self.residuals).max(initial=0.0)) <= NEAR

    def descend(self, box: Box, derived: Vector, most: int) -> None:
        """Go on to the least squares, by at most so many evaluations."""
        if self.near:
            return
        last = self.evaluations + most

        def function(points: Sequence[Vector]) -> list[Vector | None]:
            if self.near or self.evaluations >= last:
                raise _Enough
            return [self._evaluated(x) for x in points]

        with suppress(_Enough):
            solve(function, self.x.copy(), box, known=(self.residuals, derived), close=CLOSE)

    def derivatives(self, box: Box) -> Vector | None:
        """Return the derivatives at the best point; None if nothing can be run beside it."""
        try:
            return derivatives(
                lambda points: [self._evaluated(x, better=False) for x in points],
                self.x,
                self.residuals,
                box,
                STEP,
            )
        except StartError:
            return None

    def _evaluated(self, x: Vector, *, better: bool = True) -> Vector | None:
        self.evaluations += 1
        residuals = self._at(x)
        if better and residuals is not None and _squares(residuals) < _squares(self.residuals):
            self.x, self.residuals = x.copy(), residuals
        return residuals


class Refit:
    """Fits some values of a machine to some figures, again and again with other assumptions."""

    def __init__(
        self,
        variables: Sequence[Variable],
        targets: Sequence[Target],
        figures: Figures,
        *,
        most: int = MOST,
    ) -> None:
        self.variables = variables
        self.targets = targets
        self._figures = figures
        self._most = most
        self.derived: Vector | None = None
        """Derivatives of the shipped machine, once they are known."""
        wide = sum(len(one.moving) for one in variables)
        self._box = Box(np.full(wide, -np.log(WITHIN)), np.full(wide, np.log(WITHIN)))

    def settings(self, x: Vector) -> Settings:
        """Return the settings of the variables for logarithms of their factors."""
        factors = iter(np.exp(x))
        return tuple(
            setting
            for one in self.variables
            for setting in one.settings([next(factors) for _ in one.moving])
        )

    def prepare(self) -> None:
        """Find the derivatives of the shipped machine; InputError if it has no figures."""
        if self.derived is not None or not self.variables:
            return
        start = np.zeros_like(self._box.low)
        first = self._residuals((), start)
        if first is None:
            raise InputError("the shipped machine cannot be run")
        try:
            self.derived = derivatives(
                lambda points: [self._residuals((), x) for x in points],
                start,
                first,
                self._box,
                STEP,
            )
        except StartError:
            raise InputError("beside the shipped machine nothing can be run") from None

    def fit(self, assumed: Settings) -> Fitted:
        """Return the fitted values beside these assumptions.

        Raises what ``CANNOT`` lists if the shipped values cannot be run with them.
        """
        self.prepare()
        attempt = _Attempt(lambda x: self._residuals(assumed, x), np.zeros_like(self._box.low))
        attempt.begin(self._of(self._simulated(assumed, attempt.x)))  # Raises what is wrong.
        if self.derived is not None:
            attempt.descend(self._box, self.derived, self._most)
            if not attempt.near and (fresh := attempt.derivatives(self._box)) is not None:
                attempt.descend(self._box, fresh, self._most)
        simulated = self._simulated(assumed, attempt.x)
        outside = [one.id for one in self.targets if not one.holds(simulated[one.id])]
        return Fitted(self.settings(attempt.x), tuple(outside), attempt.evaluations)

    def _simulated(self, assumed: Settings, x: Vector) -> Mapping[str, float]:
        return self._figures((*assumed, *self.settings(x)), [one.id for one in self.targets])

    def _of(self, simulated: Mapping[str, float]) -> Vector:
        return np.array([one.residual(simulated[one.id]) for one in self.targets])

    def _residuals(self, assumed: Settings, x: Vector) -> Vector | None:
        try:
            return self._of(self._simulated(assumed, x))
        except CANNOT:
            return None


def _squares(residuals: Vector) -> float:
    return float(residuals @ residuals)
