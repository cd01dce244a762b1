"""Least squares within bounds: SciPy's dogleg steps, and finite differences of many points.

The function may fail at a point (None): such a step is made shorter. Points that can be evaluated
at the same time are asked for together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from simulator.extras import need

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float64]
    Function: TypeAlias = Callable[[Sequence[Vector]], Sequence[Vector | None]]
    from numpy.typing import NDArray


STEP = 2e-3
"""Of finite differences."""
CLOSE = 1e-6
_MOST_STEPS = 60
_FLAT = _EXACT = 1e-12
"""A gradient that leads nowhere, and how exactly a step is found."""
_NOTHING = 1e-16
"""A sum of squares that cannot be made smaller."""


class StartError(ValueError):
    """The function fails at the start, or beside it."""


@dataclass(frozen=True)
class Solution:
    """The point with the least sum of squares."""

    x: Vector
    residuals: Vector


@dataclass(frozen=True)
class Box:
    """The bounds of the variables."""

    low: Vector
    high: Vector


def solve(
    function: Function,
    start: Vector,
    box: Box,
    *,
    known: tuple[Vector, Vector] | None = None,
    close: float = CLOSE,
    step: float = STEP,
    heard: Callable[[Solution], None] = lambda _solution: None,
) -> Solution:
    """Find the least sum of squares near a start; StartError if the function fails there.

    ``known`` are the residuals and the Jacobian at the start, if they are known: then derivatives
    are only brought up to date by Broyden's formula. ``heard`` is told each point that is better
    than all before. A step shorter than ``close``, or one that gains no larger part of the squares,
    is the last. ``step`` is that of finite differences. MissingExtraError without SciPy.
    """
    need("scipy")
    from scipy.optimize import least_squares

    one = _ScipyFunction(function, start, box, known, step, heard)
    # From 1 on: SciPy's longest first step, and ``close``, are parts of the distance from 0.
    with suppress(_Nothing):
        least_squares(
            lambda x: one.residuals(np.clip(start + (x - 1), box.low, box.high)),
            np.ones_like(start),
            lambda _x: one.jacobian(),
            (box.low - start + 1, box.high - start + 1),
            method="dogbox",  # It goes up to bounds, and along them.
            tr_solver="lsmr",  # Where only a combination of values is told, the shortest step.
            tr_options={"atol": _EXACT, "btol": _EXACT},
            ftol=close,
            xtol=close,
            gtol=_FLAT,
            max_nfev=_MOST_STEPS,
        )
    return one.best


class _Nothing(Exception):  # noqa: N818 - it ends a search, and is caught here
    """The sum of squares cannot be made smaller."""


class _ScipyFunction:
    """The function as SciPy calls it: a point at a time, derivatives at the points it visited."""

    def __init__(
        self,
        function: Function,
        start: Vector,
        box: Box,
        known: tuple[Vector, Vector] | None,
        step: float,
        heard: Callable[[Solution], None],
    ) -> None:
        self._function, self._box, self._step, self._heard = function, box, step, heard
        first = known[0] if known else function([start])[0]
        if first is None:
            raise StartError
        self.best = self._derived_at = Solution(start, first)
        self._derived = known[1] if known else None
        self._known = known is not None
        heard(self.best)

    def residuals(self, x: Vector) -> Vector:
        """Return the residuals at a point; nan, which SciPy goes back from, where it fails."""
        if np.array_equal(x, self.best.x):
            return self.best.residuals
        (found,) = self._function([x])
        if found is None:
            return np.full_like(self.best.residuals, np.nan)
        if found @ found < self.best.residuals @ self.best.residuals:
            self.best = Solution(x, found)
            self._heard(self.best)
        return found

    def jacobian(self) -> Vector:
        """Return the derivatives at the best point, which SciPy has gone to."""
        now, before = self.best, self._derived_at
        if now.residuals @ now.residuals <= _NOTHING:
            raise _Nothing
        if self._derived is None or not self._known:
            self._derived = derivatives(self._function, now.x, now.residuals, self._box, self._step)
        elif (moved := now.x - before.x).any():
            missed = now.residuals - before.residuals - self._derived @ moved
            self._derived = self._derived + np.outer(missed, moved) / (moved @ moved)
        self._derived_at = now
        return self._derived


def derivatives(
    function: Function, x: Vector, residuals: Vector, box: Box, step: float = STEP
) -> Vector:
    """Return the Jacobian by one-sided differences, away from bounds and from failing points.

    StartError if the function fails on both sides.
    """
    changes = [step if one + step <= most else -step for one, most in zip(x, box.high, strict=True)]
    moved = list(function([_beside(x, i, change) for i, change in enumerate(changes)]))
    for i in [i for i, one in enumerate(moved) if one is None]:
        changes[i] = -changes[i]
        (moved[i],) = function([_beside(x, i, changes[i])])
    columns = []
    for change, one in zip(changes, moved, strict=True):
        if one is None:
            raise StartError
        columns.append((one - residuals) / change)
    return np.column_stack(columns)


def _beside(x: Vector, variable: int, change: float) -> Vector:
    point = x.copy()
    point[variable] += change
    return point


# -- what measurements tell of fitted values, and which values they do not determine ---------------

STILL = 1e-4
"""A value moves no figure if its derivative, logarithm by logarithm, is below that everywhere."""
_SINGULAR = 1e-4
"""Values are tied if a combination of them moves the figures so much less than each of them."""
_CLOSE = 0.98
"""Correlation from which on two values are reported as hard to tell apart."""
_PART = 0.1
_FINEST = 1e-12
"""Mean square of residuals that rounding to whole nanoseconds and bytes may leave."""


@dataclass(frozen=True)
class Precision:
    """Uncertainty of the logarithms of some values."""

    errors: tuple[float, ...]
    """Standard errors; nan of values that are not determined, or without degrees of freedom."""
    correlation: Vector
    tied: tuple[tuple[int, ...], ...]
    """Values of which only a combination is determined."""
    close: tuple[tuple[int, int], ...]
    """Pairs with a high correlation."""


def precision_of(jacobian: Vector, squares: float) -> Precision:
    """Return what residuals with these derivatives by logarithms tell; none of them is still."""
    count, wide = jacobian.shape
    norms = np.linalg.norm(jacobian, axis=0)
    tied = ties(jacobian)
    determined = np.array([not any(i in group for group in tied) for i in range(wide)])
    scaled = jacobian / norms
    inverse = np.linalg.pinv(scaled.T @ scaled, rcond=_SINGULAR**2)
    freedom = count - wide
    variance = max(squares / freedom, _FINEST) if freedom > 0 else math.nan
    errors = np.sqrt(np.maximum(np.diag(inverse), 0) * variance) / norms
    root = np.sqrt(np.diag(inverse))
    correlation = inverse / np.outer(root, root)
    for i in np.flatnonzero(~determined):
        errors[i] = math.nan
        correlation[i, :] = correlation[:, i] = math.nan
    pairs = [(i, j) for i in range(wide) for j in range(i) if abs(correlation[i, j]) >= _CLOSE]
    close = tuple((j, i) for i, j in pairs)
    return Precision(tuple(map(float, errors)), correlation, tied, close)


def ties(jacobian: Vector) -> tuple[tuple[int, ...], ...]:
    """Return the groups of values of which only a combination moves the residuals."""
    norms = np.linalg.norm(jacobian, axis=0)
    count, wide = jacobian.shape
    _, singular, rows = np.linalg.svd(jacobian / norms)
    full = np.zeros(wide)
    full[: min(count, wide)] = singular
    groups = []
    for value, row in zip(full, rows, strict=True):
        if value < _SINGULAR * full[0]:
            groups.append(tuple(map(int, np.flatnonzero(np.abs(row) > _PART))))
    return tuple(groups)


def still(elasticities: Vector) -> list[int]:
    """Return the values that move no figure; a column for each value."""
    return [int(i) for i in np.flatnonzero(np.abs(elasticities).max(axis=0) < STILL)]


def needed(jacobian: Vector, left: int) -> list[int]:
    """Return the values that are not determined without one of the residuals."""
    rest = np.delete(jacobian, left, axis=0)
    norms, all_norms = np.linalg.norm(rest, axis=0), np.linalg.norm(jacobian, axis=0)
    lost = [int(i) for i in np.flatnonzero(norms < _SINGULAR * all_norms)]
    if lost:
        return lost
    groups: Sequence[tuple[int, ...]] = ties(rest)
    return sorted({i for group in groups for i in group})
