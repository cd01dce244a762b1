"""Erasure codes over the members of a stripe: where data and parity lie, and what a request moves.

Units of a file lie in rows of ``data`` units, each with ``parity`` units more, on a group of
members of its own: row r on group r modulo the number of groups, its units in order, its parities
behind them, all at the same bytes of their members. A parity has bytes as far as a unit of its row
has. Places are positions among the ``width`` members, bytes are those of a member.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.plan.paths import TierPlan

Spans = dict[int, tuple[int, int]]
"""Bytes of members, by their positions."""


def below(offset: int, size: int, columns: int, column: int) -> int:
    """Return how many of the bytes before an offset are in one of the columns of units.

    >>> [below(250, 100, 3, column) for column in range(3)]
    [100, 100, 50]
    """
    rows, rest = divmod(offset, size * columns)
    return rows * size + min(max(0, rest - column * size), size)


@dataclass(frozen=True, slots=True)
class Coding:
    """The geometry of a coded stripe; without parity that of a plain one."""

    size: int
    """Bytes of a unit."""
    width: int
    """Members of all groups."""
    data: int
    parity: int

    @classmethod
    def of(cls, tier: TierPlan) -> Coding:
        """Return that of a stripe."""
        return cls(tier.size, tier.width, tier.data or tier.width, tier.parity)

    @property
    def members(self) -> int:
        """Members of a group."""
        return self.data + self.parity

    @property
    def columns(self) -> int:
        """Members that hold data."""
        return self.width // self.members * self.data

    def position(self, column: int) -> int:
        """Return the position of a column of data.

        >>> [Coding(1, 8, 3, 1).position(column) for column in range(6)]
        [0, 1, 2, 4, 5, 6]
        """
        return column // self.data * self.members + column % self.data

    def holds(self, offset: int, position: int) -> int:
        """Return the bytes of a position for so many bytes of a file; a parity has the most."""
        group, number = divmod(position, self.members)
        column = group * self.data + (number if number < self.data else 0)
        return below(offset, self.size, self.columns, column)

    def spans(self, low: int, high: int) -> Spans:
        """Return where bytes of a file lie, as data."""
        found = {}
        for column in range(self.columns):
            first, last = (below(one, self.size, self.columns, column) for one in (low, high))
            if first < last:
                found[self.position(column)] = (first, last)
        return found

    def lost(self, is_away: Callable[[int], bool]) -> frozenset[int]:
        """Return the positions that are away, of groups whose others hold all their data."""
        away = [position for position in range(self.width) if is_away(position)]
        groups = [position // self.members for position in away]
        return frozenset(
            one
            for one, group in zip(away, groups, strict=True)
            if groups.count(group) <= self.parity
        )

    def reads(self, low: int, high: int, end: int, lost: Collection[int]) -> tuple[Spans, int]:
        """Return what a read reads, and the bytes that it decodes; ``end``: of the file."""
        wanted = self.spans(low, high)
        found = {position: span for position, span in wanted.items() if position not in lost}
        decoded = 0
        for position in sorted(wanted.keys() & set(lost)):
            first, last = wanted[position]
            decoded += self.data * (last - first)
            self._add_sources(found, position // self.members, (first, last), end, lost)
        return found, decoded

    def writes(self, low: int, high: int, lost: Collection[int]) -> Spans:
        """Return what a write writes: its data, and of each group's parities the hull of these."""
        found = self.spans(low, high)
        for group in range(self.width // self.members):
            first = group * self.members
            spans = [found[one] for one in range(first, first + self.data) if one in found]
            if spans:
                hull = min(one for one, _ in spans), max(one for _, one in spans)
                found |= dict.fromkeys(range(first + self.data, first + self.members), hull)
        return {position: span for position, span in found.items() if position not in lost}

    def before(self, low: int, high: int, end: int, lost: Collection[int]) -> list[Spans]:
        """Return what a write reads before, of its first row and of its last one."""
        row = self.data * self.size
        rows = sorted({low // row, (high - 1) // row})
        return [self._of_row(one, low, high, end, lost) for one in rows]

    def _of_row(self, row: int, low: int, high: int, end: int, lost: Collection[int]) -> Spans:
        """Return what the parities of a row need; nothing if it is written whole, or is new."""
        size, whole = self.size, self.data * self.size
        first, last = max(0, low - row * whole), min(whole, high - row * whole)
        exists = min(whole, end - row * whole)
        rounds, group = divmod(row, self.width // self.members)
        base, at = rounds * size, group * self.members
        parities = [one for one in range(at + self.data, at + self.members) if one not in lost]
        if exists <= 0 or last - first == whole or not parities:
            return {}
        is_one = first // size == (last - 1) // size
        hull = (first % size, (last - 1) % size + 1) if is_one else (0, size)
        old, rest = Spans(), Spans()
        for unit in range(self.data):
            written = max(first - unit * size, 0), min(last - unit * size, size)
            has = min(exists - unit * size, size)
            others = [(hull[0], min(hull[1], has))]
            if written[0] < written[1]:  # All of the hull but that: before it, or behind it.
                _put(old, at + unit, base, written[0], min(written[1], has))
                others = [(hull[0], min(written[0], has)), (written[1], min(hull[1], has))]
            for one in others:
                _put(rest, at + unit, base, *one)
        for parity in parities:
            _put(old, parity, base, hull[0], min(hull[1], exists))
        ways = [one for one in (rest, old) if not one.keys() & set(lost)]
        if ways:
            return min(ways, key=bytes_in)
        found = Spans()
        self._add_sources(found, group, (base + hull[0], base + hull[1]), end, lost)
        return found

    def _add_sources(
        self, found: Spans, group: int, span: tuple[int, int], end: int, lost: Collection[int]
    ) -> None:
        """Add what computes bytes of a group: the first ``data`` members that are there."""
        first = group * self.members
        there = [one for one in range(first, first + self.members) if one not in lost]
        for position in there[: self.data]:
            low, high = span[0], min(span[1], self.holds(end, position))
            if low < high:
                old = found.get(position, (low, high))
                found[position] = min(old[0], low), max(old[1], high)


def bytes_in(spans: Spans) -> int:
    """Return the bytes of all positions."""
    return sum(last - first for first, last in spans.values())


def _put(spans: Spans, position: int, base: int, first: int, last: int) -> None:
    """Set the bytes of a position, unless there are none."""
    if first < last:
        spans[position] = (base + first, base + last)
