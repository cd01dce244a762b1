"""Rows of the oracle table: a figure from theory, one from the simulator, and a tolerance.

The tolerance of a simulated mean also follows from theory and the number of samples: four standard
errors, of the samples' law under a correct simulator. A wrong simulator cannot widen it. Exact
results of theory are compared exactly, up to rounding to whole nanoseconds. Seeds are fixed: the
rows are the same on every run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .chains import Law

Times: TypeAlias = NDArray[np.int64]
"""Nanoseconds, or other integers."""
LawOf: TypeAlias = Callable[[float], Law]
"""Law of a figure with an error factor in a resource: 1.02 for 2 % too much."""

MS = 1_000_000
"""Nanoseconds of a millisecond."""
MB = 1_000_000
SIGMAS = 4.0
"""Tolerance, in standard errors."""
BEYOND = math.erfc(SIGMAS / math.sqrt(2))
"""Probability that a correct simulator misses it: 6.3e-5, if means are normal."""
EXACT = 1e-4
"""Probability of detection from which a comparison is exact."""
POWER = 2.326
"""Standard errors beyond the tolerance at which a defect is detected with 99 % probability."""
_STEP = 0.005
TRANSIENT = 100
"""Initial fraction of a series that is dropped as transient."""


@dataclass(frozen=True, slots=True)
class OracleRow:
    """One figure, from theory and from the simulator."""

    id: str
    """Its number in the project's list of oracles: O1, O2, ..."""
    name: str
    expected: float
    simulated: float
    tolerance: float
    """Maximum difference of both."""
    what: str = ""
    """Possible error of the machine: service, rate, room, ...; empty: see its own tests."""
    detects: float = 0.0
    """Smallest relative error of it that is detected with 99 % probability."""

    @property
    def ok(self) -> bool:
        """True if the simulator agrees with theory."""
        return abs(self.simulated - self.expected) <= self.tolerance


def mean_row(
    id_: str,
    name: str,
    law_of: LawOf,
    values: Times | NDArray[np.float64],
    unit: float = 1.0,
    *,
    what: str = "service",
) -> OracleRow:
    """Return a row for a mean; without the first hundredth of a series, the transient.

    The law is that of values in ``unit``.
    """
    settled = values[len(values) // TRANSIENT :]
    return law_row(id_, name, law_of, float(settled.mean()) / unit, len(settled), what=what)


def law_row(
    id_: str, name: str, law_of: LawOf, simulated: float, count: int, *, what: str = "service"
) -> OracleRow:
    """Return a row for a mean of ``count`` values."""
    law = law_of(1.0)
    error = law.error(count)
    slope = _slope(lambda factor: law_of(factor).mean)
    tolerance = SIGMAS * error
    detects = (tolerance + POWER * error) / slope
    return OracleRow(id_, name, law.mean, simulated, tolerance, what, detects)


def exact_row(
    id_: str,
    name: str,
    expected_of: Callable[[float], float],
    simulated: float,
    tolerance: float,
    *,
    what: str = "service",
) -> OracleRow:
    """Return a row for an exact comparison, up to a tolerance for rounding."""
    detects = 2 * tolerance / _slope(expected_of)
    return OracleRow(id_, name, expected_of(1.0), simulated, tolerance, what, detects)


def _slope(expected_of: Callable[[float], float]) -> float:
    """Compute the absolute derivative of a figure with respect to the logarithm of a factor."""
    slope = abs(expected_of(1 + _STEP) - expected_of(1 - _STEP)) / (2 * _STEP)
    if not slope:
        raise ValueError("what may be wrong does not change the figure")
    return slope
