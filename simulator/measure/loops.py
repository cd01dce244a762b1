"""Calls of the C library one after the other, as a program in C makes them.

``rowloops.cpp`` has the same in C++, where nothing of the interpreter runs between two calls: what
it displaces in the processor's caches makes a call of half a microsecond take twice as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.measure import entry

if TYPE_CHECKING:
    from array import array

_ROW = 5
"""Arguments of a call, in a row of the table."""


def in_turn(function: int, wide: bool, rows: array[int], first: int, last: int) -> int:
    """Make the calls of some rows; return the row at which one failed, or ``last``."""
    for row in range(first, last):
        at = _ROW * row
        if (
            entry.called(
                function, wide, rows[at], rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4]
            )
            < 0
        ):
            return row
    return last


def regardless(function: int, wide: bool, rows: array[int], first: int, last: int) -> int:
    """Make the calls of some rows, whether they fail or not; return ``last``."""
    for row in range(first, last):
        at = _ROW * row
        entry.called(
            function, wide, rows[at], rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4]
        )
    return last


def opened(opens: int, closes: int, rows: array[int], first: int, last: int) -> int:
    """Open the file of each row, and close it; return the row at which that failed, or ``last``."""
    for row in range(first, last):
        at = _ROW * row
        file = entry.called(opens, False, rows[at], rows[at + 1], rows[at + 2], 0, 0)
        if file < 0 or entry.called(closes, False, file, 0, 0, 0, 0) < 0:
            return row
    return last
