"""The curves of a sweep: a figure over the values of one axis, the others fixed; which are alike.

Of a grid of two axes these are its rows and its columns. Points are read once for all curves.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.study.figures import RUNS
from simulator.study.grid import SEED

if TYPE_CHECKING:
    from simulator.config.axis import Axis
    from simulator.study.figures import Row
    from simulator.study.sweep import Swept

FIGURES = ("elapsed_s", "read_MBps", "write_MBps", "stable_MBps")
"""Figures that have curves."""
LEAST = ("elapsed_s",)
"""Figures of which less is better."""
SAME = 0.005
"""Curves are the same where they differ by no more, as a part of the larger."""
MOST_POINTS = 10_000
"""Points of a sweep whose curves are looked at."""
LEAST_VALUES = 3
"""Values of an axis that are drawn over another axis; of fewer, lines show more."""
MOST_COMPARED = 100
"""Curves that are compared each with each; of more it is only asked whether all are the same."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One figure at each value of an axis, in the order of the axis."""

    axis: Axis
    figure: str
    others: tuple[tuple[str, str], ...]
    """Names and values of the other axes."""
    values: tuple[float, ...]
    """The figure; of replications its mean."""
    runs: tuple[tuple[float, ...], ...]
    """The figure in each replication; a single value where nothing of the point is drawn."""
    drawn: tuple[bool, ...]
    """True if runs of the point vary, of each value; if unknown they do not."""

    @property
    def least(self) -> bool:
        """True if less is better."""
        return self.figure in LEAST

    @property
    def name(self) -> str:
        """Its name among those of its figure and axis: ``policy=nwt, clients=4``."""
        return ", ".join(f"{name}={text}" for name, text in self.others)


@dataclass(frozen=True, slots=True)
class Family:
    """All curves of one figure over one axis, in the order of the grid: lines of one plot."""

    axis: Axis
    figure: str
    curves: tuple[Curve, ...]

    def groups(self) -> list[list[Curve]]:
        """Return the curves, those together that are the same; each is in one group."""
        if same(self.curves):
            return [list(self.curves)]
        if len(self.curves) > MOST_COMPARED:
            return [[one] for one in self.curves]
        groups: list[list[Curve]] = []
        for curve in self.curves:
            found = next((group for group in groups if same([*group, curve])), None)
            if found is None:
                groups.append([curve])
            else:
                found.append(curve)
        return groups


def known(swept: Swept) -> bool:
    """True if a sweep's curves are looked at: if it is whole, and not too large."""
    return not swept.shard and 0 < len(swept.rows) <= MOST_POINTS


def measured(axis: Axis) -> bool:
    """True if the values of an axis are more or less of something; numbers of seeds are not."""
    return axis.numbers is not None and axis.path != SEED


def families(swept: Swept) -> list[Family]:
    """Return the curves of every figure that is not always 0, over every axis of several values."""
    if not known(swept):
        return []
    rows = list(swept.rows)
    used = [one for one in FIGURES if any(row[one] for row in rows)]
    axes = [place for place, axis in enumerate(swept.sweep.axes) if len(axis.texts) > 1]
    return [
        Family(swept.sweep.axes[place], figure, tuple(_curves(swept, rows, place, figure)))
        for place in axes
        for figure in used
    ]


def _curves(swept: Swept, rows: Sequence[Row], place: int, figure: str) -> Iterator[Curve]:
    sweep = swept.sweep
    axis = sweep.axes[place]
    step = math.prod(len(one.texts) for one in sweep.axes[place + 1 :])
    others = [(one, range(len(one.texts))) for one in sweep.axes if one is not axis]
    for chosen in itertools.product(*(places for _, places in others)):
        begin = sweep.number([*chosen[:place], 0, *chosen[place:]])
        along = rows[begin : begin + step * len(axis.texts) : step]
        named = zip(others, chosen, strict=True)
        runs = [row.get(RUNS, {}).get(figure) for row in along]
        yield Curve(
            axis,
            figure,
            tuple((one.name, one.texts[number]) for (one, _), number in named),
            tuple(row[figure] for row in along),
            tuple(
                (row[figure],) if one is None else tuple(one)
                for row, one in zip(along, runs, strict=True)
            ),
            tuple(one is not None for one in runs),
        )


def contoured(axes: Sequence[Axis], found: Sequence[Family]) -> bool:
    """True if a figure over two axes is drawn as cells: if both are numbers, and both matter.

    ``found`` are its curves over either axis.
    """
    numeric = [
        axis for axis in axes if measured(axis) and len(set(axis.numbers or ())) >= LEAST_VALUES
    ]
    return len(numeric) == len(found) == 2 and all(len(one.groups()) > 1 for one in found)


# -- what is alike --------------------------------------------------------------------------------


def same(curves: Iterable[Curve]) -> bool:
    """True if curves over the same axis differ by at most ``SAME`` at each of its values."""
    return all(map(near, zip(*(curve.values for curve in curves), strict=True)))


def near(values: Sequence[float]) -> bool:
    """True if values differ by at most ``SAME`` of the largest.

    >>> near([100.0, 99.5]), near([100.0, 99.4]), near([0.0, 0.0])
    (True, False, True)
    """
    return max(values) - min(values) <= SAME * max(values)


def idle(found: Sequence[Family]) -> dict[str, list[str]]:
    """Return axes whose values make no difference anywhere: name -> figures of which this is so."""
    still: dict[str, list[str]] = {}
    for family in found:
        if all(near(curve.values) for curve in family.curves):
            still.setdefault(family.axis.name, []).append(family.figure)
    return still


def best_cell(values: Sequence[Sequence[float]], *, least: bool) -> tuple[int, int]:
    """Return row and column of the best of some values, of equal ones the first.

    >>> best_cell([[3.0, 2.0], [2.0, 9.0]], least=True), best_cell([[3.0], [9.0]], least=False)
    ((0, 1), (1, 0))
    """
    value = (min if least else max)(map(min if least else max, values))
    row = next(place for place, line in enumerate(values) if value in line)
    return row, list(values[row]).index(value)
