"""A naive twin of disks and flash devices with tables of rates; written from composition.md alone.

All requests are kept, in the order in which they came: what is under way is looked up among them.
Times are fractions until a rule rounds them.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

Points = Sequence[tuple[int, int]]
Call = tuple[bool, int, int, int]
"""It writes; first byte; bytes; how long its process waits before it."""


@dataclass(frozen=True)
class Table:
    """Overheads, and points by size, for 1, 2, .. requests under way."""

    rows: Sequence[tuple[int, Points]]

    def time_ns(self, size: int, there: int) -> int:
        overhead, points = self.rows[min(there, len(self.rows)) - 1]
        for (low, fast), (high, slow) in pairwise(points):
            if low < size < high:
                return overhead + ceil(fast + Fraction((size - low) * (slow - fast), high - low))
        near = min(points, key=lambda point: abs(point[0] - size))
        return overhead + ceil(Fraction(size * near[1], near[0]))


@dataclass
class Device:
    """First come, first served; a subclass says what its requests take."""

    reads: Table
    writes: Table
    came: list[tuple[int, int]] = field(default_factory=list)
    """When each request came, and when it ended."""

    def ask(self, now: int, *, write: bool, low: int, size: int) -> int:
        """Return when a request ends that comes now."""
        there = 1 + sum(end > now for _, end in self.came)
        before = self.came[-1][1] if self.came else 0
        begin = max(now, before)
        table = self.writes if write else self.reads
        end = begin + self.takes(table, there, begin - before, write, low, size)
        self.came.append((now, end))
        return end

    def takes(self, table: Table, there: int, idle: int, write: bool, low: int, size: int) -> int:
        raise NotImplementedError


@dataclass
class Disk(Device):
    """An arm."""

    position_ns: int = 0
    head: int = -1

    def takes(self, table: Table, there: int, idle: int, write: bool, low: int, size: int) -> int:
        moved, self.head = low != self.head, low + size
        return table.time_ns(size, there) + moved * self.position_ns


@dataclass
class Flash(Device):
    """A cache, spare flash, pages; rates in bytes per second."""

    cache: int = 0
    sustained: int = 1
    collecting: int = 1
    page: int = 1
    spare: int = 0
    collect_ns: int = 0
    held: int = 0
    written: int = 0
    head: int = -1

    def takes(self, table: Table, there: int, idle: int, write: bool, low: int, size: int) -> int:
        self.held = max(0, self.held - floor(Fraction(idle * self.sustained, 10**9)))
        if not write:
            return table.time_ns(size, there)
        follows, self.head = low == self.head, low + size
        size = (ceil(Fraction(low + size, self.page)) - low // self.page) * self.page
        fast = min(size, max(0, self.cache - self.held))
        self.held += fast
        past = size - fast
        left = max(0, self.spare - self.written)
        self.written += size
        collected = min(past, max(0, size - left))
        time = table.time_ns(fast, there)
        time += floor(Fraction((past - collected) * 10**9, self.sustained))
        time += floor(Fraction(collected * 10**9, self.collecting))
        return time + (self.collect_ns if collected and not follows else 0)


def ends_ns(device: Device, processes: Sequence[Sequence[Call]]) -> list[int]:
    """Return when processes have ended that make their calls one after the other."""
    queue = [(calls[0][3], number, 0) for number, calls in enumerate(processes)]
    heapq.heapify(queue)
    ended = [0] * len(processes)
    while queue:
        now, number, place = heapq.heappop(queue)
        write, low, size, _ = processes[number][place]
        end = device.ask(now, write=write, low=low, size=size)
        ended[number] = end
        if place + 1 < len(processes[number]):
            heapq.heappush(queue, (end + processes[number][place + 1][3], number, place + 1))
    return ended
