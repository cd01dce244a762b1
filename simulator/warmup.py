"""Reliability of the mean response time of arrivals: warm-up, interval, the length that it needs.

- *Warm-up*: the first arrivals whose removal minimises the standard error of the mean (MSER-5 of
  White and others, 2000: means of five, at most half of them), if they differ from the rest by more
  than three standard errors, and 5 %; a slower begin, as with a cold cache, by seven: a queue that
  starts empty is faster, and a burst there would be taken for warm-up. Where ten batches nearly all
  decrease three suffice, and means of a tenth are tried too. Removed unproven they would lower the
  chance that the interval holds by 2 to 3 %.
- *Interval*: Student's, of ten batch means without the warm-up, wider by sqrt((1 + r) / (1 - r))
  where neighbours have a correlation r > 0.
- *Length*: of a run that is short for its load the interval is too narrow, and most of all where it
  comes out narrow, so that its own width must not decide. The load does: n arrivals have the
  relative variance (1 + 2 (c + 1) load / (1 - load)^2) / n at most, where c is 1 for Poisson
  arrivals, 0 for fixed ones, and services vary at most as exponential ones (of M/M/1 in heavy
  traffic exactly: Whitt, Management Science 35, 1989). With fewer than ``NEEDED`` times that
  variance no interval is reported, but this number, which gives about +-10 %.

Measured of 500 runs and more of M/M/1 and M/M/3 at loads of 0.5, 0.8, 0.9 and 0.95: 95 to 97 of 100
intervals hold the truth (tests/report/test_coverage.py).

Not modelled: the interval where the load is unknown (:mod:`simulator.saturation`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from simulator.plan.codes import FIXED
from simulator.result.latency import Steady

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

BATCHES = 10
LEAST_COUNT = 10 * BATCHES
FIVE, MOST_MEANS = 5, 20_000
"""Arrivals of each mean in MSER-5; of a run that would have more means, these are larger."""
STUDENT = 2.262
"""Quantile of 95 %, for ten batches."""
MOST_RELATED = 0.8
"""Upper limit on the correlation."""
MOST_CHANCE, LEAST_APART = 3.0, 0.05
"""Minimum difference of warm-up from the rest, in standard errors, and relative."""
SLOWER_CHANCE = 7.0
"""Minimum for a slower begin: neighbours in a queue are correlated, so that bursts reach five."""
FALLING = 25
"""Minimum excess of decreasing over increasing pairs of the 45, as where a cache fills slowly."""
WIDE = 0.1
"""Relative half width of the interval for which the number of arrivals is reported."""
NEEDED = 600
"""Arrivals for each unit of relative variance: (2.262 / 0.1)^2 = 512, and a sixth more for the
correlation of the batches, and that of services more variable than exponential ones."""


def steady_of(plan: Plan, result: Result, loads: Mapping[str, float | None]) -> dict[str, Steady]:
    """Return for each job with enough arrivals what is known of their mean.

    ``loads``: those that are known, by job.
    """
    return {
        job: steady(took, loads.get(job), fixed=plan.arrivals[row].kind == FIXED)
        for job, row in plan.rows_of_arrivals().items()
        if len(took := result.took_ns[job]) >= LEAST_COUNT
    }


def steady(took: Sequence[int], load: float | None, *, fixed: bool = False) -> Steady:
    """Return what is known of the mean of response times in their order; ``took`` in ns.

    >>> steady([6, 7, 9, 8] * 28, 0.5)
    Steady(warm_up=0, warm_up_ns=0.0, mean_ns=7.5, half_ns=None, needed=5400)
    """
    out = warm_up(took)
    rest = took[out:]
    mean, needed = sum(rest) / len(rest), None
    half: float | None = half_width(batch_means(rest))
    if half:
        needed = needed_at(load, fixed=fixed) if load is not None and load < 1 else None
        if needed is None or len(rest) < needed:
            half = None
        else:
            wide = half / mean / WIDE
            needed = rounded(len(rest) * wide**2) if wide > 1 else None
    return Steady(out, sum(took[:out]) / out if out else 0.0, mean, half, needed)


def needed_at(load: float, *, fixed: bool = False) -> int:
    """Return the number of arrivals that the interval of their mean needs at a load below 1.

    >>> [needed_at(load) for load in (0.5, 0.8, 0.9, 0.95)]
    [5400, 49000, 220000, 920000]
    """
    varies = 1 if fixed else 2
    return rounded(NEEDED * (1 + 2 * varies * load / (1 - load) ** 2))


def rounded(count: float) -> int:
    """Round a number of arrivals up to two digits.

    >>> rounded(5400), rounded(5401.0), rounded(3.0)
    (5400, 5500, 3)
    """
    unit: int = 10 ** max(0, len(str(math.ceil(count - 1e-6))) - 2)
    return math.ceil((count - 1e-6) / unit) * unit


def batch_means(took: Sequence[int], each: int = 0) -> list[float]:
    """Return the means of batches of so many, by default of a tenth, without what remains at first.

    >>> batch_means([9, 1, 3, 5, 5], 2), len(batch_means([1] * 25))
    ([2.0, 5.0], 10)
    """
    each = each or len(took) // BATCHES
    first = len(took) - min(BATCHES, len(took) // each) * each
    return [sum(took[at : at + each]) / each for at in range(first, len(took), each)]


def half_width(means: Sequence[float]) -> float:
    """Return half of the 95 % interval of the mean of ten batches.

    >>> half_width([10.0] * 10), round(half_width([9.0, 11.0] * 5), 3)
    (0.0, 0.754)
    """
    off = [one - fmean(means) for one in means]
    squares = math.fsum(one * one for one in off)
    if not squares:
        return 0.0
    related = sum(one * other for one, other in pairwise(off)) / squares
    # The mean of the same batches hides 1 / n of the correlation.
    related = min(MOST_RELATED, max(0.0, related + 1 / len(means)))
    return STUDENT * _error(means) * math.sqrt((1 + related) / (1 - related))


def _error(means: Sequence[float]) -> float:
    """Return the standard error of the mean of independent values."""
    mean = fmean(means)
    squares = math.fsum((one - mean) ** 2 for one in means)
    return math.sqrt(squares / (len(means) - 1) / len(means))


def fmean(some: Sequence[float]) -> float:
    """Return the mean; importing statistics would take as long as a short run."""
    return math.fsum(some) / len(some)


def warm_up(took: Sequence[int]) -> int:
    """Return the number of first arrivals that are warm-up.

    >>> warm_up([90] * 50 + [9, 10, 11] * 150), warm_up([9, 11] * 250)
    (50, 0)
    """
    falling = falls(batch_means(took)) >= FALLING
    few = max(FIVE, len(took) // MOST_MEANS)
    for each in (few, len(took) // BATCHES) if falling else (few,):
        out = least_error(took, each)
        if out and _is_apart(took, out, MOST_CHANCE if falling else SLOWER_CHANCE):
            return out
    return 0


def _is_apart(took: Sequence[int], out: int, slower_chance: float) -> bool:
    """Return whether so many first values differ from the others by more than chance."""
    begin, rest = took[:out], took[out:]
    mean = sum(rest) / len(rest)
    slower = sum(begin) / out - mean
    chance = _error(batch_means(rest, len(took) // BATCHES)) * math.sqrt(1 + len(rest) / out)
    least = max((slower_chance if slower > 0 else MOST_CHANCE) * chance, LEAST_APART * mean)
    return abs(slower) > least


def least_error(took: Sequence[int], each: int = FIVE) -> int:
    """Return the number of first values without which the mean's standard error is least (MSER).

    By means of so many values ``each``.

    >>> least_error([9] * 10 + [1, 2] * 20), least_error([1, 2] * 20)
    (10, 0)
    """
    sums = [sum(took[at : at + each]) for at in range(0, len(took) - each + 1, each)]
    left, total, squares = len(sums), sum(sums), sum(one * one for one in sums)
    best, least = 0, math.inf
    for number in range(left // 2 + 1):
        error = (squares * left - total * total) / left**3
        if error < least:
            best, least = number, error
        one = sums[number]
        left, total, squares = left - 1, total - one, squares - one * one
    return each * best


def falls(means: Sequence[float]) -> int:
    """Return the excess of decreasing over increasing pairs of batches (Kendall), of 45 for ten.

    >>> falls([10.0 - n for n in range(10)]), falls([5.0, 1.0, 1.0])
    (45, 2)
    """
    return sum((one > other) - (one < other) for one, other in combinations(means, 2))
