"""Fitting a machine's calibrated values again, after what was assumed of it has changed.

From the shipped values, by least squares on the printed figures, with derivatives of the shipped
machine brought up to date by Broyden's formula: some five evaluations instead of dozens. A fit
ends as soon as each figure is near the middle of its band.
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
from simulator.study.leastsquares import Box, Solution, StartError, derivatives, solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.study.ranged import Template

    Vector: TypeAlias = NDArray[np.float64]

Setting: TypeAlias = tuple[str, str]
Settings: TypeAlias = tuple[Setting, ...]
Figures: TypeAlias = Callable[[Settings, Sequence[str]], Mapping[str, float]]
"""Simulates some figures, by their ids, with settings."""

NEAR = 0.25
"""How near the middle of its band, as a part of half the band, a figure is near enough."""
MOST = 12
"""Evaluations of one fit."""
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

    path: str
    shipped: Template

    @property
    def moving(self) -> list[int]:
        """Which of its numbers are fitted."""
        return [i for i, one in enumerate(self.shipped.numbers) if one > 0]

    def setting(self, factors: Sequence[float]) -> Setting:
        """Return the setting that multiplies each number that moves by a factor."""
        numbers = list(self.shipped.numbers)
        for i, factor in zip(self.moving, factors, strict=True):
            numbers[i] *= factor
        return self.path, self.shipped.text(numbers)


class _Enough(Exception):  # noqa: N818 - it ends a search, and is caught here
    """Each figure is near enough, or there were enough evaluations."""


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
        return tuple(one.setting([next(factors) for _ in one.moving]) for one in self.variables)

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
        start = np.zeros_like(self._box.low)
        tried: list[tuple[float, Vector, Vector]] = []

        def function(points: Sequence[Vector]) -> list[Vector | None]:
            found = []
            for x in points:
                if len(tried) >= self._most:
                    raise _Enough
                residuals = self._residuals(assumed, x)
                if residuals is not None:
                    tried.append((float(residuals @ residuals), x.copy(), residuals))
                found.append(residuals)
            return found

        def heard(now: Solution) -> None:
            if float(np.abs(now.residuals).max(initial=0.0)) <= NEAR:
                raise _Enough

        simulated = self._simulated(assumed, start)  # Raises what is wrong with the assumptions.
        first = self._of(simulated)
        tried.append((float(first @ first), start, first))
        if self.derived is not None:
            with suppress(_Enough):
                solve(function, start, self._box, known=(first, self.derived), heard=heard)
        _, best, _ = min(tried, key=lambda one: one[0])
        simulated = simulated if best is start else self._simulated(assumed, best)
        outside = [one.id for one in self.targets if not one.holds(simulated[one.id])]
        return Fitted(self.settings(best), tuple(outside), len(tried))

    def _simulated(self, assumed: Settings, x: Vector) -> Mapping[str, float]:
        return self._figures((*assumed, *self.settings(x)), [one.id for one in self.targets])

    def _of(self, simulated: Mapping[str, float]) -> Vector:
        return np.array([one.residual(simulated[one.id]) for one in self.targets])

    def _residuals(self, assumed: Settings, x: Vector) -> Vector | None:
        try:
            return self._of(self._simulated(assumed, x))
        except CANNOT:
            return None
