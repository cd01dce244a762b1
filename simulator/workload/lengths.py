"""The record lengths of one transfer: fixed, listed in turn, or drawn; up to a given total.

Drawn lengths are a function of (key, number of the record), so that nobody has to keep
them and every engine draws the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from simulator.machine.noise import TABLE_BITS, mix
from simulator.runtime.records import FixedLengths, Lengths


def fixed(record: int, total: int) -> FixedLengths:
    """Records of one length; the last has what is left.

    >>> fixed(100, 250)
    FixedLengths(100, 3, last=50)
    """
    count = -(-total // record)
    return FixedLengths(record, count, total - (count - 1) * record)


class CycledLengths:
    """Listed lengths over and over, until ``total`` bytes are reached; the last is cut.

    >>> lengths = CycledLengths((100, 30), 150)
    >>> [lengths.length(i) for i in range(lengths.count)]
    [100, 30, 20]
    """

    def __init__(self, lengths: Sequence[int], total: int) -> None:
        self._lengths = tuple(lengths)
        cycles, left = divmod(total, sum(self._lengths))
        self.count = cycles * len(self._lengths)
        self._last = -1
        for length in self._lengths:
            if left <= 0:
                break
            self.count += 1
            self._last = min(length, left)
            left -= length

    def length(self, i: int) -> int:
        """Bytes of user data in record ``i``, counted from 0."""
        if i == self.count - 1 and self._last >= 0:
            return self._last
        return self._lengths[i % len(self._lengths)]


class DrawnLengths:
    """Lengths drawn from equally likely ones, until ``total`` bytes are reached.

    ``low`` and ``span`` give evenly distributed lengths low..low+span-1; a ``table`` of
    2**TABLE_BITS lengths gives any other distribution.
    """

    def __init__(
        self, key: int, total: int, *, low: int = 0, span: int = 0, table: tuple[int, ...] = ()
    ) -> None:
        self._key = key
        self._low = low
        self._span = span
        self._table = table
        left = total
        count = 0
        last = 0
        while left > 0:
            last = min(left, self._draw(count))
            left -= last
            count += 1
        self.count = count
        self._last = last

    def length(self, i: int) -> int:
        """Bytes of user data in record ``i``, counted from 0."""
        return self._last if i == self.count - 1 else self._draw(i)

    def _draw(self, i: int) -> int:
        bits = mix(self._key, i + 1)
        if self._table:
            return self._table[bits >> (64 - TABLE_BITS)]
        return self._low + bits % self._span


def uniform(key: int, total: int, low: int, high: int) -> DrawnLengths:
    """Lengths drawn evenly from ``low`` to ``high`` bytes, both included."""
    return DrawnLengths(key, total, low=low, span=high - low + 1)


def lognormal(key: int, total: int, median: int, spread: float, largest: int) -> DrawnLengths:
    """Lengths around a median, a factor ``spread`` being one standard deviation; cut off."""
    size = 1 << TABLE_BITS
    normal = NormalDist()
    sigma = math.log(spread)
    table = tuple(
        max(1, min(largest, round(median * math.exp(sigma * normal.inv_cdf((i + 0.5) / size)))))
        for i in range(size)
    )
    return DrawnLengths(key, total, table=table)


def data_bytes(lengths: Lengths) -> int:
    """The user data of all records together."""
    return sum(lengths.length(i) for i in range(lengths.count))
