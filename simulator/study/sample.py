"""Machines drawn from what is not known of one, run as the points of a sweep.

A sample is a sweep whose axes go together: its point ``i`` has the ``i``-th value of every axis,
where the points of a grid have every combination. All else is a sweep's: chunks, processes, what
is kept of an interrupted one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.axis import Axis
from simulator.extras import need
from simulator.study.grid import Sweep

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.config.settings import Setting
    from simulator.study.ranges import Group


@dataclass(frozen=True, slots=True)
class Sample(Sweep):
    """Points that are listed, one after the other."""

    @property
    def size(self) -> int:
        """The number of points."""
        return len(self.axes[0].texts)

    def places(self, number: int) -> tuple[int, ...]:
        """Return the place of a point on each axis: its number."""
        return (number,) * len(self.axes)

    def number(self, places: Iterable[int]) -> int:
        """Return the number of the point at this place."""
        return next(iter(places))


def sample_of(base: Sweep, points: Sequence[Sequence[Setting]]) -> Sample:
    """Return the points that have these settings, all of the same values in the same order."""
    names = [path for path, _ in points[0]]
    texts = zip(*([text for _, text in point] for point in points), strict=True)
    axes = tuple(
        Axis(path.partition(".")[2], path, column, None, "")
        for path, column in zip(names, texts, strict=True)
    )
    how = base.settings, axes, base.seed, base.engine
    return Sample(base.machine, base.workload, *how)


def ends_of(groups: Sequence[Group]) -> list[list[Setting]]:
    """Return two points for each value, at its low and its high end; other groups as written."""
    written = [[(one.path, one.text) for one in group.values] for group in groups]
    points = []
    for place, group in enumerate(groups):
        for end in itertools.chain.from_iterable(group.ends()):
            mixed = [*written[:place], end, *written[place + 1 :]]
            points.append([setting for settings in mixed for setting in settings])
    return points


def saltelli(groups: Sequence[Group], count: int, seed: int) -> list[list[Setting]]:
    """Return the points from which indices are estimated, ``count`` * (groups + 2).

    First ``count`` points A and as many points B, of a scrambled Sobol sequence; then for each
    group the points A with that group's values of B (Saltelli et al., 2010).
    """
    a, b = _sobol(groups, count, seed)
    points = [_point(groups, row, row, -1) for part in (a, b) for row in part]
    for place in range(len(groups)):
        points += [_point(groups, row, other, place) for row, other in zip(a, b, strict=True)]
    return points


def _sobol(
    groups: Sequence[Group], count: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both halves of a scrambled Sobol sequence; MissingExtraError without SciPy."""
    need("scipy")
    from scipy.stats.qmc import Sobol

    width = sum(len(group.values) for group in groups)
    drawn = Sobol(2 * width, scramble=True, rng=seed).random(count)
    return drawn[:, :width], drawn[:, width:]


def _point(
    groups: Sequence[Group], row: NDArray[np.float64], other: NDArray[np.float64], place: int
) -> list[Setting]:
    """Return the settings of a row, with the values of one group from the other row."""
    settings: list[Setting] = []
    begin = 0
    for number, group in enumerate(groups):
        end = begin + len(group.values)
        settings += group.at([float(one) for one in (other if number == place else row)[begin:end]])
        begin = end
    return settings
