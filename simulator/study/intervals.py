"""How long a job computes between two checkpoints: formulas, and what failures cost a job.

Times are ns. Failures are a Poisson process with the mean M of the job; C is the cost of a
checkpoint, R that of a restart (the delay, and reading the checkpoint back). The optimum is found
by a curve through simulated times, with Fieller's interval.

References: J. W. Young, A first order approximation to the optimum checkpoint interval, CACM 17(9),
1974; J. T. Daly, A higher order estimate of the optimum checkpoint interval for restart dumps, FGCS
22, 2006; E. C. Fieller, Some problems in interval estimation, J. R. Statist. Soc. B 16, 1954.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.study.chances import student_quantile

if TYPE_CHECKING:
    from simulator.plan.restarts import FailureTimes

MOST_RATIO = 50.0
"""Largest interval that is looked for, in M: at it a job fails e^50 times before it goes on."""


def young(cost: float, mean: float) -> float:
    """Return Young's interval of computing: sqrt(2 C M).

    >>> young(50, 10_000)
    1000.0
    """
    return math.sqrt(2 * cost * mean)


def daly(cost: float, mean: float) -> float:
    """Return Daly's interval: Young's with two more terms, less C; M if C is 2 M or more.

    >>> round(daly(50, 10_000), 1)
    966.9
    """
    if cost >= 2 * mean:
        return mean
    part = cost / (2 * mean)
    return young(cost, mean) * (1 + math.sqrt(part) / 3 + part / 9) - cost


def expected(computing: float, cost: float, restart: float, mean: float) -> float:
    """Return the mean time of one interval with its checkpoint, by Daly: failures and all.

    M e^(R / M) (e^((computing + C) / M) - 1); inf where that is no number.

    >>> round(expected(1000, 50, 50, 10_000), 1)
    1112.7
    """
    try:
        return mean * math.exp(restart / mean) * math.expm1((computing + cost) / mean)
    except OverflowError:
        return math.inf


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of a checkpoint and of a restart that do not change."""

    checkpoint_ns: int
    delay_ns: int
    """From a failure until the job goes on,"""
    reading_ns: int
    """and then until it computes."""

    @property
    def restart_ns(self) -> int:
        """Both."""
        return self.delay_ns + self.reading_ns

    def elapsed_ns(
        self, failures: FailureTimes, rounds: int, computing_ns: int, start_ns: int = 0
    ) -> int:
        """Return the time of a job with these costs: what its failures lose is done again.

        As the engines have it, but that a call under way ends with the failure.
        """
        now, done, reading = start_ns, 0, 0
        while done < rounds:
            end = now + reading + computing_ns + self.checkpoint_ns
            if failures.next_ns > end:
                now, done, reading = end, done + 1, 0
                continue
            begin = failures.take()
            while failures.next_ns < begin + self.delay_ns:
                begin = failures.take()
            now, reading = begin + self.delay_ns, self.reading_ns if done else 0
        return now - start_ns


# -- the optimum ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Optimum:
    """The interval with the least time, and what is known of it."""

    interval_ns: float
    low_ns: float
    """The interval's confidence bounds; 0 and inf where the runs do not tell."""
    high_ns: float
    elapsed_ns: float
    """The mean time at the optimum, by the curve."""


def optimum_of(
    intervals_ns: Sequence[int],
    times_ns: Sequence[Sequence[float]],
    mean_ns: float,
    confidence: float = 0.95,
) -> Optimum | None:
    """Return the optimum of simulated times, a row for each replication; None if there is none.

    The curve is T(t) = a + b / t + c M (e^(t / M) - 1) / t, which Daly's model has for any C and R
    (with a = 0), fitted to each replication by least squares. It is least where b / (c M) =
    e^x (x - 1) + 1, x = t / M. Fieller's theorem gives the interval of that ratio of two means over
    the replications, with Student's t; x follows from its ends.
    """
    scale = math.sqrt(intervals_ns[0] * intervals_ns[-1])
    columns = [
        [1.0] * len(intervals_ns),
        [scale / one for one in intervals_ns],
        [mean_ns * math.expm1(one / mean_ns) / one for one in intervals_ns],
    ]
    fits = [_fitted(columns, row) for row in times_ns]
    a, b, c = (math.fsum(column) / len(fits) for column in zip(*fits, strict=True))
    if b <= 0 or c <= 0:
        return None
    unit = mean_ns / scale

    def interval_at(ratio: float) -> float:
        return mean_ns * _least_at(ratio / unit)

    best = interval_at(b / c)
    elapsed = a + b * scale / best + c * mean_ns * math.expm1(best / mean_ns) / best
    low, high = _fieller([one[1] for one in fits], [one[2] for one in fits], confidence)
    return Optimum(best, interval_at(low), interval_at(high), elapsed)


def _least_at(ratio: float) -> float:
    """Return x for which e^x (x - 1) + 1 is the ratio, from 0 on; inf beyond MOST_RATIO."""
    if ratio <= 0 or ratio >= math.exp(MOST_RATIO):
        return 0.0 if ratio <= 0 else math.inf
    low, high = 0.0, MOST_RATIO
    while (middle := (low + high) / 2) not in (low, high):  # To the last bit.
        if math.exp(middle) * (middle - 1) + 1 < ratio:
            low = middle
        else:
            high = middle
    return high


def _fieller(
    above: Sequence[float], below: Sequence[float], confidence: float
) -> tuple[float, float]:
    """Return the interval of the ratio of two means of pairs; 0 and inf if it has no end."""
    count = len(above)
    if count < 2:
        return 0.0, math.inf
    means = math.fsum(above) / count, math.fsum(below) / count

    def covariance(one: Sequence[float], other: Sequence[float], of: tuple[float, float]) -> float:
        pairs = zip(one, other, strict=True)
        return math.fsum((x - of[0]) * (y - of[1]) for x, y in pairs) / (count - 1) / count

    square = student_quantile((1 + confidence) / 2, count - 1) ** 2
    a = means[1] ** 2 - square * covariance(below, below, (means[1], means[1]))
    b = means[0] * means[1] - square * covariance(above, below, means)
    c = means[0] ** 2 - square * covariance(above, above, (means[0], means[0]))
    inside = b * b - a * c
    if a <= 0 or inside < 0:
        return 0.0, math.inf
    return max(0.0, (b - math.sqrt(inside)) / a), (b + math.sqrt(inside)) / a


def _fitted(columns: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    """Return the coefficients of columns by least squares (Gram and Schmidt)."""
    base: list[list[float]] = []
    upper: list[list[float]] = []
    for column in columns:
        left, row = list(column), []
        for one in base:
            share = math.fsum(map(float.__mul__, one, left))
            left = [x - share * y for x, y in zip(left, one, strict=True)]
            row.append(share)
        length = math.sqrt(math.fsum(x * x for x in left))
        base.append([x / length for x in left])
        upper.append([*row, length])
    found = [0.0] * len(columns)
    for number in reversed(range(len(columns))):
        share = math.fsum(x * y for x, y in zip(base[number], values, strict=True))
        known = (upper[later][number] * found[later] for later in range(number + 1, len(columns)))
        found[number] = (share - math.fsum(known)) / upper[number][number]
    return found
