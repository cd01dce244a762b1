"""Reliability of the mean response time of arrivals: ten batch means, in their order.

A run of the first k tenths of the arrivals is the begin of the whole run, since draws are
independent; the differences of ten such runs are the means of ten batches.

- *Interval*: Student's interval of the ten means, wider by sqrt((1 + r) / (1 - r)) where neighbours
  have a correlation r > 0; or that of five means, if wider. For a run shorter than the correlation
  time of its queue it is still too narrow, and that run is called short.
- *Warm-up*: the initial batches whose removal minimises the standard error, by MSER (White 1997):
  least sum of squares over the square of their number, at most half of them; if they differ from
  the rest by more than three standard errors, and 5 %. A slower begin, as with a cold cache, must
  differ by seven, or nearly all batches must decrease monotonically: a queue that starts empty is
  faster, and a burst there would be taken for warm-up.

Not modelled: several jobs with arrivals, and other jobs beside them; neither is reported for those.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

BATCHES = 10
LEAST_COUNT = 10 * BATCHES
MOST_EVENTS = 1_000_000
"""Maximum events of a run with batches, since they take 4.5 times as long again."""
STUDENT = {9: 2.262, 4: 2.776}
"""Quantiles of 95 %, for ten batches and for five pairs."""
MOST_RELATED = 0.8
"""Upper limit on the correlation."""
MOST_CHANCE, LEAST_APART = 3.0, 0.05
"""Minimum difference of warm-up from the rest, in standard errors, and relative."""
SLOWER_CHANCE = 7.0
"""Minimum for a slower begin: neighbours in a queue are correlated, so that bursts reach five."""
FALLING = 25
"""Minimum excess of decreasing over increasing pairs of the 45, as where a cache fills slowly."""
SHORT = 0.1
"""Relative half width of the interval above which a run is too short for its mean."""


def batch_means_ns(
    plan: Plan, result: Result, run: Callable[[Plan], Result]
) -> tuple[float, ...] | None:
    """Return the mean times of ten batches of arrivals; None if they are not computed.

    ``result``: the result of the plan; ``run`` runs another plan.
    """
    jobs = {one.job for one in result.masters()}
    if len(plan.arrivals) != 1 or jobs != set(result.responses):
        return None
    if result.events * result.slowness > MOST_EVENTS:
        return None
    (arrivals,) = plan.arrivals
    (job,) = jobs
    if arrivals.count < LEAST_COUNT:
        return None
    sums, counts = [0], [0]
    for tenth in range(1, BATCHES):
        count = arrivals.count * tenth // BATCHES
        fewer = replace(arrivals, count=count, times=arrivals.times[:count])
        sums.append(run(replace(plan, arrivals=(fewer,))).responses[job].sum_ns)
        counts.append(count)
    sums.append(result.responses[job].sum_ns)
    counts.append(result.responses[job].count)
    return tuple((sums[k + 1] - sums[k]) / (counts[k + 1] - counts[k]) for k in range(BATCHES))


def half_width(means: Sequence[float]) -> float:
    """Return half of the 95 % interval of the mean of ten batches.

    >>> half_width([10.0] * 10), round(half_width([9.0, 11.0] * 5), 3)
    (0.0, 0.754)
    """
    off = [one - fmean(means) for one in means]
    squares = sum(one * one for one in off)
    if not squares:
        return 0.0
    related = sum(one * other for one, other in pairwise(off)) / squares
    # The mean of the same batches hides 1 / n of the correlation.
    related = min(MOST_RELATED, max(0.0, related + 1 / len(means)))
    wider = math.sqrt((1 + related) / (1 - related))
    twos = [fmean(means[at : at + 2]) for at in range(0, len(means), 2)]
    return max(STUDENT[9] * _error(means) * wider, STUDENT[4] * _error(twos))


def _error(means: Sequence[float]) -> float:
    """Return the standard error of the mean of independent values."""
    mean = fmean(means)
    squares = math.fsum((one - mean) ** 2 for one in means)
    return math.sqrt(squares / (len(means) - 1) / len(means))


def fmean(some: Sequence[float]) -> float:
    """Return the mean; importing statistics would take as long as a short run."""
    return math.fsum(some) / len(some)


def warm_up(means: Sequence[float]) -> int:
    """Return the number of initial batches that are warm-up, by MSER.

    >>> warm_up([1.0, 5.0, 9.0, 10.0, 10.1, 9.9, 10.0, 10.1, 9.9, 10.0]), warm_up([9.0, 11.0] * 5)
    (3, 0)
    """

    def error(first: int) -> float:
        rest = means[first:]
        mean = fmean(rest)
        return sum((one - mean) ** 2 for one in rest) / len(rest) ** 2

    first = min(range(len(means) // 2 + 1), key=error)
    if not first:
        return 0
    begin, rest = means[:first], means[first:]
    slower = fmean(begin) - fmean(rest)
    chance = _error(rest) * math.sqrt(1 + len(rest) / first)
    errors = SLOWER_CHANCE if slower > 0 and falls(means) < FALLING else MOST_CHANCE
    least = max(errors * chance, LEAST_APART * fmean(rest))
    return first if abs(slower) > least else 0


def falls(means: Sequence[float]) -> int:
    """Return the excess of decreasing over increasing pairs of batches (Kendall), of 45 for ten.

    >>> falls([10.0 - n for n in range(10)]), falls([5.0, 1.0, 1.0])
    (45, 2)
    """
    return sum((one > other) - (one < other) for one, other in combinations(means, 2))
