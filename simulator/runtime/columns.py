"""Tables of integers.

A table is accessed column by column, ``table.fill[row]``, and its rows are contiguous in one array
of cells: values used together are adjacent in memory.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

Column: TypeAlias = "memoryview[int]"
"""One variable of all rows; signed 64-bit integers."""


def new_cells(count: int) -> array[int]:
    """Return ``count`` signed 64-bit integers, all 0."""
    return array("q", [0]) * count


def columns(cells: array[int], count: int) -> list[Column]:
    """Divide cells into a number of columns. A row is named by its first cell.

    >>> cells = new_cells(6)
    >>> first, second, third = columns(cells, 3)
    >>> second[3] = 7  # of the second row
    >>> cells
    array('q', [0, 0, 0, 0, 7, 0])
    """
    whole = memoryview(cells)
    return [whole[i:] for i in range(count)]
