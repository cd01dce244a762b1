"""Machines drawn from what is not known of one, run as a sweep, and Sobol indices of their figures.

A sample is a sweep whose axes go together: its point ``i`` has the ``i``-th value of every axis,
where the points of a grid have every combination. All else is a sweep's: chunks, processes, what
is kept of an interrupted one.

An index is the part of a figure's variance that a value, or a group of values, explains. First
order (Saltelli et al., 2010, Computer Physics Communications 181): what would go, on the average,
if the value were known. Total (Jansen, 1999, Computer Physics Communications 117): what would be
left if all others were known. Their intervals are by a bootstrap of the points.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.config.axis import Axis
from simulator.extras import need
from simulator.study.grid import Sweep

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.config.settings import Setting
    from simulator.study.ranges import Group

    Floats = NDArray[np.float64]


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


def _sobol(groups: Sequence[Group], count: int, seed: int) -> tuple[Floats, Floats]:
    """Return both halves of a scrambled Sobol sequence; MissingExtraError without SciPy."""
    need("scipy")
    from scipy.stats.qmc import Sobol

    width = sum(len(group.values) for group in groups)
    drawn = Sobol(2 * width, scramble=True, rng=seed).random(count)
    return drawn[:, :width], drawn[:, width:]


def _point(groups: Sequence[Group], row: Floats, other: Floats, place: int) -> list[Setting]:
    """Return the settings of a row, with the values of one group from the other row."""
    settings: list[Setting] = []
    begin = 0
    for number, group in enumerate(groups):
        end = begin + len(group.values)
        settings += group.at([float(one) for one in (other if number == place else row)[begin:end]])
        begin = end
    return settings


# -- indices ------------------------------------------------------------------------------------

RESAMPLES = 1000
"""Bootstrap samples of an interval."""


@dataclass(frozen=True, slots=True)
class Index:
    """The part of the variance of a figure that one value explains."""

    first: float
    first_interval: tuple[float, float]
    total: float
    total_interval: tuple[float, float]

    @property
    def left(self) -> float:
        """The part of the figure's spread that is left, on the average, if the value is known."""
        return math.sqrt(1 - min(max(self.first, 0.0), 1.0))


def indices(
    values: Sequence[float], count: int, *, confidence: float = 0.95, seed: int = 1
) -> list[Index]:
    """Return the indices of each group, from the figures at the points of ``saltelli``.

    Empty if the figure does not vary at all.
    """
    import numpy as np

    rows = np.asarray(values, dtype=float).reshape(-1, count)
    a, b, mixed = rows[0], rows[1], rows[2:]
    middle = rows[:2].mean()  # Both estimators are of differences; this keeps digits.
    a, b, mixed = a - middle, b - middle, mixed - middle
    if not (np.ptp(rows) > 0 and np.var(rows[:2]) > 0):
        return []
    if len(mixed) == 1:  # Nothing else moves it.
        return [Index(1.0, (1.0, 1.0), 1.0, (1.0, 1.0))]
    first, total = _estimates(a, b, mixed)
    draw = np.random.default_rng(seed)
    resampled: list[Any] = [
        _estimates(a[chosen], b[chosen], mixed[:, chosen])
        for chosen in draw.integers(0, count, (RESAMPLES, count))
    ]
    tail = 50 * (1 - confidence)
    ends = np.nanpercentile(np.array(resampled), [tail, 100 - tail], axis=0)
    return [
        Index(
            float(first[i]),
            (float(ends[0, 0, i]), float(ends[1, 0, i])),
            float(total[i]),
            (float(ends[0, 1, i]), float(ends[1, 1, i])),
        )
        for i in range(len(mixed))
    ]


def _estimates(a: Floats, b: Floats, mixed: Floats) -> tuple[Floats, Floats]:
    import numpy as np

    variance = np.var(np.concatenate((a, b)))
    if not variance:
        nothing = np.full(len(mixed), np.nan)
        return nothing, nothing
    first = (b * (mixed - a)).mean(axis=1) / variance
    total = ((a - mixed) ** 2).mean(axis=1) / (2 * variance)
    return first, total
