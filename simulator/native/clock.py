# cython: infer_types=True
"""The clock: when each actor goes on, and which one is next.

A calendar: time is cut into days, as many to a year as there are places for them, and the alarms of
a day are a (pairing) heap, whose top is mostly all that is looked at. Of two equal times the actor
with the lower number is first; numbers are as in docs/composition.md. How long a day is, which
follows the time between events, changes what an alarm costs and nothing else.

R. Brown, "Calendar queues", Commun. ACM 31 (1988); M. L. Fredman et al., "The pairing heap: a new
form of self-adjusting heap", Algorithmica 1 (1986).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from simulator.native.codes import *

try:
    from mmap import mmap as anonymous
except ImportError:  # as in a browser
    anonymous = None  # type: ignore[assignment,misc]
try:
    from mmap import MAP_ANONYMOUS, MAP_PRIVATE

    OWN: tuple[int, ...] = (MAP_ANONYMOUS | MAP_PRIVATE,)
    """Memory that no other process may see costs the system half the time for each page."""
except ImportError:  # as on Windows
    OWN = ()

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
        return memoryview(anonymous(-1, size, *OWN)).cast(form)
    whole = array("b", bytes(size + LINE_BYTES))
    skip = -whole.buffer_info()[0] % LINE_BYTES
    return memoryview(whole)[skip : skip + size].cast(form)


def grown(cells: array[int] | memoryview[int], count: int) -> memoryview[int]:
    """Return ``count`` numbers that begin with ``cells``; the others are 0."""
    larger = zeros(count)
    larger[: len(cells)] = memoryview(cells)
    return larger


def lengthened(given: list[memoryview[int]], which: int, count: int) -> memoryview[int]:
    """Let a table of a list have ``count`` numbers, in its place where the system can do that.

    Nobody else may have a view of it any more, or it is copied.
    """
    old = given[which]
    owner = old.obj
    form: Literal["i", "q"] = "i" if old.format == "i" else "q"
    size = count * old.itemsize
    if OWN and isinstance(owner, anonymous):
        with suppress(BufferError, OSError, SystemError, ValueError):
            old.release()
            owner.resize(size)
        given[which] = memoryview(owner).cast(form)
    if len(given[which]) < count:
        larger = zeros(count, form)
        larger[: len(given[which])] = given[which]
        given[which] = larger
    return memoryview(given[which])


LOOK = 1 << 16
"""Steps of loops within events, of at most a microsecond, after which interrupts are heard."""


def _look() -> None:
    """Do nothing: a run has something to do instead (carry_out)."""


FIRST_DAYS = 16
FIRST_PERIOD, LONGEST_PERIOD = 64, 4096
"""Events after which the length of a day is looked at, at first and at most."""


class Clock:
    """The times at which actors go on; ns. An alarm is a row of a slot, named by its offset."""

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
        self.left_to_look = LOOK
        """Steps of loops within events until interrupts are looked for,"""
        self.look: Callable[[], None] = _look
        """by this;"""
        self.stopped: BaseException | None = None
        """and what it has raised."""
        self.slots = 0
        self.alarm = zeros(0)
        self.top = zeros(0)
        """Of each day the top of its heap, or NONE."""
        self.days = 0
        self.shift = 0
        """A day has 2**shift ns."""
        self.day = 0
        """The day that it is,"""
        self.evening = 1
        """and when it ends."""
        self.period = FIRST_PERIOD
        self.left = FIRST_PERIOD
        self.began = 0
        """When the period began of which so many events are left."""
        self.grow(slots)

    def grow(self, slots: int) -> None:
        """Make room for so many slots, between two steps."""
        days = FIRST_DAYS
        while days < slots:
            days *= 2
        old = self.slots
        self.alarm = grown(self.alarm, ALARM * slots)
        for row in range(ALARM * old, ALARM * slots, ALARM):
            self.alarm[row + ALARM_BEFORE] = IDLE
        self.slots = slots
        self.top = zeros(days)
        self.days = days
        self.rebuild(self.shift)

    def exceed(self, what: int, by: int) -> None:
        """Note that something goes further than a run may: the first such thing ends it."""
        if self.over < 0:
            self.over = what
            self.over_by = by
        self.short = 1

    def tick(self) -> None:
        """Count a step of a loop within one event; an interrupt ends the run as a limit does."""
        self.left_to_look -= 1
        if self.left_to_look > 0:
            return
        self.left_to_look = LOOK
        self.look_up()

    def look_up(self) -> None:
        """Let the rest of the program hear an interrupt."""
        try:
            self.look()
        except BaseException as error:  # noqa: BLE001 - it is raised again where the loop is left.
            self.stopped = error
            self.exceed(OF_INTERRUPT, 0)

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

    # -- alarms ---------------------------------------------------------------------------------

    def next_actor(self) -> int:
        """Advance to the earliest alarm, which is over then; returns its slot, or -1 for none."""
        row = self.top[self.day]
        if row < 0 or self.alarm[row + ALARM_TIME] >= self.evening:
            row = self.next_day()
            if row < 0:
                return -1
        rest = self.alarm[row + ALARM_CHILD]
        if rest >= 0:
            if self.alarm[rest + ALARM_NEXT] >= 0:
                rest = self.merged(rest)
            self.alarm[rest + ALARM_BEFORE] = NONE
        self.top[self.day] = rest
        self.alarm[row + ALARM_BEFORE] = IDLE
        self.advance(self.alarm[row + ALARM_TIME])
        return row >> ALARM_BITS

    def go_on(self, slot: int, time: int) -> int:
        """Let the actor that acts go on at ``time``; returns the next one, as ``next_actor``."""
        self.alarms += 1
        row = slot * ALARM
        if self.alarm[row + ALARM_BEFORE] == IDLE:
            self.alarm[row + ALARM_TIME] = time
            if time < self.evening:
                first = self.top[self.day]
                if first < 0 or self.is_before(row, first):  # It is next itself.
                    self.advance(time)
                    return slot
        self.play(slot, time)
        return self.next_actor()

    def advance(self, time: int) -> None:
        """Let it be a time."""
        self.now = time
        self.left -= 1
        if self.left == 0:
            self.tune()

    def at(self, slot: int, time: int) -> None:
        """Let an actor go on at ``time``."""
        self.alarms += 1
        self.play(slot, time)

    def wake(self, slot: int) -> None:
        """Let an actor that waits go on now, at its own turn."""
        self.alarms += 1
        self.play(slot, self.now)

    def play(self, slot: int, time: int) -> None:
        """Set an actor's alarm to a time, whatever it was."""
        row = slot * ALARM
        if self.alarm[row + ALARM_BEFORE] != IDLE:
            self.take_out(row)
        self.alarm[row + ALARM_TIME] = time
        self.alarm[row + ALARM_CHILD] = NONE
        self.alarm[row + ALARM_NEXT] = NONE
        self.put(row, time)

    def stop(self, slot: int) -> None:
        """An actor waits for another one, or has ended."""
        row = slot * ALARM
        if self.alarm[row + ALARM_BEFORE] != IDLE:
            self.take_out(row)

    # -- heaps ----------------------------------------------------------------------------------

    def put(self, row: int, time: int) -> None:
        """Put a heap, whose top has a time, into its day."""
        day = (time >> self.shift) & (self.days - 1)
        top = self.top[day]
        if top >= 0:
            row = self.linked(top, row)
        self.alarm[row + ALARM_BEFORE] = NONE
        self.top[day] = row

    def is_before(self, one: int, other: int) -> bool:
        """Whether an alarm comes before another one."""
        first, second = self.alarm[one + ALARM_TIME], self.alarm[other + ALARM_TIME]
        if first == second:
            return self.alarm[one + ALARM_NUMBER] < self.alarm[other + ALARM_NUMBER]
        return first < second

    def linked(self, one: int, other: int) -> int:
        """Make one heap of two that stand alone; returns its top."""
        if self.is_before(other, one):
            one, other = other, one
        child = self.alarm[one + ALARM_CHILD]
        self.alarm[other + ALARM_NEXT] = child
        self.alarm[other + ALARM_BEFORE] = one
        if child >= 0:
            self.alarm[child + ALARM_BEFORE] = other
        self.alarm[one + ALARM_CHILD] = other
        return one

    def merged(self, child: int) -> int:
        """Make one heap of the children of an alarm, from the first on: of pairs, then of all."""
        pairs = NONE
        while child >= 0:
            other = self.alarm[child + ALARM_NEXT]
            after = other
            if other >= 0:
                after = self.alarm[other + ALARM_NEXT]
                child = self.linked(child, other)
            self.alarm[child + ALARM_NEXT] = pairs
            pairs = child
            child = after
        whole = pairs
        pairs = self.alarm[whole + ALARM_NEXT]
        while pairs >= 0:
            after = self.alarm[pairs + ALARM_NEXT]
            whole = self.linked(whole, pairs)
            pairs = after
        self.alarm[whole + ALARM_NEXT] = NONE
        return whole

    def take_out(self, row: int) -> None:
        """Take an alarm out of its heap, wherever it stands."""
        time = self.alarm[row + ALARM_TIME]
        before, after = self.alarm[row + ALARM_BEFORE], self.alarm[row + ALARM_NEXT]
        if before < 0:
            self.top[(time >> self.shift) & (self.days - 1)] = NONE
        elif self.alarm[before + ALARM_CHILD] == row:
            self.alarm[before + ALARM_CHILD] = after
        else:
            self.alarm[before + ALARM_NEXT] = after
        if after >= 0:
            self.alarm[after + ALARM_BEFORE] = before
        if self.alarm[row + ALARM_CHILD] >= 0:
            self.put(self.merged(self.alarm[row + ALARM_CHILD]), time)
        self.alarm[row + ALARM_BEFORE] = IDLE

    # -- days -----------------------------------------------------------------------------------

    def next_day(self) -> int:
        """Go on to the day of the next alarm; returns that, or -1."""
        length = 1  # Of 64 bits: a day may be longer than 2**31 ns.
        length <<= self.shift
        for _ in range(self.days):
            self.day = (self.day + 1) & (self.days - 1)
            self.evening += length
            row = self.top[self.day]
            if row >= 0 and self.alarm[row + ALARM_TIME] < self.evening:
                return row
        return self.next_year()

    def next_year(self) -> int:
        """Go on to the day of the next alarm, which is not within a year; returns that, or -1."""
        first = NONE
        for day in range(self.days):
            row = self.top[day]
            if row >= 0 and (first < 0 or self.is_before(row, first)):
                first = row
        if first >= 0:
            self.begin_day(self.alarm[first + ALARM_TIME])
        return first

    def begin_day(self, time: int) -> None:
        """Let it be the day of a time."""
        number = time >> self.shift
        self.day = number & (self.days - 1)
        self.evening = (number + 1) << self.shift

    def tune(self) -> None:
        """Let a day be about as long as the time between two events of late."""
        gap = (self.now - self.began) // self.period
        shift = 2
        while gap >> shift - 2 > 1:
            shift += 1
        if shift > self.shift + 1 or shift + 1 < self.shift:
            self.rebuild(shift)
        self.period = min(2 * self.period, LONGEST_PERIOD)
        self.left = self.period
        self.began = self.now

    def rebuild(self, shift: int) -> None:
        """Let a day have 2**shift ns."""
        self.shift = shift
        for day in range(self.days):
            self.top[day] = NONE
        self.begin_day(self.now)
        for slot in range(self.slots):
            row = slot * ALARM
            if self.alarm[row + ALARM_BEFORE] != IDLE:
                self.alarm[row + ALARM_CHILD] = NONE
                self.alarm[row + ALARM_NEXT] = NONE
                self.put(row, self.alarm[row + ALARM_TIME])
