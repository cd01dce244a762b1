"""Cells of tables that are a time, a size or a rate: all of one column in one unit.

A cell by itself is written in the unit that suits it. Where those of a column differ, all of them
are written in a unit between that of the smallest and that of the largest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from simulator.report.scales import Quantity, figure, scale_of
from simulator.units import format_rate, format_time
from simulator.wording import about_size

NOTHING = "-"


class Cell(str):
    """The text of a quantity, which knows what it is."""

    quantity: Quantity
    value: float


def cell(quantity: Quantity, value: float | None) -> str:
    """Return the cell of a value in base units (ns, B, B/s); a dash for None.

    >>> cell("time", 2_580_000), cell("size", 512_000_000), cell("rate", None)
    ('2.58 ms', '512 MB', '-')
    """
    if value is None:
        return NOTHING
    made = Cell(_alone(quantity, value))
    made.quantity, made.value = quantity, value
    return made


def time_cell(time_ns: float | None) -> str:
    """Return the cell of a time."""
    return cell("time", time_ns)


def size_cell(size: int) -> str:
    """Return the cell of a size; a dash for nothing."""
    return cell("size", size or None)


def rate_cell(rate: float) -> str:
    """Return the cell of a rate; a dash for nothing."""
    return cell("rate", rate or None)


def _alone(quantity: Quantity, value: float) -> str:
    if quantity == "time":
        return format_time(value)
    return about_size(int(value)) if quantity == "size" else format_rate(value).partition(" (")[0]


def in_one_unit(column: Sequence[str]) -> list[str]:
    """Return the cells of a column with all quantities in one unit.

    >>> in_one_unit([cell("time", 7_950_000_000), "-", cell("time", 133_000)])
    ['7,950 ms', '-', '0.133 ms']
    >>> in_one_unit([cell("time", 7_950_000), cell("time", 12_000_000)])
    ['7.95 ms', '12.0 ms']
    """
    cells = [one for one in column if isinstance(one, Cell)]
    if len({one.rpartition(" ")[2] for one in cells if one.value}) < 2:
        return list(column)
    sizes = [abs(one.value) for one in cells if one.value]
    scale = scale_of(cells[0].quantity, [math.sqrt(min(sizes) * max(sizes))])
    return [
        f"{figure(one.value, scale)} {scale.unit}" if isinstance(one, Cell) else one
        for one in column
    ]
