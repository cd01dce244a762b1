"""Tables of whole numbers that compiled and interpreted code work on alike.

A table is used column by column, ``table.fill[row]``. What a row has in all columns lies together
in memory, from the begin of a cache line on if there are columns for whole lines: who uses a row
uses several of its columns.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

Column: TypeAlias = "memoryview[int]"
"""One variable of all rows; whole numbers of 64 bits, with a sign."""

LINE = 8
"""Numbers on a cache line."""


def new_cells(count: int) -> memoryview[int]:
    """``count`` whole numbers of 64 bits, all 0, from the begin of a cache line on."""
    cells = array("q", [0]) * (count + LINE)
    first = -(cells.buffer_info()[0] // cells.itemsize) % LINE
    return memoryview(cells)[first : first + count]


def columns(cells: memoryview[int], count: int) -> list[Column]:
    """Divide cells into so many columns of equal length.

    >>> cells = new_cells(6)
    >>> first, second, third = columns(cells, 3)
    >>> second[1] = 7
    >>> cells.tolist()
    [0, 0, 0, 0, 7, 0]
    """
    return [cells[column::count] for column in range(count)]
