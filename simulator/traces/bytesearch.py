"""What the compiled modules of the reader take from C, for when they run as plain Python.

``bytesearch.pxd`` has the same functions on memchr, memcmp and memcpy.
"""

from __future__ import annotations

import re
from typing import Any
from zlib import crc32

MARK = re.compile(rb'[",<()\[\]{}]')
DIGITS = re.compile(rb"[0-9]*")
SIX_DIGITS = re.compile(rb"[0-9]{6}")
HALF = 1 << 63


def find_byte(data: Any, byte: int, start: int, end: int) -> int:
    """Return the first position of a byte in [start, end), or ``end``."""
    if isinstance(data, (bytes, bytearray)):
        at = data.find(byte, start, end)
        return end if at < 0 else at
    for at in range(start, end):
        if data[at] == byte:
            return at
    return end


def marks_at(data: Any, start: int) -> int:
    """Return a bit for each of the 64 bytes from ``start`` on that is one of " , < or a bracket."""
    return sum(1 << (one.start() - start) for one in MARK.finditer(data, start, start + 64))


def first_bit(bits: int) -> int:
    """Return the number of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1


def digits_end(data: Any, start: int, end: int) -> int:
    """Return where something other than a decimal digit stands in [start, end), or end."""
    found = DIGITS.match(data, start, end)
    assert found is not None
    return found.end()


def digits(data: Any, start: int, end: int) -> int:
    """Return the number whose digits stand in [start, end)."""
    return int(bytes(data[start:end])) if start < end else 0


def six_digits(data: Any, start: int, end: int) -> int:
    """Return the number of the six digits at ``start``, -1 if they are not there."""
    found = SIX_DIGITS.match(data, start, end)
    return int(bytes(found[0])) if found else -1


def hash_bytes(data: Any, start: int, end: int) -> int:
    """Return a number from 0 to 2^63 - 1 that equal bytes share (compiled, it is another one)."""
    return crc32(data[start:end])


def same_bytes(left: Any, start: int, right: Any, other: int, size: int) -> bool:
    """Say whether two stretches of bytes are the same."""
    return bytes(left[start : start + size]) == bytes(right[other : other + size])


def copy_bytes(target: Any, at: int, source: Any, start: int, end: int) -> None:
    """Copy source[start:end] to target[at:]."""
    memoryview(target)[at : at + end - start] = memoryview(source)[start:end]


def move_bytes(data: Any, at: int, start: int, end: int) -> None:
    """Copy data[start:end] to data[at:], which may overlap; ``data`` is a log's own buffer."""
    data[at : at + end - start] = bytes(data[start:end])


def cut_bytes(data: Any, start: int, end: int) -> bytes:
    """Return data[start:end] as an object of its own."""
    return bytes(data[start:end])
