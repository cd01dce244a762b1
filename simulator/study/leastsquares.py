"""Least squares within bounds, by the method of Levenberg and Marquardt with finite differences.

The function may fail at a point (None): such a step is not taken. Points that can be evaluated at
the same time are asked for together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float64]
    Function: TypeAlias = Callable[[Sequence[Vector]], Sequence[Vector | None]]

STEP = 2e-3
"""Of finite differences."""
_FIRST_DAMPING, _MOST_DAMPING = 1e-4, 1e8
_LONGEST = 1.0
"""The longest step of one variable."""
_MOST_STEPS = 60
CLOSE = 1e-6
_NOTHING = 1e-16
"""A sum of squares that cannot be made smaller."""


class StartError(ValueError):
    """The function fails at the start, or beside it."""


@dataclass(frozen=True)
class Solution:
    """Where the sum of squares is least."""

    x: Vector
    residuals: Vector
    jacobian: Vector
    """Derivatives of the residuals, here or at the step before; a row for each residual."""

    @property
    def squares(self) -> float:
        """The sum of squares."""
        return float(self.residuals @ self.residuals)


@dataclass(frozen=True)
class Box:
    """The bounds of the variables."""

    low: Vector
    high: Vector

    def held(self, x: Vector, downhill: Vector) -> NDArray[np.bool_]:
        """Return which variables are at a bound and would leave it."""
        return ((x <= self.low) & (downhill < 0)) | ((x >= self.high) & (downhill > 0))

    def clipped(self, x: Vector) -> Vector:
        """Return the nearest point inside."""
        return np.clip(x, self.low, self.high)


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
    than all before. A step shorter than ``close``, or one that
    gains no larger part of the squares, is the last. ``step`` is that of finite differences.
    """
    if known is None:
        (first,) = function([start])
        if first is None:
            raise StartError
        known_here, derived = first, derivatives(function, start, first, box, step)
    else:
        known_here, derived = known
    now = Solution(start, known_here, derived)
    damping = _FIRST_DAMPING
    heard(now)
    for _ in range(_MOST_STEPS):
        found = _step(function, now, box, damping, close)
        if found is None:
            break
        x, residuals, damping = found
        last = _is_last(now, x, residuals, close)
        jacobian = now.jacobian
        if not last and known is None:
            jacobian = derivatives(function, x, residuals, box, step)
        elif not last:
            jacobian = _broyden(now, x, residuals)
        now = Solution(x, residuals, jacobian)
        heard(now)
        if last:
            break
    return now


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


def _step(
    function: Function, now: Solution, box: Box, damping: float, close: float
) -> tuple[Vector, Vector, float] | None:
    """Return a better point, its residuals and the next damping; None if there is none."""
    if now.squares <= _NOTHING:
        return None
    downhill = -now.jacobian.T @ now.residuals
    free = ~box.held(now.x, downhill)
    if not free.any():
        return None
    jacobian, downhill = now.jacobian[:, free], downhill[free]
    normal = jacobian.T @ jacobian
    scale = np.maximum(np.diag(normal), 1e-12 * max(float(np.diag(normal).max()), 1e-300))
    while damping <= _MOST_DAMPING:
        change = np.linalg.solve(normal + damping * np.diag(scale), downhill)
        change *= min(1.0, _LONGEST / max(float(np.abs(change).max()), 1e-300))
        x = now.x.copy()
        x[free] += change
        x = box.clipped(x)
        (residuals,) = function([x])
        if residuals is not None and float(residuals @ residuals) < now.squares:
            return x, residuals, max(damping / 10, 1e-12)
        if float(np.abs(x - now.x).max()) < close:
            return None
        damping = max(damping * 10, _FIRST_DAMPING)
    return None


def _is_last(now: Solution, x: Vector, residuals: Vector, close: float) -> bool:
    gain = now.squares - float(residuals @ residuals)
    short = float(np.abs(x - now.x).max()) < close
    return short or gain < close * now.squares or float(residuals @ residuals) <= _NOTHING


def _broyden(now: Solution, x: Vector, residuals: Vector) -> Vector:
    """Return the Jacobian that explains the last step, changed as little as possible."""
    moved = x - now.x
    length = float(moved @ moved)
    if not length:
        return now.jacobian
    missed = residuals - now.residuals - now.jacobian @ moved
    updated: Vector = now.jacobian + np.outer(missed, moved) / length
    return updated
