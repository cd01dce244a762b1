"""The record lengths of one transfer: fixed, listed in turn, or drawn; up to a given total.

Drawn lengths are a function of (key, number of the record), so that nobody has to keep
them and every engine draws the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from simulator.mixing import TABLE_BITS
from simulator.runtime.lengths import FixedLengths, Lengths
from simulator.runtime.lengthtable import LengthTable


@lru_cache(maxsize=64)
def fixed(record: int, total: int) -> FixedLengths:
    """Records of one length; the last has what is left.

    >>> fixed(100, 250)
    FixedLengths(100, 3, last=50)
    """
    count = -(-total // record)
    return FixedLengths(record, count, total - (count - 1) * record)


class CycledLengths(Lengths):
    """Listed lengths over and over, until ``total`` bytes are reached; the last is cut.

    >>> lengths = CycledLengths((100, 30), 150)
    >>> [lengths.length(i) for i in range(lengths.count)]
    [100, 30, 20]
    """

    def __init__(self, lengths: Sequence[int], total: int) -> None:
        self._lengths = tuple(lengths)
        self._total = total

    def add_to(self, table: LengthTable) -> int:
        """Add these lengths to a table; returns their row."""
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
    """Lengths drawn evenly from ``low`` to ``high`` bytes, until ``total`` bytes are reached."""

    def __init__(self, key: int, total: int, low: int, high: int) -> None:
        self._key = key
        self._total = total
        self._low = low
        self._high = high

    def add_to(self, table: LengthTable) -> int:
        """Add these lengths to a table; returns their row."""
        return table.add_evenly(self._key, self._low, self._high, self._total)


class DrawnLengths(Lengths):
    """Lengths drawn from 2**TABLE_BITS equally likely ones, until ``total`` bytes are reached."""

    def __init__(self, key: int, total: int, table: Sequence[int]) -> None:
        self._key = key
        self._total = total
        self._likely = table

    def add_to(self, table: LengthTable) -> int:
        """Add these lengths to a table; returns their row."""
        return table.add_from_table(self._key, self._likely, self._total)


def lognormal(key: int, total: int, median: int, spread: float, largest: int) -> DrawnLengths:
    """Lengths around a median, a factor ``spread`` being one standard deviation; cut off."""
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
