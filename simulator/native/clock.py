# cython: infer_types=True
"""The clock: when each actor goes on, and which one is next.

A tournament over the slots of actors: each has one time, and every match is won by the earlier.
Of two equal times the actor with the lower number wins; numbers are as in docs/composition.md,
and slots are dealt out as actors come and go, so that the tree is as large as they are many.
"""

from __future__ import annotations

from array import array
from typing import Literal

try:
    from mmap import mmap as anonymous
except ImportError:  # as in a browser
    anonymous = None  # type: ignore[assignment,misc]

NEVER = 1 << 62
"""Later than any time: the actor waits for another one."""


LINE = 8
"""Numbers on a cache line."""
LINE_BYTES = 64
MAPPED = 1 << 18


def zeros(count: int, form: Literal["i", "q"] = "q") -> memoryview[int]:
    """Return so many numbers that are 0, from the beginning of a line of a cache.

    Many of them cost memory only once they are used.
    """
    size = (8 if form == "q" else 4) * count
    if size >= MAPPED and anonymous is not None:
        return memoryview(anonymous(-1, size)).cast(form)
    whole = array("b", bytes(size + LINE_BYTES))
    skip = -whole.buffer_info()[0] % LINE_BYTES
    return memoryview(whole)[skip : skip + size].cast(form)


def grown(cells: array[int] | memoryview[int], count: int) -> memoryview[int]:
    """Return ``count`` numbers that begin with ``cells``; the others are 0."""
    larger = zeros(count)
    larger[: len(cells)] = memoryview(cells)
    return larger


class Clock:
    """The times at which actors go on; ns."""

    def __init__(self, slots: int) -> None:
        self.now = 0
        self.alarms = 0
        """How often an actor was set to go on."""
        self.short = 0
        """Whether a table has to grow before the next step, or the run has to end."""
        self.over = -1
        """What goes further than a run may, or -1: then nothing else counts any more,"""
        self.over_by = 0
        """and of what: a row of specifications, a slot, a file or a row of caches."""
        self.slots = 0
        self.size = 0
        """Leaves of the tree; it has no others, so that some are a match nearer to its root."""
        self.number = zeros(0)
        self.match = zeros(0)
        """For each match n the winner's time and slot; it is between those of 2n and 2n+1."""
        self.grow(slots)

    def grow(self, slots: int) -> None:
        """Make room for so many slots, between two steps."""
        size = max(1, slots)
        times = [self.match[2 * (self.size + slot)] for slot in range(self.slots)]
        self.number = grown(self.number, size)
        match = zeros(4 * size)
        match[::2] = memoryview(array("q", [NEVER]) * (2 * size))
        match[1::2] = memoryview(array("q", range(size)) * 2)
        self.match = match
        self.slots = slots
        self.size = size
        for slot, time in enumerate(times):
            if time != NEVER:
                self.play(slot, time)

    def exceed(self, what: int, by: int) -> None:
        """Note that something goes further than a run may: the first such thing ends it."""
        if self.over < 0:
            self.over = what
            self.over_by = by
        self.short = 1

    def within(self, value: int, what: int, by: int) -> int:
        """A sum of two times or sizes, which is at most as much as a run may have."""
        if value < NEVER:
            return value
        self.exceed(what, by)
        return NEVER - 1

    def transfer(self, overhead: int, size: int, rate: float, what: int, by: int) -> int:
        """A time and that of ``size`` bytes at ``rate`` ns each; ns."""
        transfer = size * rate + 0.5
        if transfer >= NEVER:
            self.exceed(what, by)
            return overhead
        whole = int(transfer)
        return self.within(overhead + whole, what, by)

    def next_actor(self) -> int:
        """Advance to the earliest time; returns whose slot it is, or -1 if there is none."""
        time = self.match[2]
        if time == NEVER:
            return -1
        self.now = time
        return self.match[3]

    def at(self, slot: int, time: int) -> None:
        """Let an actor go on at ``time``."""
        self.alarms += 1
        self.play(slot, time)

    def wake(self, slot: int) -> None:
        """Let an actor that waits go on now, at its own turn."""
        self.alarms += 1
        self.play(slot, self.now)

    def stop(self, slot: int) -> None:
        """An actor waits for another one, or has ended."""
        self.play(slot, NEVER)

    def play(self, slot: int, time: int) -> None:
        """Set the time of a slot's leaf, and play its matches."""
        node = 2 * (self.size + slot)
        who = slot
        self.match[node] = time
        while node > 2:
            other = node ^ 2
            rival = self.match[other]
            name = self.match[other + 1]
            if rival == time and self.number[name] > self.number[who]:
                rival += 1
            # No branch: which one is earlier, nobody can foresee.
            who = name if rival <= time else who
            time = rival if rival <= time else time
            node = node >> 2 << 1
            self.match[node] = time
            self.match[node + 1] = who
