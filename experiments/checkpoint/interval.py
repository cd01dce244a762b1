"""How long to compute between two checkpoints: the closed forms of Young (1974) and Daly (2006).

All times are seconds. Failures are a Poisson process; one throws the job back to its last
checkpoint, also while it restarts or writes one. Nothing here is simulated: what a checkpoint and
a restart cost comes from runs.
"""

from __future__ import annotations

import math


def young(cost: float, between_failures: float) -> float:
    """Return Young's interval of computing: sqrt(2 C M).

    >>> young(50, 10_000)
    1000.0
    """
    return math.sqrt(2 * cost * between_failures)


def daly(cost: float, between_failures: float) -> float:
    """Return Daly's interval: Young's with two more terms, less C; M if C is 2 M or more.

    >>> round(daly(50, 10_000), 1)
    966.9
    """
    if cost >= 2 * between_failures:
        return between_failures
    part = cost / (2 * between_failures)
    return young(cost, between_failures) * (1 + math.sqrt(part) / 3 + part / 9) - cost


def wasted(computing: float, cost: float, restart: float, between_failures: float) -> float:
    """Return the part of the time that is lost to checkpoints, failures and restarts.

    Daly's model: the time for ``computing`` is M e^(R / M) (e^((computing + C) / M) - 1).

    >>> round(wasted(1000, 50, 50, 10_000), 4)
    0.1012
    """
    mean = between_failures
    elapsed = mean * math.exp(restart / mean) * math.expm1((computing + cost) / mean)
    return 1 - computing / elapsed
