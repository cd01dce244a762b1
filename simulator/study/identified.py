"""What measurements tell of fitted values: uncertainty, and which values they do not determine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

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
class Told:
    """Uncertainty of the logarithms of some values."""

    errors: tuple[float, ...]
    """Standard errors; nan of values that are not determined, or without degrees of freedom."""
    correlation: Vector
    tied: tuple[tuple[int, ...], ...]
    """Values of which only a combination is determined."""
    close: tuple[tuple[int, int], ...]
    """Pairs with a high correlation."""


def told(jacobian: Vector, squares: float) -> Told:
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
    return Told(tuple(map(float, errors)), correlation, tied, close)


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
