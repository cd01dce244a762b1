"""Two groups among the times of a probe: whether there are, which is usual, what tells them apart.

Whether there are is Hartigan's dip test (J. A. Hartigan and P. M. Hartigan, The Dip Test of
Unimodality, Annals of Statistics 13, 1985): the dip is how far the samples are from the nearest
distribution with one mode. A skewed distribution or some late samples have one mode, and no dip.
Beyond noise is a dip that one in a hundred samples of the uniform distribution reaches: of all
with one mode it dips most. Noise of other shapes reaches that four times in a
thousand at most.

Hardly seen: a group of less than a quarter of the samples, or one that overlaps with the other.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

LEAST = 10
"""Of fewer samples nothing is said."""
FACTOR = 1.25
"""Groups whose medians are nearer than this are one, whatever the dip."""
REACHED = {10: 0.1585, 12: 0.1477, 15: 0.1338, 20: 0.1164, 25: 0.1057, 30: 0.0956, 40: 0.0825}
"""The dip that one in a hundred uniform samples of a size has (tens of thousands drawn)."""


def dip(values: Sequence[float]) -> float:
    """Return Hartigan's dip of some values.

    The least distance between their distribution and one that is convex up to a mode and concave
    from there on: for each value as the mode, the convex hull on both sides.

    >>> dip([1, 2, 3, 4, 5]), dip([1, 1.01, 1.02, 9, 9.01, 9.02])
    (0.1, 0.249375)
    """
    counts = Counter(values)
    tops = list(accumulate(counts[value] for value in sorted(counts)))
    steps = [
        _Step(value, top - counts[value], top)
        for value, top in zip(sorted(counts), tops, strict=True)
    ]
    count = len(values)
    turned = [_Step(-value, count - top, count - foot) for value, foot, top in reversed(steps)]
    left = [_above(steps[: mode + 1]) for mode in range(len(steps))]
    right = [_above(turned[: mode + 1]) for mode in range(len(steps))]
    most = min(map(max, left, reversed(right)))
    return max(most, 1.0) / (2 * count)


class _Step(NamedTuple):
    """A stair of a distribution, in numbers of samples."""

    value: float
    foot: int
    top: int


def _above(steps: Sequence[_Step]) -> float:
    """Return how far a staircase is above the greatest convex line below it, at most.

    The line reaches to the foot of the last stair, at which a distribution may jump.
    """
    hull: list[_Step] = []
    for step in steps:
        while len(hull) > 1 and _bends(hull[-2], hull[-1], step):
            hull.pop()
        hull.append(step)
    most, at = 0.0, 0
    for value, _, top in steps[:-1]:
        while hull[at + 1].value <= value:
            at += 1
        (begin, low, _), (end, high, _) = hull[at], hull[at + 1]
        most = max(most, top - low - (high - low) * (value - begin) / (end - begin))
    return most


def _bends(one: _Step, middle: _Step, last: _Step) -> bool:
    """Return whether the foot of the middle step is above the line between those of the others."""
    rise, run = middle.foot - one.foot, middle.value - one.value
    return rise * (last.value - middle.value) >= (last.foot - middle.foot) * run


def reached_by_noise(count: int) -> float:
    """Return the dip that samples of so many from one mode have once in a hundred at most.

    Between the sizes of the table by the square root of the size, as it goes to a limit.
    """
    sizes = sorted(REACHED)
    at = bisect_right(sizes, count) - 1
    if at < 0 or sizes[at] == count:
        return REACHED[sizes[max(at, 0)]]
    if at + 1 == len(sizes):
        return REACHED[sizes[at]] * math.sqrt(sizes[at] / count)
    low, high = sizes[at], sizes[at + 1]
    part = (count - low) / (high - low)
    scaled = [REACHED[size] * math.sqrt(size) for size in (low, high)]
    return (scaled[0] + part * (scaled[1] - scaled[0])) / math.sqrt(count)


@dataclass(frozen=True, slots=True)
class Groups:
    """Two groups of samples, by their places in time."""

    usual: tuple[int, ...]
    """The larger one; of two equally large ones the quicker."""
    other: tuple[int, ...]


def groups_of(times: Sequence[float]) -> Groups | None:
    """Return the two groups of some times; None where they may be noise around one.

    The dip of the logarithms has to be more than noise reaches, and the medians of the two parts
    that differ least within themselves have to be apart by :data:`FACTOR`.

    >>> quick, slow = [50.0, 51.0, 49.5, 50.2, 50.6, 49.8], [240.0, 251.0, 246.0, 243.0]
    >>> groups_of([*quick[:3], *slow, *quick[3:]]).other
    (3, 4, 5, 6)
    >>> groups_of([50.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0, 120.0, 130.0, 140.0])
    """
    if len(times) < LEAST or min(times) <= 0:
        return None
    logs = [math.log(one) for one in times]
    if dip(logs) <= reached_by_noise(len(times)):
        return None
    order = sorted(range(len(logs)), key=lambda place: logs[place])
    cut = min(range(1, len(order)), key=lambda at: _within(logs, order, at))
    quick, slow = tuple(sorted(order[:cut])), tuple(sorted(order[cut:]))
    medians = [statistics.median(logs[place] for place in part) for part in (quick, slow)]
    if medians[1] - medians[0] < math.log(FACTOR):
        return None
    return Groups(quick, slow) if len(quick) >= len(slow) else Groups(slow, quick)


def _within(logs: Sequence[float], order: Sequence[int], cut: int) -> float:
    """Return the sum of squares within two parts."""
    parts = [[logs[place] for place in part] for part in (order[:cut], order[cut:])]
    return sum(statistics.pvariance(part) * len(part) for part in parts)


def apart(groups: Groups, states: Sequence[float]) -> bool:
    """Return whether a state that was seen at each sample tells the groups apart.

    Nine of ten samples are on their group's side of one value of the state.

    >>> groups = Groups((0, 1, 2), (3, 4))
    >>> apart(groups, [1, 2, 1, 9, 8]), apart(groups, [1, 9, 1, 8, 2])
    (True, False)
    """
    usual = [states[place] for place in groups.usual]
    other = [states[place] for place in groups.other]
    needed = 0.9 * len(states)
    for cut in set(states):
        above = sum(one > cut for one in other) + sum(one <= cut for one in usual)
        if max(above, len(states) - above) >= needed:
            return True
    return False
