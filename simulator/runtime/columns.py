"""Tables of whole numbers.

A table is used column by column, ``table.fill[row]``, and its rows lie one after the other in one
array of cells: what is used together is near each other in memory.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

Column: TypeAlias = "memoryview[int]"
"""One variable of all rows; whole numbers of 64 bits, with a sign."""


def new_cells(count: int) -> array[int]:
    """``count`` whole numbers of 64 bits, all 0."""
    return array("q", [0]) * count


def columns(cells: array[int], count: int) -> list[Column]:
    """Divide cells into so many columns. A row is named by its first cell.

    >>> cells = new_cells(6)
    >>> first, second, third = columns(cells, 3)
    >>> second[3] = 7  # of the second row
    >>> cells
    array('q', [0, 0, 0, 0, 7, 0])
    """
    whole = memoryview(cells)
    return [whole[i:] for i in range(count)]
