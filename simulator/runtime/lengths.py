"""Descriptions of record lengths, each of which can be added to a table of lengths.

A plan holds descriptions; an engine works on the table. Lengths are fixed, cycled from a list, or
drawn as a function of (key, number of the record), so that they need no storage and all engines
draw the same.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

from simulator.mixing import TABLE_BITS
from simulator.runtime.lengthtable import LengthTable, check_count, check_length


class Lengths(ABC):
    """Length of each record of a file, in bytes of user data."""

    @abstractmethod
    def add_to(self, table: LengthTable) -> int:
        """Add these lengths to a table; return their row."""

    @property
    def count(self) -> int:
        """Number of records."""
        return self._table.count[0]

    @property
    def total(self) -> int:
        """Bytes of user data in all records."""
        return self._table.total[0]

    def length(self, i: int) -> int:
        """Return the bytes of user data in record ``i``, counted from 0."""
        if not 0 <= i < self.count:
            raise IndexError(f"there is no record {i}; give 0 to {self.count - 1}")
        return self._table.length(0, i)

    @cached_property
    def _table(self) -> LengthTable:
        """A table with these lengths alone."""
        table = LengthTable()
        self.add_to(table)
        return table

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_table"}


class FixedLengths(Lengths):
    """``count`` records of one length; the last may differ (a file rarely divides evenly).

    >>> lengths = FixedLengths(100, 3, last=20)
    >>> [lengths.length(i) for i in range(lengths.count)]
    [100, 100, 20]
    """

    def __init__(self, length: int, count: int, last: int | None = None) -> None:
        self._length = length
        self._count = count
        self._last = length if last is None else last
        check_count(count)
        check_length(length)
        check_length(self._last)

    def __repr__(self) -> str:
        return f"FixedLengths({self._length}, {self._count}, last={self._last})"

    def add_to(self, table: LengthTable) -> int:
        """Add these lengths to a table; return their row."""
        return table.add_in_turn((self._length,), self._count, self._last)


class ListedLengths(Lengths):
    """Records of listed lengths; with ``count`` the list is repeated up to that many.

    >>> lengths = ListedLengths((8, 800), count=5)
    >>> [lengths.length(i) for i in range(lengths.count)]
    [8, 800, 8, 800, 8]
    """

    def __init__(self, lengths: Sequence[int], count: int | None = None) -> None:
        self._lengths = tuple(lengths)
        self._count = len(self._lengths) if count is None else count
        for length in self._lengths:
            check_length(length)
        check_count(self._count)
        if self._count and not self._lengths:
            raise ValueError(f"{self._count} records of no listed length; list at least one")

    def __repr__(self) -> str:
        return f"ListedLengths({self._lengths}, count={self._count})"

    def add_to(self, table: LengthTable) -> int:
        """Add these lengths to a table; return their row."""
        last = self._lengths[(self._count - 1) % len(self._lengths)] if self._count else 0
        return table.add_in_turn(self._lengths, self._count, last)


@lru_cache(maxsize=64)
def fixed(record: int, total: int) -> FixedLengths:
    """Return records of one length; the last has the remainder.

    >>> fixed(100, 250)
    FixedLengths(100, 3, last=50)
    """
    count = -(-total // record)
    return FixedLengths(record, count, total - (count - 1) * record)


class CycledLengths(Lengths):
    """Listed lengths, repeated until ``total`` bytes are reached; the last is cut.

    >>> lengths = CycledLengths((100, 30), 150)
    >>> [lengths.length(i) for i in range(lengths.count)]
    [100, 30, 20]
    """

    def __init__(self, lengths: Sequence[int], total: int) -> None:
        self._lengths = tuple(lengths)
        self._total = total

    def add_to(self, table: LengthTable) -> int:
        """Add these lengths to a table; return their row."""
        cycles, left = divmod(self._total, sum(self._lengths))
        count = cycles * len(self._lengths)
        last = self._lengths[-1]
        for length in self._lengths:
            if left <= 0:
                break
            count += 1
            last = min(length, left)
            left -= length
        return table.add_in_turn(self._lengths, count, last)


class UniformLengths(Lengths):
    """Lengths drawn uniformly from ``low`` to ``high`` bytes, until ``total`` bytes are reached."""

    def __init__(self, key: int, total: int, low: int, high: int) -> None:
        self._key = key
        self._total = total
        self._low = low
        self._high = high

    def add_to(self, table: LengthTable) -> int:
        """Add these lengths to a table; return their row."""
        return table.add_evenly(self._key, self._low, self._high, self._total)


class DrawnLengths(Lengths):
    """Lengths drawn from 2**TABLE_BITS equally likely ones, until ``total`` bytes are reached."""

    def __init__(self, key: int, total: int, table: Sequence[int]) -> None:
        self._key = key
        self._total = total
        self._likely = table

    def add_to(self, table: LengthTable) -> int:
        """Add these lengths to a table; return their row."""
        return table.add_from_table(self._key, self._likely, self._total)


def lognormal(key: int, total: int, median: int, spread: float, largest: int) -> DrawnLengths:
    """Return lognormal lengths around a median; ``spread``: factor of a standard deviation."""
    return DrawnLengths(key, total, _lognormal_table(median, spread, largest))


@lru_cache(maxsize=16)
def _lognormal_table(median: int, spread: float, largest: int) -> tuple[int, ...]:
    size = 1 << TABLE_BITS
    from statistics import NormalDist  # Its import takes longer than most runs.

    normal = NormalDist()
    sigma = math.log(spread)
    return tuple(
        max(1, min(largest, round(median * math.exp(sigma * normal.inv_cdf((i + 0.5) / size)))))
        for i in range(size)
    )
