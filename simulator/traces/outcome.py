"""What stands behind the arguments of a call in a line of strace: result, error, duration."""

from __future__ import annotations

from simulator.traces.arrays import Longs
from simulator.traces.bytesearch import find_byte, six_digits
from simulator.traces.codes import *
from simulator.traces.text import Text

ERRNO_HEAD = b" (errno "
PID_NOTE, PID_NOTE_TAIL = b" /* ", b" in strace's PID NS */"
NO_DURATION = b"<unavailable>"
SECOND = 1_000_000_000
LONGEST = 9_000_000_000
"""Seconds; a longer duration is none."""


class Outcome:
    """Reads what a call returned into a token; its text and tokens are a scanner's."""

    def __init__(self, text: Text, tokens: Longs) -> None:
        self.text = text
        self.tokens = tokens

    def read(self, i: int, end: int, row: int) -> int:
        """Read what follows the closing bracket of a call; gives 0, or a kind of damage."""
        self.tokens[row + DURATION] = NULL
        if self.text.bytes[end - 1] == 62:
            end = self.duration(i, end, row)
            if end < 0:
                return BAD_DURATION
        while i < end and self.text.bytes[i] in {32, 9}:
            i += 1
        if i + 1 >= end or self.text.bytes[i] != 61:
            return UNREADABLE
        i += 1
        while i < end and self.text.bytes[i] == 32:
            i += 1
        if i >= end:
            return UNREADABLE
        self.tokens[row + VALUE_AT] = i
        if self.text.bytes[i] == 63:
            self.tokens[row + RESULT] = NOTHING
            i += 1
        else:
            found = self.text.number(i, end)
            if found < 1:
                return TOO_LARGE if found else UNREADABLE
            self.tokens[row + RESULT] = A_NUMBER
            self.tokens[row + VALUE] = self.text.value
            i = self.text.at
        if i == end:
            return 0
        return self.explanation(i, end, row)

    def explanation(self, i: int, end: int, row: int) -> int:
        """Read what may follow a result: an annotation, an error's name, words in brackets."""
        if self.text.bytes[i] == 60:
            i = self.text.after_note(i, end)
            if i < 0:
                return UNREADABLE
            if i < end and self.text.bytes[i] == 40:  # (deleted)
                i = find_byte(self.text.bytes, 41, i, end) + 1
        if self.text.holds(PID_NOTE, 4, i, end):
            i = self.after_pid_note(i + 4, end, row)
            if i < 0:
                return UNREADABLE
        if i + 1 < end and self.text.bytes[i] == 32 and self.text.bytes[i + 1] == 69:
            i += 1
            self.tokens[row + ERROR] = i
            while i < end and self.text.is_of_name(self.text.bytes[i]):
                i += 1
            self.tokens[row + ERROR_END] = i
            self.tokens[row + RESULT] = AN_ERROR
        elif self.text.holds(ERRNO_HEAD, 8, i, end) and self.tokens[row + VALUE] == -1:
            self.tokens[row + ERROR] = i + 2
            self.tokens[row + ERROR_END] = find_byte(self.text.bytes, 41, i, end)
            self.tokens[row + RESULT] = AN_ERROR
        if i >= end:
            return 0 if i == end else UNREADABLE
        if self.text.bytes[i] == 32 and i + 2 < end and self.text.bytes[end - 1] == 41:
            if self.text.bytes[i + 1] == 40:
                return 0
        return UNREADABLE

    def after_pid_note(self, i: int, end: int, row: int) -> int:
        """Take a process's number from ``4567 in strace's PID NS */``; gives where that ends."""
        if self.text.number(i, end) != 1 or self.text.value <= 0:
            return -1
        i = self.text.at
        if not self.text.holds(PID_NOTE_TAIL, 22, i, end):
            return -1
        self.tokens[row + VALUE] = self.text.value
        return i + 22

    def duration(self, i: int, end: int, row: int) -> int:
        """Read ``<0.000012>`` at the end; gives where the line ends before it, or -1."""
        value = self.short_duration(end - 10) if end - 12 > i else -1
        if value >= 0:
            self.tokens[row + DURATION] = value
            return end - 11
        k = end - 2
        while k > i and self.is_of_duration(self.text.bytes[k]):
            k -= 1
        if self.text.bytes[k] != 60 or self.text.bytes[k - 1] != 32:
            if self.ends_with_unavailable(i, end):
                return end - 14
            return end  # the annotation of a result
        found = self.text.number(k + 1, end)
        if found == 1 and self.text.bytes[k + 1] != 45 and self.text.value < LONGEST:
            value = self.text.value * SECOND
            if self.text.bytes[self.text.at] == 46:
                fraction = self.text.nanoseconds(self.text.at + 1, end)
                if fraction < 0:
                    return -1
                value += fraction
            if self.text.at == end - 1:
                self.tokens[row + DURATION] = value
                return k - 1
        return -1

    def short_duration(self, i: int) -> int:
        """Read `` <0.000012>``, the form of nearly all, whose ``<`` is at ``i``; -1: another."""
        if self.text.bytes[i] != 60 or self.text.bytes[i - 1] != 32 or self.text.bytes[i + 2] != 46:
            return -1
        value = self.text.bytes[i + 1] - 48
        fraction = six_digits(self.text.bytes, i + 3, i + 9)
        if value > 9 or value < 0 or fraction < 0:
            return -1
        return value * SECOND + fraction * 1000

    def is_of_duration(self, c: int) -> int:
        """Say whether a character may be of a duration, be it a wrong one."""
        return 48 <= c <= 57 or c in {46, 44, 45, 43, 78, 97, 110, 73, 105, 102, 101, 69}

    def ends_with_unavailable(self, i: int, end: int) -> int:
        """Say whether the line ends with ``<unavailable>``."""
        return end - 14 > i and self.text.holds(NO_DURATION, 13, end - 13, end)
