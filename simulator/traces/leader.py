"""What stands before a call in a line of strace: a pid, a time, an instruction pointer, ...

Each is recognised by its form. A line that begins as one before it is not read again.
"""

from __future__ import annotations

from simulator.traces.arrays import Longs
from simulator.traces.bytesearch import digits, digits_end, find_byte, same_bytes
from simulator.traces.codes import *
from simulator.traces.text import Text

PID_HEAD = b"[pid "
MODE_HEAD = b"[ Process PID="
SECOND = 1_000_000_000
MOST_PID = 1 << 22
"""The largest pid that Linux gives; a larger number is a time in seconds."""
MOST_STEP = 100_000_000
"""Fewer seconds than these are a step since the line before, not a time since 1970."""


class Leader:
    """Reads what stands before a call into a token; its text and tokens are a scanner's."""

    def __init__(self, text: Text, tokens: Longs) -> None:
        self.text = text
        self.tokens = tokens
        self.steps = 0
        # How a line before began, up to the point in its time, and what that says.
        self.known_at = 0
        self.known_size = 0
        self.known_pid = -1
        self.known_time = 0
        self.known_clock = NO_CLOCK
        # How the time in it began, up to the point: lines of other processes have it too.
        self.number_at = 0
        self.second_at = 0
        self.second_size = 0

    def forget(self) -> None:
        """The lines before are not where they were."""
        self.known_size = 0
        self.second_size = 0

    def read(self, i: int, end: int, row: int) -> int:
        """Read what stands before a call; gives where that begins, or minus a kind of damage."""
        return self.prefix(self.known(i, end, row), end, row)

    def prefix(self, i: int, end: int, row: int) -> int:
        """Read on to the call; as ``read``."""
        while i < end:
            c = self.text.bytes[i]
            if c in {32, 9}:
                i += 1
            elif 48 <= c <= 57:
                i = self.prefix_number(i, end, row)
                if i < 0:
                    return i
            elif c == 91:
                if self.text.holds(PID_HEAD, 5, i, end):
                    i = self.bracketed_pid(i, end, row)
                elif self.text.holds(MODE_HEAD, 14, i, end):
                    return i
                else:
                    i = self.bracketed(i, end)
                if i < 0:
                    return i
            elif c == 40 and i + 1 < end and self.text.bytes[i + 1] == 43:
                i = find_byte(self.text.bytes, 41, i, end) + 1
                if i > end:
                    return -UNREADABLE
            else:
                return i
        return i

    def known(self, i: int, end: int, row: int) -> int:
        """Read a pid and a time that begin as those of a line before; gives where they end.

        That is ``i`` if they do not.
        """
        size = self.known_size
        at = self.known_at
        self.known_at = i
        self.known_size = 0
        if not size or i + size >= end:
            return i
        if not same_bytes(self.text.bytes, i, self.text.bytes, at, size):
            return i
        fraction = self.text.nanoseconds(i + size, end)
        if fraction < 0 or self.text.at >= end or self.text.bytes[self.text.at] != 32:
            return i
        self.known_size = size
        self.tokens[row + PID] = self.known_pid
        self.tokens[row + TIME] = self.known_time + fraction
        self.tokens[row + CLOCK] = self.known_clock
        return self.text.at + 1

    def is_known_second(self, i: int, end: int) -> int:
        """Say whether a time begins as that of a line before, up to the point."""
        size = self.second_size
        return (
            size > 0
            and i + size < end
            and same_bytes(self.text.bytes, i, self.text.bytes, self.second_at, size)
        )

    def know(self, dot: int, row: int, time: int, clock: int) -> None:
        """The line's time, up to the point at ``dot``, is this: the next one may begin alike."""
        self.second_at = self.number_at
        self.second_size = dot + 1 - self.number_at
        self.known_size = dot + 1 - self.known_at
        self.known_pid = self.tokens[row + PID]
        self.known_time = time
        self.known_clock = clock

    def prefix_number(self, i: int, end: int, row: int) -> int:
        """Read a pid or a time."""
        start = i
        if self.is_known_second(i, end):
            fraction = self.text.nanoseconds(i + self.second_size, end)
            if fraction >= 0 and self.text.at < end and self.text.bytes[self.text.at] == 32:
                self.known_size = i + self.second_size - self.known_at
                self.known_pid = self.tokens[row + PID]
                self.tokens[row + TIME] = self.known_time + fraction
                self.tokens[row + CLOCK] = self.known_clock
                return self.text.at + 1
        self.number_at = i
        i = digits_end(self.text.bytes, i, end)
        if i >= end:
            return -UNREADABLE
        if i - start > 18:
            return -TOO_LARGE
        value = digits(self.text.bytes, start, i)
        c = self.text.bytes[i]
        if c == 58:
            return self.wall_clock(start, end, row)
        if c == 46:
            return self.seconds(value, i, end, row)
        if c == 60 and self.tokens[row + PID] < 0:  # 123<comm>
            while i + 1 < end and not (self.text.bytes[i] == 62 and self.text.bytes[i + 1] == 32):
                i += 1
            c = self.text.bytes[i + 1] if i + 1 < end else 0
            i += 1
        if c != 32:
            return -UNREADABLE
        if value > MOST_PID or self.tokens[row + PID] >= 0:
            if self.tokens[row + CLOCK] != NO_CLOCK or value > MOST_STEP * 100:
                return -UNREADABLE
            self.tokens[row + TIME] = value * SECOND
            self.tokens[row + CLOCK] = EPOCH
        else:
            self.tokens[row + PID] = value
        return i + 1

    def wall_clock(self, i: int, end: int, row: int) -> int:
        """Read HH:MM:SS and perhaps a fraction."""
        if i + 8 > end or self.text.bytes[i + 5] != 58 or self.text.bytes[i + 2] != 58:
            return -UNREADABLE
        hour = self.two(i)
        minute = self.two(i + 3)
        second = self.two(i + 6)
        if hour < 0 or minute < 0 or second < 0 or hour > 23 or minute > 59 or second > 60:
            return -UNREADABLE
        time = ((hour * 60 + minute) * 60 + second) * SECOND
        i += 8
        if i < end and self.text.bytes[i] == 46:
            fraction = self.text.nanoseconds(i + 1, end)
            if fraction < 0:
                return -UNREADABLE
            self.know(i, row, time, WALL)
            time += fraction
            i = self.text.at
        if i >= end or self.text.bytes[i] != 32:
            return -UNREADABLE
        self.tokens[row + TIME] = time
        self.tokens[row + CLOCK] = WALL
        return i + 1

    def two(self, i: int) -> int:
        """Read two digits, or give -1."""
        a = self.text.bytes[i] - 48
        b = self.text.bytes[i + 1] - 48
        return a * 10 + b if 0 <= a <= 9 and 0 <= b <= 9 else -1

    def seconds(self, value: int, i: int, end: int, row: int) -> int:
        """Read the fraction of a time in seconds."""
        point = i
        fraction = self.text.nanoseconds(i + 1, end)
        i = self.text.at
        if fraction < 0 or i >= end or self.text.bytes[i] != 32 or value > MOST_STEP * 90:
            return -UNREADABLE
        if value < MOST_STEP:
            self.steps += value * SECOND + fraction
            self.tokens[row + TIME] = self.steps
            self.tokens[row + CLOCK] = STEPS
        else:
            self.know(point, row, value * SECOND, EPOCH)
            self.tokens[row + TIME] = value * SECOND + fraction
            self.tokens[row + CLOCK] = EPOCH
        return i + 1

    def bracketed_pid(self, i: int, end: int, row: int) -> int:
        """Read ``[pid 123]`` or ``[pid 123<comm>]``."""
        i += 5
        while i < end and self.text.bytes[i] == 32:
            i += 1
        if self.text.number(i, end) != 1 or self.text.value > MOST_PID:
            return -UNREADABLE
        self.tokens[row + PID] = self.text.value
        i = self.text.at
        while i + 1 < end and not (self.text.bytes[i] == 93 and self.text.bytes[i + 1] == 32):
            i += 1
        return i + 2 if i + 1 < end else -UNREADABLE

    def bracketed(self, i: int, end: int) -> int:
        """Pass over ``[  59]`` (-n) or ``[00007f5ef33fb4a0]`` (-i)."""
        i += 1
        while i < end and self.text.bytes[i] != 93:
            c = self.text.bytes[i]
            if not (c in {32, 63} or self.text.digit(c) >= 0):
                return -UNREADABLE
            i += 1
        return i + 1 if i < end else -UNREADABLE
