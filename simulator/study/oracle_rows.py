"""Rows of the oracle table: a figure from theory, one from the simulator, and a tolerance.

A simulated mean is allowed 4.5 of its standard errors, from batch means; that is never more
than a few per cent of it. What theory gives exactly is compared exactly, up to the rounding
to whole nanoseconds or to whole blocks. Seeds are fixed: the rows are the same on every run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Times: TypeAlias = NDArray[np.int64]
"""Nanoseconds, or whole numbers of something else."""

MS = 1_000_000
"""Nanoseconds of a millisecond."""
MB = 1_000_000
SIGMAS = 4.5
BATCHES = 40


@dataclass(frozen=True, slots=True)
class OracleRow:
    """One figure, from theory and from the simulator."""

    id: str
    """Its number in the project's list of oracles: O1, O2, ..."""
    name: str
    expected: float
    simulated: float
    tolerance: float
    """How far they may be apart."""

    @property
    def ok(self) -> bool:
        """Whether the simulator agrees with theory."""
        return abs(self.simulated - self.expected) <= self.tolerance


def batch_error(values: NDArray[np.float64]) -> float:
    """Compute the standard error of the mean of a correlated series from its batches' means."""
    size = len(values) // BATCHES
    means = values[: size * BATCHES].reshape(BATCHES, size).mean(axis=1)
    return float(means.std(ddof=1)) / math.sqrt(BATCHES)


def mean_row(
    id_: str, name: str, expected: float, values: Times | NDArray[np.float64], unit: float = 1.0
) -> OracleRow:
    """Return a row for a mean; without the first hundredth of a series, as the system filled."""
    settled = values[len(values) // 100 :] / unit
    return OracleRow(id_, name, expected, float(settled.mean()), SIGMAS * batch_error(settled))


def ratio_row(id_: str, name: str, expected: float, part: Times, whole: Times) -> OracleRow:
    """Return a row for the share that the sum of one series is of another's."""
    first = len(part) // 100
    share = float(part[first:].sum() / whole[first:].sum())
    # The error of a ratio is that of the mean of what is left without it.
    left = part[first:] - share * whole[first:]
    return OracleRow(
        id_, name, expected, share, SIGMAS * batch_error(left) / float(whole[first:].mean())
    )
