"""Rows of the oracle table: a figure from theory, one from the simulator, and a tolerance.

How far a simulated mean may be off follows from theory too, and from the number of samples: four
standard errors, of the law that the samples have if the simulator is right. A wrong simulator
cannot widen it. What theory gives exactly is compared exactly, up to the rounding to whole
nanoseconds. Seeds are fixed: the rows are the same on every run.
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
"""Nanoseconds, or whole numbers of something else."""
LawOf: TypeAlias = Callable[[float], Law]
"""Law of a figure where a part is off by a factor: 1.02 for 2 % too much."""

MS = 1_000_000
"""Nanoseconds of a millisecond."""
MB = 1_000_000
SIGMAS = 4.0
"""Tolerance, in standard errors."""
BEYOND = math.erfc(SIGMAS / math.sqrt(2))
"""Chance that a correct simulator misses it: 6.3e-5, as far as means are normal."""
EXACT = 1e-4
"""What is found from this share on is compared exactly."""
POWER = 2.326
"""With so many standard errors more a defect is found with a chance of 99 %."""
_STEP = 0.005
FILLING = 100
"""The first of so many parts of a series is left out: the system fills."""


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
    what: str = ""
    """What may be wrong in the machine: service, rate, room, ...; empty: see its own tests."""
    detects: float = 0.0
    """Smallest error of that which is found with a chance of 99 %, as a share of it."""

    @property
    def ok(self) -> bool:
        """Whether the simulator agrees with theory."""
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
    """Return a row for a mean; without the first hundredth of a series, as the system filled.

    The law is that of values in ``unit``.
    """
    settled = values[len(values) // FILLING :]
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
    """Return a row for what is compared exactly, up to a tolerance for rounding."""
    detects = 2 * tolerance / _slope(expected_of)
    return OracleRow(id_, name, expected_of(1.0), simulated, tolerance, what, detects)


def _slope(expected_of: Callable[[float], float]) -> float:
    """Compute by how much a figure changes with the logarithm of a factor, without its sign."""
    slope = abs(expected_of(1 + _STEP) - expected_of(1 - _STEP)) / (2 * _STEP)
    if not slope:
        raise ValueError("what may be wrong does not change the figure")
    return slope
