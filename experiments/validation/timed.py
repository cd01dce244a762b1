"""Common text of the pages on real programs: predictions and measured times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]
LARGE = 0.25
"""Error of a prediction from which a cause must be given."""


def far(predicted_s: float, timed_s: float) -> bool:
    """Return whether the error of a prediction exceeds ``LARGE`` in either direction."""
    return distance(predicted_s, timed_s) > math.log1p(LARGE)


def distance(one: float, other: float) -> float:
    """Return the absolute logarithm of a ratio."""
    return abs(math.log(one / other))


def mean_error(programs: Sequence[Record]) -> float:
    """Return the geometric mean of predicted over observed, or its inverse, less 1."""
    return mean_distance([(one["predicted_s"], one["observed"]["median_s"]) for one in programs])


def mean_distance(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the geometric mean of ratios or their inverses, less 1."""
    return math.expm1(sum(distance(*pair) for pair in pairs) / len(pairs))


def load(host: Record) -> str:
    """State the load of the host by this and other work."""
    if "load" not in host:
        return ""
    before, after = host["load"]
    return f" Load average {before:.1f} when it began and {after:.1f} at the end."


def error(one: Record) -> str:
    """Return the relative error of a program's predicted time, as text."""
    return off(one["predicted_s"], one["observed"]["median_s"])


def off(predicted_s: float, timed_s: float) -> str:
    """Return the relative error of a prediction, as text.

    >>> off(1.2, 1.0), off(0.5, 1.0)
    ('+20 %', '-50 %')
    """
    return f"{100 * (predicted_s / timed_s - 1):+.0f} %"


def seconds(given: float) -> str:
    """Return seconds in three digits.

    >>> seconds(0.0123456), seconds(1.5), seconds(-0.25)
    ('12.3 ms', '1.5 s', '-250 ms')
    """
    if abs(given) < 1:
        return f"{float(f'{given * 1e3:.3g}'):g} ms"
    return f"{float(f'{given:.3g}'):g} s"


def left_out(skipped: Sequence[Record]) -> list[str]:
    """State the programs that were not run, or failed, and the reasons."""
    return [
        f"Left out: {one['program']}, for want of {', '.join(one['missing'])}."
        if "missing" in one
        else f"Failed: {one['program']}: {one['failed']}"
        for one in skipped
    ]
