"""What the pages of real programs have in common: predicted beside timed, in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]
LARGE = 0.25
"""From this error on, a prediction owes its cause."""


def far(predicted_s: float, timed_s: float) -> bool:
    """Return whether a prediction is off by more than ``LARGE``, too much and too little alike."""
    return distance(predicted_s, timed_s) > math.log1p(LARGE)


def distance(one: float, other: float) -> float:
    """Return the logarithm of one over the other, without its sign."""
    return abs(math.log(one / other))


def mean_error(programs: Sequence[Record]) -> float:
    """Return the geometric mean of predicted over observed, or its inverse, less 1."""
    return mean_distance([(one["predicted_s"], one["observed"]["median_s"]) for one in programs])


def mean_distance(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the geometric mean of one over the other, or its inverse, less 1."""
    return math.expm1(sum(distance(*pair) for pair in pairs) / len(pairs))


def load(host: Record) -> str:
    """Tell how busy the host was with this and other work."""
    if "load" not in host:
        return ""
    before, after = host["load"]
    return f" Load average {before:.1f} when it began and {after:.1f} at the end."


def error(one: Record) -> str:
    """Write by how much a program's predicted time is off."""
    return off(one["predicted_s"], one["observed"]["median_s"])


def off(predicted_s: float, timed_s: float) -> str:
    """Write by how much a prediction is off.

    >>> off(1.2, 1.0), off(0.5, 1.0)
    ('+20 %', '-50 %')
    """
    return f"{100 * (predicted_s / timed_s - 1):+.0f} %"


def seconds(given: float) -> str:
    """Write seconds in three digits.

    >>> seconds(0.0123456), seconds(1.5), seconds(-0.25)
    ('12.3 ms', '1.5 s', '-250 ms')
    """
    if abs(given) < 1:
        return f"{float(f'{given * 1e3:.3g}'):g} ms"
    return f"{float(f'{given:.3g}'):g} s"


def left_out(skipped: Sequence[Record]) -> list[str]:
    """Tell which programs were not run, or failed, and why."""
    return [
        f"Left out: {one['program']}, for want of {', '.join(one['missing'])}."
        if "missing" in one
        else f"Failed: {one['program']}: {one['failed']}"
        for one in skipped
    ]
