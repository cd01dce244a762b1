"""Lengths of the records of many files: a table with a row for each file.

Single records are not stored. A length is a function of the row and of the number of the record, so
that all engines agree, and memory does not grow with the records.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from importlib.util import find_spec

from simulator.mixing import TABLE_BITS, mix, pick
from simulator.runtime.columns import Column, columns, new_cells
from simulator.runtime.records import LARGEST_FILE, MARK

# Source of a row's lengths: one length, a cycled list, or draws.
_EQUAL, _IN_TURN, _EVENLY, _FROM_TABLE = range(4)

COMPILED = find_spec("simulator.rowloops") is not None
ROW = 8
"""Cells of a row, which is named by its first one."""


def check_length(length: int) -> None:
    """Raise ValueError for an impossible length of a record."""
    if length < 0:
        raise ValueError(f"a record has {length} bytes; give a length of 0 or more")


def check_count(count: int) -> None:
    """Raise ValueError for an impossible number of records."""
    if count < 0:
        raise ValueError(f"there are {count} records; give a count of 0 or more")


class LengthTable:
    """Lengths of records. A row is added once, and identifies the lengths of a file.

    Callers ensure that the row and the record exist.

    >>> table = LengthTable()
    >>> row = table.add_in_turn([100, 30], count=3, last=20)
    >>> [table.length(row, i) for i in range(table.count[row])]
    [100, 30, 20]
    """

    count: Column
    """Number of records."""
    total: Column
    """Bytes of all records."""
    longest: Column
    """Upper bound on the bytes of a record."""

    def __init__(self) -> None:
        self.rows = 0
        self._room = 0  # Allocated rows.
        self.pool = new_cells(0)  # Listed lengths and tables to draw from, one after the other.
        self._places: dict[bytes, int] = {}
        self._cells = new_cells(0)
        self._make_room(1)

    # -- adding rows ----------------------------------------------------------------------

    def add_in_turn(self, lengths: Sequence[int], count: int, last: int) -> int:
        """Add ``count`` records of the listed lengths, repeated; the last has ``last``."""
        check_count(count)
        if not lengths:
            lengths = (last,)
        check_length(min(*lengths, last))
        cycles, more = divmod(max(0, count - 1), len(lengths))
        total = cycles * sum(lengths) + sum(lengths[:more]) + (last if count else 0)
        longest = max(*lengths, last)
        _check_file(max(total, longest), count)
        equal = len(lengths) == 1
        first = lengths[0] if equal else self._pool_offset(lengths)
        row = self._add(_EQUAL if equal else _IN_TURN, 0, first, len(lengths))
        self.count[row] = count
        self.total[row] = total
        self.longest[row] = longest
        self._last[row] = last
        return row

    def add_evenly(self, key: int, low: int, high: int, total: int) -> int:
        """Add uniform lengths from ``low`` to ``high``, until ``total`` bytes are reached."""
        check_length(low)
        if high < max(1, low):
            raise ValueError(f"lengths from {low} to {high} bytes; give 1 or more, in order")
        _check_file(max(total, high), 0)
        row = self._add(_EVENLY, key, low, high - low + 1)
        self.longest[row] = min(high, total)
        self._fill(row, total)
        return row

    def add_from_table(self, key: int, lengths: Sequence[int], total: int) -> int:
        """Add lengths drawn from equally likely ones, until ``total`` bytes are reached."""
        if len(lengths) != 1 << TABLE_BITS:
            raise ValueError(f"a table of {len(lengths)} lengths; give {1 << TABLE_BITS}")
        check_length(min(lengths))
        longest = max(lengths)
        if longest == 0:
            raise ValueError("a table of lengths of 0 bytes; give a longer one at least once")
        _check_file(max(total, longest), 0)
        row = self._add(_FROM_TABLE, key, self._pool_offset(lengths), len(lengths))
        self.longest[row] = min(longest, total)
        self._fill(row, total)
        return row

    def _add(self, kind: int, key: int, first: int, size: int) -> int:
        row = self.rows * ROW
        if self.rows == self._room:
            self._make_room(2 * self.rows)
        self.rows += 1
        self._kind[row] = kind
        self._key[row] = key - (1 << 64) if key >> 63 else key
        self._first[row] = first
        self._size[row] = size
        return row

    def _make_room(self, rows: int) -> None:
        cells = new_cells(ROW * rows)
        cells[: len(self._cells)] = self._cells
        self._cells = cells
        self._room = rows
        every = columns(cells, ROW)
        self.count, self.total, self.longest, self._last, *rest = every
        self._kind, self._key, self._first, self._size = rest

    def _pool_offset(self, lengths: Sequence[int]) -> int:
        """Return the position of these lengths in the pool; they are added if they are new."""
        listed = array("q", lengths).tobytes()
        place = self._places.setdefault(listed, len(self.pool))
        if place == len(self.pool):
            self.pool = array("q", bytes(self.pool) + listed)
        return place

    def _fill(self, row: int, total: int) -> None:
        """Set the number of drawn lengths that make ``total`` bytes; the last is cut."""
        pool = self.pool if self._kind[row] == _FROM_TABLE else b""
        count, left, last = 0, total, 0
        while left > 0:
            if COMPILED:
                from simulator.rowloops import draw

                source = self._key[row], self._first[row], self._size[row]
                count, left, last = draw(pool, *source, count, left)
            else:
                last = min(left, self._draw(row, count))
                count, left = count + 1, left - last
        self.count[row] = count
        self.total[row] = total
        self._last[row] = last

    def described(self, row: int) -> dict[str, int]:
        """Return the values of a row, by the kernel's names."""
        numbers = {"kind": self._kind[row], "key": self._key[row], "first": self._first[row]}
        numbers |= {"pool": self._first[row], "size": self._size[row], "count": self.count[row]}
        totals = {"total": self.total[row], "longest": self.longest[row]}
        return {**numbers, **totals, "last": self._last[row]}

    # -- asking ---------------------------------------------------------------------------

    def length(self, row: int, i: int) -> int:
        """Return the bytes of user data in record ``i``, counted from 0."""
        if i == self.count[row] - 1:
            return self._last[row]
        return self._draw(row, i)

    def _draw(self, row: int, i: int) -> int:
        """Return the bytes of record ``i`` if it is not the last."""
        kind = self._kind[row]
        first = self._first[row]
        if kind == _EQUAL:
            return first
        if kind == _IN_TURN:
            return self.pool[first + i % self._size[row]]
        if kind == _EVENLY:
            return first + _draw_below(self._size[row], self._key[row], i + 1)
        return self.pool[first + pick(self._key[row], i + 1)]

    def alike(self, row: int, i: int) -> int:
        """Return a number of records from ``i`` on known to have the same length; 1 or more."""
        ahead = self.count[row] - 1 - i
        if ahead <= 0 or self._kind[row] != _EQUAL:
            return 1
        return ahead + 1 if self._last[row] == self._first[row] else ahead

    def first_over(self, row: int, most: int) -> int:
        """Return the first record of more than ``most`` bytes; -1 if there is none."""
        count = self.count[row]
        if self.longest[row] <= most:
            return -1
        for i in range(min(count, self._cycle(row))):
            if self.length(row, i) > most:
                return i
        return count - 1 if count > 0 and self._last[row] > most else -1

    def pieces(self, row: int, most: int) -> int:
        """Return the number of pieces of all records: one over ``most`` bytes is several."""
        count = self.count[row]
        if self.longest[row] <= most or count == 0:
            return count
        cycle = self._cycle(row)
        number = _pieces(self._last[row], most)
        for i in range(min(count - 1, cycle)):
            number += ((count - 2 - i) // cycle + 1) * _pieces(self._draw(row, i), most)
        return number

    def _cycle(self, row: int) -> int:
        """Return the period of the lengths, in records, except for the last."""
        if self._kind[row] <= _IN_TURN:
            return self._size[row]
        return max(1, self.count[row])


def _check_file(total: int, count: int) -> None:
    """Refuse more bytes than a file can hold."""
    size = total + 2 * MARK * count
    if size > LARGEST_FILE:
        raise ValueError(f"a file of {size} bytes; give {LARGEST_FILE} at most")


def _draw_below(size: int, key: int, number: int) -> int:
    return mix(key, number) % size


def _pieces(length: int, most: int) -> int:
    return 1 if length <= most else (length - 1) // most + 1
