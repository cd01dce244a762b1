"""The bytes that are being read, and how numbers, strings, annotations and arguments end in them.

Positions are counted in ``bytes``; what a method found is left in ``value``, ``at``, ``arg`` and
``count``. Not known here: what a call means.
"""

from __future__ import annotations

from array import array

from simulator.traces.arrays import Bytes, Longs
from simulator.traces.bytesearch import (
    digits,
    digits_end,
    find_byte,
    first_bit,
    marks_at,
    six_digits,
)
from simulator.traces.codes import *

LARGEST, LARGEST_UNSIGNED = b"9223372036854775807", b"18446744073709551615"


def _classes() -> array[int]:
    classes = array("q", [PLAIN]) * 256
    for characters, number in ((b'"', QUOTE), (b",", COMMA), (b"([{", OPENS), (b")]}", CLOSES)):
        for character in characters:
            classes[character] = number
    classes[ord("<")] = ANGLE
    return classes


CLASSES = _classes()
TENS = array("q", [int("1" + "0" * n) for n in range(10)])


class Text:
    """A stretch of a log."""

    def __init__(self) -> None:
        self.bytes: Bytes = b"\n"
        self.classes: Longs = CLASSES
        self.tens: Longs = TENS
        self.arg = array("q", [0]) * (MOST_ARGS + 1)
        self.count = 0
        self.value = 0
        self.at = 0
        self.overflow = 0

    def hold(self, data: Bytes) -> None:
        """Look at other bytes."""
        self.bytes = data

    def number(self, i: int, end: int) -> int:
        """Read a number (-12, 0x1f, 017): 1 if there is one, 0 if not, -1 if it has over 64 bits.

        What needs the 64th bit counts as the largest number with 63.
        """
        negative = i < end and self.bytes[i] == 45
        if negative:
            i += 1
        start = i
        c = self.bytes[i] - 48 if i < end else -1
        if c < 0 or c > 9:
            return 0
        if c == 0 and i + 1 < end:
            c = self.bytes[i + 1]
            if c == 120:
                return self.hexadecimal(i + 2, end)
            if 48 <= c <= 55:
                return self.octal(i + 1, end)
        value = 0
        while i < end and 48 <= self.bytes[i] <= 57:
            if i - start < 18:
                value = value * 10 + self.bytes[i] - 48
            i += 1
        self.at = i
        if i - start > 18:
            value = self.long_number(start, i, value)
            if value < 0:
                self.overflow = 1
                return -1
        self.value = -value if negative else value
        return 1

    def long_number(self, start: int, end: int, value: int) -> int:
        """Return the value of a number of more than 18 digits, of which ``value`` are the first."""
        size = end - start
        if size == 19 and self.compare(start, end, 0) <= 0:
            return value * 10 + self.bytes[end - 1] - 48
        if size == 19 or (size == 20 and self.compare(start, end, 1) <= 0):
            return MOST
        return -1

    def compare(self, start: int, end: int, unsigned: int) -> int:
        """Compare a number with the largest of as many digits: -1, 0 or 1."""
        for i in range(end - start):
            c = LARGEST_UNSIGNED[i] if unsigned else LARGEST[i]
            if self.bytes[start + i] != c:
                return -1 if self.bytes[start + i] < c else 1
        return 0

    def hexadecimal(self, i: int, end: int) -> int:
        """Read the digits after 0x; as ``number``."""
        value = 0
        digits = 0
        first = 0
        start = i
        while i < end:
            c = self.digit(self.bytes[i])
            if c < 0:
                break
            if digits or c:
                digits += 1
                if digits == 1:
                    first = c
                if digits < 16 or (digits == 16 and first < 8):
                    value = value * 16 + c
            i += 1
        self.at = i
        if i == start:
            return 0
        if digits > 16:
            self.overflow = 1
            return -1
        self.value = MOST if digits == 16 and first >= 8 else value
        return 1

    def octal(self, i: int, end: int) -> int:
        """Read the digits after 0; as ``number``."""
        value = 0
        start = i
        while i < end and 48 <= self.bytes[i] <= 55:
            if i - start < 20:
                value = value * 8 + self.bytes[i] - 48
            i += 1
        self.at = i
        self.value = value
        return 1 if i - start <= 20 else -1

    def digit(self, c: int) -> int:
        """Return what a hexadecimal digit stands for, or -1."""
        if 48 <= c <= 57:
            return c - 48
        if 97 <= c <= 102:
            return c - 87
        if 65 <= c <= 70:
            return c - 55
        return -1

    def is_of_name(self, c: int) -> int:
        """Say whether a character may be of the name of a call."""
        return 97 <= c <= 122 or c == 95 or 48 <= c <= 57 or c == 63 or 65 <= c <= 90

    def nanoseconds(self, i: int, end: int) -> int:
        """Read up to nine digits after a decimal point; -1 if there is none, or are more."""
        value = six_digits(self.bytes, i, end)
        if value >= 0 and i + 6 < end and not 48 <= self.bytes[i + 6] <= 57:
            self.at = i + 6
            return value * 1000
        self.at = digits_end(self.bytes, i, end)
        if self.at == i or self.at - i > 9:
            return -1
        return digits(self.bytes, i, self.at) * self.tens[9 - (self.at - i)]

    def after_string(self, i: int, end: int) -> int:
        """Return the position after the string whose quotation mark is at ``i``, or -1."""
        j = i
        while True:
            j = find_byte(self.bytes, 34, j + 1, end)
            if j >= end:
                return -1
            k = j - 1
            while self.bytes[k] == 92:
                k -= 1
            if (j - k) & 1:
                return j + 1

    def after_note(self, i: int, end: int) -> int:
        """Return the position after the annotation (``<...>``) that begins at ``i``, or -1."""
        if i + 1 >= end:
            return -1
        if self.bytes[i + 1] == 47:
            return self.after_path_note(i, end)
        depth = 0
        while i < end:
            c = self.bytes[i]
            if c == 60:
                depth += 1
            elif c == 34:
                i = self.after_string(i, end) - 1
                if i < 0:
                    return -1
            elif c == 62 and self.bytes[i - 1] != 45:
                depth -= 1
                if depth == 0:
                    return i + 1
            i += 1
        return -1

    def after_path_note(self, i: int, end: int) -> int:
        """Return the position after the annotation with a path that begins at ``i``, or -1.

        An old strace did not escape ``>``: one that something else follows is of the name.
        """
        i += 1
        depth = 1
        while i < end:
            c = self.bytes[i]
            if c == 92:
                i += 1
            elif c == 60 and i + 5 < end and self.is_device_note(i):
                depth += 1
            elif c == 62:
                if depth > 1:
                    depth -= 1
                elif i + 1 >= end or self.ends_note(self.bytes[i + 1]):
                    return i + 1
            i += 1
        return -1

    def is_device_note(self, i: int) -> int:
        """Say whether ``<char 1:3>`` or ``<block 8:0>`` begins at ``i``."""
        c = self.bytes[i + 1]
        return (c == 99 and self.bytes[i + 5] == 32) or (c == 98 and self.bytes[i + 5] == 107)

    def ends_note(self, c: int) -> int:
        """Say whether a character can follow an annotation: , ) ] } ( = > or white."""
        return c in {44, 41, 93, 125, 40, 61, 32, 10, 13, 62, 9}

    def split(self, i: int, end: int, resumed: int) -> int:
        """Find the arguments from ``i`` on; gives where the closing ``)`` is.

        ``end`` if they are not closed, -1 if a string or a bracket is wrong.
        """
        depth = 0
        n = 0
        while i < end and self.bytes[i] == 32:
            i += 1
        start = i
        self.arg[0] = i
        base = i
        marks = marks_at(self.bytes, i)
        while i < end:
            if i - base >= 64:
                base = i
                marks = marks_at(self.bytes, i)
            rest = marks >> (i - base)
            if not rest:
                i = base + 64
                continue
            i += first_bit(rest)
            if i >= end:
                break
            c = self.classes[self.bytes[i]]
            if c == QUOTE:
                i = self.after_string(i, end)
                if i < 0:
                    return -1
            elif c == COMMA:
                i += 1
                if depth == 0:
                    n += 1
                    while i < end and self.bytes[i] == 32:
                        i += 1
                    if n < MOST_ARGS:
                        self.arg[n] = i
            elif c == OPENS:
                depth += 1
                i += 1
            elif c == ANGLE:
                c = self.bytes[i - 1]
                if (48 <= c <= 57 or c == 68) and i + 1 < end and self.bytes[i + 1] != 60:
                    i = self.after_note(i, end)
                    if i < 0:
                        return -1
                else:
                    i += 2 if i + 1 < end and self.bytes[i + 1] == 60 else 1
            else:
                if depth == 0:
                    if self.bytes[i] == 41:
                        self.count = n + 1 if i > start else 0
                        return i
                    if not resumed:
                        return -1
                else:
                    depth -= 1
                i += 1
        self.count = n + 1 if i > start else 0
        return end

    def holds(self, word: Bytes, size: int, i: int, end: int) -> int:
        """Say whether the bytes from ``i`` on are ``word``, which has ``size`` bytes."""
        if i + size > end:
            return 0
        for k in range(size):
            if self.bytes[i + k] != word[k]:
                return 0
        return 1

    def find(self, word: Bytes, size: int, i: int, end: int) -> int:
        """Return where ``word`` begins in [i, end), or -1."""
        while True:
            i = find_byte(self.bytes, word[0], i, end)
            if i + size > end:
                return -1
            if self.holds(word, size, i, end):
                return i
            i += 1
