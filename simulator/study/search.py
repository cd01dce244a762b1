"""The search for the values of a machine with which its runs are nearest to measurements.

In the logarithms of the values, from first guesses, within ranges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from simulator.errors import InputError
from simulator.study.leastsquares import (
    CLOSE,
    STEP,
    Box,
    Solution,
    StartError,
    derivatives,
    solve,
    still,
)
from simulator.study.model import Model, Runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.study.executors import Executor
    from simulator.study.fits import PreparedFit
    from simulator.study.parameters import Parameter
    from simulator.study.results import Results, Saving

    Vector: TypeAlias = NDArray[np.float64]

SearchProgress: TypeAlias = Callable[[str, int, float], None]
"""Callback for progress: the phase, the number of runs, and the root mean square error."""

_WIDE = 0.05
"""A step of finite differences that looks past what is uneven: requests that change places."""
_STEPS = ((_WIDE, 1e-3), (STEP, CLOSE))
"""Steps of finite differences, and how near the search comes with them."""
_UNEVEN = 0.3
"""Derivatives that differ so much between the two steps are taken from the wide one."""
_SCANNED = 9
"""Values over the range of a parameter that moves nothing where it is."""
_MOST_ROUNDS = 4


class Search:
    """One fit under way."""

    def __init__(
        self,
        problem: PreparedFit,
        jobs: int,
        heard: SearchProgress,
        executor: Executor | None = None,
        results: Results | None = None,
        saving: Saving | None = None,
    ) -> None:
        self.problem = problem
        self.parameters = problem.parameters
        self.measures = problem.measures
        self.fitted = [i for i, one in enumerate(self.measures) if not one.held_out]
        self.model = Model(
            self.parameters,
            self.measures,
            jobs=jobs,
            heard=self._told,
            elsewhere=None if executor is None else (executor, Runs(problem.fit)),
            results=results,
            saving=saving,
        )
        self.x = np.log([one.start for one in self.parameters])
        self.box = Box(
            np.log([one.low for one in self.parameters]),
            np.log([one.high for one in self.parameters]),
        )
        self.rms = math.nan
        self.phase = "fit"
        self._heard = heard

    def best(self) -> str:
        """Return the best values so far, as a fit file takes them."""
        lines = ["interrupted; the best values so far, to go on from:", "parameters:"]
        for one, number in zip(self.parameters, np.exp(self.x), strict=True):
            low, high = one.leaf.show(_like(one, one.low)), one.leaf.show(_like(one, one.high))
            start = one.leaf.show(_like(one, float(f"{number:.6g}")))
            lines.append(f"  {one.name}: {{start: {start}, low: {low}, high: {high}}}")
        if not math.isnan(self.rms):
            lines.append(f"# root mean square error {self.rms * 100:.3g} %, {self.model.runs} runs")
        return "\n".join(lines)

    # -- the function whose squares are made small -------------------------------------------------

    def figures(self, points: Sequence[Vector], indices: Sequence[int]) -> list[list[float] | None]:
        """Return the figures of some measurements at each point; None where a run fails."""
        return self.model.figures([tuple(map(float, np.exp(x))) for x in points], indices)

    def residuals(self, figures: Sequence[float], indices: Sequence[int]) -> Vector:
        """Return the residuals of some measurements from their figures."""
        means = np.array([self.measures[i].measured.mean for i in indices])
        if self.problem.fit.residuals == "log":
            return np.asarray(np.log(np.array(figures) / means))
        ranges = np.array([self.measures[i].measured.range for i in indices])
        return np.asarray((np.array(figures) - means) / ranges)

    def function(
        self, free: Sequence[int], indices: Sequence[int]
    ) -> Callable[[Sequence[Vector]], list[Vector | None]]:
        """Return residuals as a function of the free values alone; the others stay."""

        def function(points: Sequence[Vector]) -> list[Vector | None]:
            whole = []
            for point in points:
                x = self.x.copy()
                x[list(free)] = point
                whole.append(x)
            found = self.figures(whole, indices)
            return [None if one is None else self.residuals(one, indices) for one in found]

        return function

    def jacobian(self, residuals: Vector, free: Sequence[int]) -> Vector:
        """Return the derivatives of the residuals by the free values, past what is uneven."""
        function, box = self.function(free, self.fitted), self.inner_box(free)
        near = derivatives(function, self.x[list(free)], residuals, box)
        wide = derivatives(function, self.x[list(free)], residuals, box, _WIDE)
        apart = np.linalg.norm(near - wide, axis=0) > _UNEVEN * np.linalg.norm(wide, axis=0)
        return np.where(apart, wide, near)

    def inner_box(self, free: Sequence[int]) -> Box:
        """Return the bounds of some values."""
        return Box(self.box.low[list(free)], self.box.high[list(free)])

    def _told(self, runs: int) -> None:
        self._heard(self.phase, runs, self.rms)

    # -- the search --------------------------------------------------------------------------------

    def start(self) -> None:
        """Try the first guesses, held-out measurements too; InputError if they cannot be run."""
        (figures,) = self.figures([self.x], range(len(self.measures)))
        if figures is not None:
            return
        why = self.model.why(tuple(map(float, np.exp(self.x))))
        values = ", ".join(f"{one.name} {one.shown(one.start)}" for one in self.parameters)
        raise InputError(f"the first guesses ({values}) cannot be run: {why}") from why

    def search(self) -> list[int]:
        """Go to the least sum of squares; return the values that move figures there."""
        everything = list(range(len(self.parameters)))
        for _ in range(_MOST_ROUNDS):
            free = [i for i in everything if i not in self.still()]
            if free:
                self.descend(free)
            stuck = self.still()
            better = [self.scan(i) for i in stuck]
            if not any(better):
                return [i for i in everything if i not in stuck]
        return [i for i in everything if i not in self.still()]

    def descend(self, free: list[int]) -> None:
        """Go from where the search is to the least sum of squares, by these values."""

        def heard(now: Solution) -> None:
            self.x[free] = now.x
            self.rms = self._relative(now.residuals)

        try:
            for step, close in _STEPS:
                solve(
                    self.function(free, self.fitted),
                    self.x[free].copy(),
                    self.inner_box(free),
                    step=step,
                    close=close,
                    heard=heard,
                )
        except StartError:
            raise InputError(self._beside()) from None

    def _beside(self) -> str:
        values = ", ".join(
            f"{one.name} {one.shown(number)}"
            for one, number in zip(self.parameters, np.exp(self.x), strict=True)
        )
        return f"beside {values} the machine cannot be run; give the values narrower ranges"

    def _relative(self, residuals: Vector) -> float:
        """Return the root mean square of the relative errors that residuals stand for."""
        if self.problem.fit.residuals == "log":
            relative = np.expm1(residuals)
        else:
            listed = [self.measures[i].measured for i in self.fitted]
            relative = residuals * np.array([one.range / one.mean for one in listed])
        return float(np.sqrt(np.mean(relative**2)))

    def still(self) -> list[int]:
        """Return the values that move no figure where the search is."""
        everything = list(range(len(self.parameters)))
        (figures,) = self.figures([self.x], self.fitted)
        assert figures is not None
        logs = np.log(figures)

        def function(points: Sequence[Vector]) -> list[Vector | None]:
            found = self.figures(points, self.fitted)
            return [None if one is None else np.log(one) for one in found]

        try:
            return still(derivatives(function, self.x, logs, self.inner_box(everything), _WIDE))
        except StartError:
            raise InputError(self._beside()) from None

    def scan(self, index: int) -> bool:
        """Try values over the range of one that moves nothing; return whether one is better."""
        points = self._along(index, self.box.low[index], self.box.high[index])
        squares = []
        for figures in self.figures([self.x, *points], self.fitted):
            residuals = None if figures is None else self.residuals(figures, self.fitted)
            squares.append(math.inf if residuals is None else float(residuals @ residuals))
        now, *others = squares
        best = int(np.argmin(others))
        if others[best] < now * (1 - 1e-6) - 1e-12:
            self.x = points[best]
            return True
        return False

    def reach(self, index: int, way: int) -> float:
        """Return the last of some values, outwards in a direction, that changes no figure."""
        end = self.box.low[index] if way < 0 else self.box.high[index]
        points = self._along(index, self.x[index], end)[1:]
        here, *others = self.figures([self.x, *points], self.fitted)
        reached = float(self.x[index])
        for point, figures in zip(points, others, strict=True):
            if figures is None or not np.allclose(figures, here or [], rtol=1e-4):
                break
            reached = float(point[index])
        return reached

    def _along(self, index: int, begin: float, end: float) -> list[Vector]:
        """Return points with one value from a beginning to an end, the others as they are."""
        points = np.tile(self.x, (_SCANNED, 1))
        points[:, index] = np.linspace(begin, end, _SCANNED)
        return list(points)


def _like(one: Parameter, number: float) -> float:
    return one.rounded(number) if one.leaf.name not in ("rate", "percentage") else number
