"""Descriptions of record lengths, each of which can add itself to a table of lengths.

A description is what a plan holds; an engine works on the table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from simulator.runtime.lengthtable import LengthTable, check_count, check_length


class Lengths(ABC):
    """How long each record of a file is, in bytes of user data."""

    @abstractmethod
    def add_to(self, table: LengthTable) -> int:
        """Add these lengths to a table; returns their row."""

    @property
    def count(self) -> int:
        """Number of records."""
        return self._table.count[0]

    @property
    def total(self) -> int:
        """Bytes of user data in all records together."""
        return self._table.total[0]

    def length(self, i: int) -> int:
        """Bytes of user data in record ``i``, counted from 0."""
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
        """Add these lengths to a table; returns their row."""
        return table.add_in_turn((self._length,), self._count, self._last)


class ListedLengths(Lengths):
    """Records of listed lengths; with ``count`` the list starts again until that many.

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
        """Add these lengths to a table; returns their row."""
        last = self._lengths[(self._count - 1) % len(self._lengths)] if self._count else 0
        return table.add_in_turn(self._lengths, self._count, last)
