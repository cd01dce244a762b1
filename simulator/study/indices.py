"""Sobol indices: which part of a figure's variance each value, or group of values, explains.

First order (Saltelli et al., 2010, Computer Physics Communications 181): what would go, on the
average, if the value were known. Total (Jansen, 1999, Computer Physics Communications 117): what
would be left if all others were known. Their intervals are by a bootstrap of the points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 1000
"""Bootstrap samples of an interval."""


@dataclass(frozen=True, slots=True)
class Index:
    """The part of the variance of a figure that one value explains."""

    first: float
    first_interval: tuple[float, float]
    total: float
    total_interval: tuple[float, float]

    @property
    def left(self) -> float:
        """The part of the figure's spread that is left, on the average, if the value is known."""
        return math.sqrt(1 - min(max(self.first, 0.0), 1.0))


def indices(
    values: Sequence[float], count: int, *, confidence: float = 0.95, seed: int = 1
) -> list[Index]:
    """Return the indices of each group, from the figures at the points of ``saltelli``.

    Empty if the figure does not vary at all.
    """
    import numpy as np

    rows = np.asarray(values, dtype=float).reshape(-1, count)
    a, b, mixed = rows[0], rows[1], rows[2:]
    middle = rows[:2].mean()  # Both estimators are of differences; this keeps digits.
    a, b, mixed = a - middle, b - middle, mixed - middle
    if not (np.ptp(rows) > 0 and np.var(rows[:2]) > 0):
        return []
    if len(mixed) == 1:  # Nothing else moves it.
        return [Index(1.0, (1.0, 1.0), 1.0, (1.0, 1.0))]
    first, total = _estimates(a, b, mixed)
    draw = np.random.default_rng(seed)
    resampled: list[Any] = [
        _estimates(a[chosen], b[chosen], mixed[:, chosen])
        for chosen in draw.integers(0, count, (RESAMPLES, count))
    ]
    tail = 50 * (1 - confidence)
    ends = np.nanpercentile(np.array(resampled), [tail, 100 - tail], axis=0)
    return [
        Index(
            float(first[i]),
            (float(ends[0, 0, i]), float(ends[1, 0, i])),
            float(total[i]),
            (float(ends[0, 1, i]), float(ends[1, 1, i])),
        )
        for i in range(len(mixed))
    ]


def _estimates(
    a: NDArray[np.float64], b: NDArray[np.float64], mixed: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    variance = np.var(np.concatenate((a, b)))
    if not variance:
        nothing = np.full(len(mixed), np.nan)
        return nothing, nothing
    first = (b * (mixed - a)).mean(axis=1) / variance
    total = ((a - mixed) ** 2).mean(axis=1) / (2 * variance)
    return first, total
