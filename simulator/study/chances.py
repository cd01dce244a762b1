"""Student's t, and the ranks that enclose a quantile, for intervals of means and medians.

By finite sums: SciPy takes a third of a second to import, as long as most runs, and its quantiles
are exact to 14 digits only, which differ from version to version.
"""

from __future__ import annotations

import functools
import math


def student_chance(t: float, freedom: int) -> float:
    """Return the chance that Student's t is at most ``t``.

    By the finite sums for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).

    >>> round(student_chance(12.706, 1), 4), round(student_chance(2.042, 30), 4)
    (0.975, 0.975)
    """
    angle = math.atan2(t, math.sqrt(freedom))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    terms = [term] if freedom > 1 else []
    for i in range(2 + odd, freedom - 1, 2):
        term *= square * (i - 1) / i
        terms.append(term)
    both = sine * math.fsum(terms)
    if odd:
        both = 2 / math.pi * (angle + both)
    return (1 + both) / 2


@functools.cache
def student_quantile(chance: float, freedom: int) -> float:
    """Return what Student's t does not exceed with a chance of more than a half.

    >>> round(student_quantile(0.975, 9), 4)
    2.2622
    """
    high = 1.0
    while student_chance(high, freedom) < chance:
        high *= 2
    low = 0.0
    while (middle := (low + high) / 2) not in (low, high):  # To the last bit.
        if student_chance(middle, freedom) < chance:
            low = middle
        else:
            high = middle
    return high


@functools.cache
def _binomial(count: int, share: float) -> tuple[float, ...]:
    """Return the chances that at most 0, 1, ... of ``count`` values are below a quantile."""
    logs = math.log(share), math.log1p(-share)
    sums, total = [], 0.0
    for k in range(count + 1):
        ways = math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
        total += math.exp(ways + k * logs[0] + (count - k) * logs[1])
        sums.append(total)
    return tuple(sums)


def lower_rank(count: int, share: float, tail: float) -> int:
    """Return the largest rank whose value is above the quantile with a chance of ``tail`` at most.

    0 if there is none.
    """
    return sum(chance <= tail for chance in _binomial(count, share)[:count])


def upper_rank(count: int, share: float, tail: float) -> int:
    """Return the least rank whose value is below the quantile with a chance of ``tail`` at most.

    ``count`` + 1 if there is none.
    """
    return 1 + sum(chance < 1 - tail for chance in _binomial(count, share)[:count])
