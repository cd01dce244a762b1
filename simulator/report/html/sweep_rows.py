"""Rows of a sweep, read once for a browser: the best points, and values over every axis.

Of each point four numbers are kept.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from simulator.report.knees import LABELS
from simulator.report.limits import NONE
from simulator.units import format_rate, format_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.study.figures import Row
    from simulator.study.sweep import Swept

MOST_ROWS = 200
"""Points in the table; of more, the fastest are listed."""
MOST_LINES = 6
"""Lines of a plot; of more, the lowest and the highest value are drawn."""
MOST_PLACES = 2_000
"""Values of an axis that is drawn."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure of each point."""

    key: str
    label: str
    unit: str
    best: str
    """Name of the best point."""
    kind: Literal["time", "rate"]
    base: float
    """One of its unit, in ns or bytes per second."""

    @property
    def least(self) -> bool:
        """True if less is better."""
        return self.kind == "time"

    def text(self, value: float) -> str:
        """Write a value with a unit."""
        if self.kind == "time":
            return format_time(self.base * value)
        return format_rate(self.base * value).partition(" (")[0]


ELAPSED = Quantity("elapsed_s", LABELS["elapsed_s"], "s", "fastest", "time", 1e9)
_BEST = {"read_MBps": "reads most", "write_MBps": "writes most", "stable_MBps": "stores most"}
RATES = tuple(Quantity(key, LABELS[key], "MB/s", best, "rate", 1e6) for key, best in _BEST.items())


class RowSummary:
    """Summary of the rows of a sweep, which are read once."""

    def __init__(self, swept: Swept) -> None:
        sweep, part = swept.sweep, range(swept.sweep.size)
        self.limits = Counter[str]()
        """Limit -> number of points."""
        self._numbers = swept.shard.part(sweep.size) if swept.shard else part
        """Numbers of the points in the grid."""
        self._values = {one.key: array("d") for one in (ELAPSED, *RATES)}
        rows = self._read(swept)
        fastest = heapq.nsmallest(MOST_ROWS, rows, key=lambda one: (one[1]["elapsed_s"], one[0]))
        few = len(fastest) == len(swept.rows)
        self.shown = sorted(fastest, key=lambda one: one[0]) if few else fastest
        """Points of the table: all, or the fastest."""
        self._lengths = [len(axis.texts) for axis in sweep.axes]

    def _read(self, swept: Swept) -> Iterator[tuple[int, Row]]:
        for number, row in zip(self._numbers, swept.rows, strict=True):
            if swept.sweep.limits:
                self.limits[row["limit"] or NONE] += 1
            for key, values in self._values.items():
                values.append(row[key])
            yield number, row

    @property
    def count(self) -> int:
        """The number of points."""
        return len(self._numbers)

    @property
    def quantities(self) -> list[Quantity]:
        """The figures that are not 0 at every point."""
        return [ELAPSED, *(one for one in RATES if any(self._values[one.key]))]

    def best(self, one: Quantity) -> tuple[int, float]:
        """Return the number of the best point, and its value; of equal ones the first."""
        values = self._values[one.key]
        value = (min if one.least else max)(values)
        return self._numbers[values.index(value)], value

    @property
    def worst_s(self) -> float:
        """The longest elapsed time."""
        return max(self._values[ELAPSED.key])

    def lines(self, one: Quantity, axis: int) -> NDArray[np.float64]:
        """Return a line over an axis for each combination of the others; NaN where no point is."""
        grid = np.full(math.prod(self._lengths), np.nan)
        grid[np.asarray(self._numbers)] = self._values[one.key]
        lines = np.moveaxis(grid.reshape(self._lengths), axis, -1)
        return lines.reshape(-1, self._lengths[axis])[:, :MOST_PLACES]
