"""Columns of numbers as the bytes of Parquet: which are present, and their values in few bits.

The encodings are those of the format's specification: a bit-packed run of definition levels
(https://parquet.apache.org/docs/file-format/data-pages/encodings/), DELTA_BINARY_PACKED, PLAIN,
and RLE_DICTIONARY in one bit-packed run. A column is *taken*, and then its values written.
Not here: pages and their headers.
"""

from __future__ import annotations

from array import array
from typing import Any

from simulator.traces.codes import ABSENT, NULL, SPARE

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there
    from simulator.engine.native.interpreted import cython
if not cython.compiled:
    from simulator.traces.bytesearch import difference, put_number

BLOCK, MINIBLOCK = 128, 32
"""Differences that share a smallest one, and that share a width in bits."""
WIDEST, WHOLE = 56, 64
"""Bits: a value of the one width and the seven bits before it go into the other."""


class Packer:
    """Writes columns into ``out``, up to ``at``; ``levels`` is where the values begin in it."""

    def __init__(self, capacity: int) -> None:
        self.values = array("q", bytes(8 * (capacity + BLOCK)))
        self.steps = array("q", bytes(8 * BLOCK))
        self.out = array("B", bytes(9 * capacity + 16 * BLOCK))
        self.at = 0
        self.count = 0
        self.levels = 0

    # -- which values are present ---------------------------------------------------------

    def begin(self, count: int) -> None:
        """Begin a run of one bit for each row."""
        self.at = 0
        self.varint((count + 7) >> 3 << 1 | 1)

    def take_wide(self, numbers: Any, count: int) -> None:
        """Take the numbers of a column of 64 bits that are not NULL; it has SPARE more places."""
        self.begin(count)
        n = 0
        i = 0
        for k in range(count, count + SPARE):
            numbers[k] = NULL
        while i < count:
            bits = 0
            for k in range(8):
                bits |= numbers[i + k] ^ NULL
            if bits:  # in many a column it is none, for long
                bits = 0
                for k in range(8):
                    value = numbers[i + k]
                    there = value != NULL
                    self.values[n] = value
                    n += there
                    bits |= there << k
            self.out[self.at] = bits
            self.at += 1
            i += 8
        self.end_levels(n, count)

    def take_narrow(self, numbers: Any, count: int) -> None:
        """Take the numbers of a column of 32 bits that are not ABSENT; as ``take_wide``."""
        self.begin(count)
        n = 0
        i = 0
        for k in range(count, count + SPARE):
            numbers[k] = ABSENT
        while i < count:
            bits = 0
            for k in range(8):
                bits |= numbers[i + k] ^ ABSENT
            if bits:  # in many a column it is none, for long
                bits = 0
                for k in range(8):
                    value = numbers[i + k]
                    there = value != ABSENT
                    self.values[n] = value
                    n += there
                    bits |= there << k
            self.out[self.at] = bits
            self.at += 1
            i += 8
        self.end_levels(n, count)

    def take_all(self, numbers: Any, count: int) -> None:
        """Take the numbers of a column of 32 bits that has one in each row."""
        for i in range(count):
            self.values[i] = numbers[i]
        self.at = 0
        self.levels = 0
        self.count = count

    def end_levels(self, n: int, count: int) -> None:
        """Of ``count`` rows ``n`` have a value: if all or none, one run is enough."""
        if n in {0, count}:
            self.at = 0
            self.varint(count << 1)
            self.out[self.at] = n > 0
            self.at += 1
        self.levels = self.at
        self.count = n

    # -- values ---------------------------------------------------------------------------

    def codes(self, width: int) -> None:
        """Write the values as numbers of texts in a dictionary, in so many bits each."""
        self.at = self.levels
        self.out[self.at] = width
        self.at += 1
        if self.count:
            for i in range(self.count, self.count + 8):
                self.values[i] = 0
            self.varint((self.count + 7) >> 3 << 1 | 1)
            self.pack(self.values, 0, (self.count + 7) >> 3 << 3, 0, width)

    def deltas(self) -> None:
        """Write the values as differences between neighbours."""
        self.at = self.levels
        self.varint(BLOCK)
        self.varint(BLOCK // MINIBLOCK)
        self.varint(self.count)
        self.zigzag(self.values[0] if self.count else 0)
        i = 1
        while i < self.count:
            self.block(i, min(BLOCK, self.count - i))
            i += BLOCK

    def block(self, start: int, count: int) -> None:
        """Write the differences of up to 128 values from their neighbours before."""
        least = difference(self.values[start], self.values[start - 1])
        before = self.values[start - 1]
        for k in range(count):
            value = self.values[start + k]
            step = difference(value, before)
            before = value
            self.steps[k] = step
            least = min(step, least)
        for k in range(count, BLOCK):
            self.steps[k] = least
        self.zigzag(least)
        at = self.at
        self.at += BLOCK // MINIBLOCK
        for k in range(BLOCK // MINIBLOCK):
            width = self.width(k * MINIBLOCK, least) if k * MINIBLOCK < count else 0
            self.out[at + k] = width
            if width:
                self.pack(self.steps, k * MINIBLOCK, MINIBLOCK, least, width)

    def width(self, start: int, least: int) -> int:
        """Give how many bits the differences of a miniblock have above the least one."""
        low = least
        bits = 0
        for k in range(start, start + MINIBLOCK):
            above = self.steps[k]
            bits |= above - low
        width = 0
        while bits >> width:
            width += 8
            if width > WIDEST:
                return WHOLE
        while width and not bits >> (width - 1):
            width -= 1
        return width

    def pack(self, numbers: Any, start: int, count: int, least: int, width: int) -> None:
        """Write numbers above the least one in so many bits each; they fill whole bytes."""
        held = 0
        bits = 0
        at = self.at
        low = least
        for k in range(start, start + count):
            above = numbers[k]
            held |= (above - low) << bits
            put_number(self.out, at, held)
            bits += width
            at += bits >> 3
            if bits == WHOLE:
                held = 0
            held >>= bits & 56
            bits &= 7
        self.at = at

    def varint(self, value: int) -> None:
        """Write a number in groups of seven bits, the lowest first."""
        while value > 127:
            self.out[self.at] = value & 127 | 128
            self.at += 1
            value >>= 7
        self.out[self.at] = value
        self.at += 1

    def zigzag(self, value: int) -> None:
        """Write a number that may be negative: 0, -1, 1, -2, ... as 0, 1, 2, 3, ..."""
        code = value
        sign = value >> 63
        self.varint((code << 1) ^ sign)
