"""The share of a study's work that is done, and the time left.

The amount of work is counted in what takes the time: simulated calls, messages, runs. How much
of it a study has was measured once and stands beside the study; it is counted, not foreseen, so
with another seed it is a percent or two off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

Tell: TypeAlias = Callable[[float], None]
"""Callback for the share of the work that is done, from 0 to 1."""

ALMOST = 0.99
"""The most that is told before the end."""


def tell_nobody(_share: float) -> None:
    """Do nothing with the share."""


class Work:
    """Counts work that is done, and tells its share of the whole."""

    def __init__(self, total: float, tell: Tell = tell_nobody) -> None:
        self.total = total
        self.done = 0.0
        self._tell = tell

    def add(self, units: float = 1.0) -> None:
        """Count some more as done."""
        self.done += units
        self._tell(min(ALMOST, self.done / self.total))

    def end(self) -> None:
        """Tell that all is done."""
        self._tell(1.0)


def span_s(running_s: Sequence[float], waiting_s: Sequence[float], workers: int) -> float:
    """Time until all is done: what runs and what waits, each on the first worker that is free.

    >>> span_s([], [20, 12, 4, 1], 2)
    20
    >>> span_s([5.0, 2.0], [4.0], 2)
    6.0
    """
    free = sorted([*running_s, *[0] * (workers - len(running_s))])
    for one in waiting_s:
        free[0] += one
        free.sort()
    return free[-1] if free else 0
