"""Rows of a sweep, read once for a browser: the best points, and values over every axis.

What is kept does not grow with the number of points.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from simulator.report.knees import LABELS
from simulator.report.limits import NONE
from simulator.units import format_rate, format_time

if TYPE_CHECKING:
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


@dataclass(slots=True)
class RowSummary:
    """Summary of the rows of a sweep."""

    count: int = 0
    best: dict[str, tuple[int, Row]] = field(default_factory=dict)
    worst_s: float = 0.0
    used: set[str] = field(default_factory=set)
    bounds: dict[tuple[int, int, str], tuple[float, float]] = field(default_factory=dict)
    """Axis, place on it and quantity -> the lowest and the highest value there."""
    lines: dict[tuple[int, int, int, str], float] = field(default_factory=dict)
    """Axis, combination of the others, place, quantity -> the value; where these are few."""
    limits: dict[str, int] = field(default_factory=dict)
    """Limit -> number of points."""
    shown: list[tuple[int, Row]] = field(default_factory=list)
    """Points of the table."""


def numbers_of(swept: Swept) -> range:
    """Return the numbers of the points in the grid."""
    sweep = swept.sweep
    return swept.shard.part(sweep.size) if swept.shard else range(sweep.size)


def seen_of(swept: Swept) -> RowSummary:
    """Read all rows once."""
    sweep, seen = swept.sweep, RowSummary()
    counts = [len(axis.texts) for axis in sweep.axes]
    lines = [sweep.size // count <= MOST_LINES and count <= MOST_PLACES for count in counts]

    def each() -> Iterator[tuple[int, Row]]:
        for number, row in zip(numbers_of(swept), swept.rows, strict=True):
            seen.count += 1
            seen.worst_s = max(seen.worst_s, row["elapsed_s"])
            if sweep.limits:
                name = row["limit"] or NONE
                seen.limits[name] = seen.limits.get(name, 0) + 1
            places = sweep.places(number)
            for one in (ELAPSED, *RATES):
                _keep(seen, one, number, row, places, lines)
            yield number, row

    seen.shown = (
        [*each()]
        if len(swept.rows) <= MOST_ROWS
        else heapq.nsmallest(MOST_ROWS, each(), key=lambda one: (one[1]["elapsed_s"], one[0]))
    )
    return seen


def _keep(
    seen: RowSummary,
    one: Quantity,
    number: int,
    row: Row,
    places: Sequence[int],
    lines: Sequence[bool],
) -> None:
    """Keep one quantity of a row."""
    value = row[one.key]
    if value:
        seen.used.add(one.key)
    before = seen.best.get(one.key)
    if before is None or (value < before[1][one.key] if one.least else value > before[1][one.key]):
        seen.best[one.key] = number, row
    for axis, place in enumerate(places):
        if place >= MOST_PLACES:
            continue
        low, high = seen.bounds.get((axis, place, one.key), (value, value))
        seen.bounds[axis, place, one.key] = min(low, value), max(high, value)
        if lines[axis]:
            seen.lines[axis, others_of(places, axis), place, one.key] = value


def others_of(places: Sequence[int], axis: int) -> int:
    """Return one number for the places on all other axes; they are few."""
    number = 0
    for other, place in enumerate(places):
        if other != axis:
            number = number * 1000 + place
    return number


def quantities_of(seen: RowSummary) -> list[Quantity]:
    """Return the figures that are not 0 at every point."""
    return [ELAPSED, *(one for one in RATES if one.key in seen.used)]
