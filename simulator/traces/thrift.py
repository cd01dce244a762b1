"""Thrift's compact protocol, as far as the metadata of Parquet need it: writing only.

A structure is a list of fields in the order of their numbers: ``(number, kind, value)``, where a
value of None is left out. The specification is
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

BOOL, INT32, INT64, TEXT, LIST, STRUCT = 1, 5, 6, 8, 9, 12
"""Kinds of a field."""


def varint(value: int) -> bytes:
    r"""Write a number in groups of seven bits.

    >>> varint(300)
    b'\xac\x02'
    """
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(value: int) -> bytes:
    r"""Write a number that may be negative.

    >>> number(-3)
    b'\x05'
    """
    return varint((value << 1) ^ (value >> 63))


def text(value: str) -> bytes:
    """Write a text."""
    coded = value.encode()
    return varint(len(coded)) + coded


def listed(kind: int, values: Iterable[bytes]) -> bytes:
    """Write a list of what has been written already."""
    values = list(values)
    if len(values) < 15:
        head = bytes([len(values) << 4 | kind])
    else:
        head = bytes([15 << 4 | kind]) + varint(len(values))
    return head + b"".join(values)


def struct(*fields: tuple[int, int, Any]) -> bytes:
    r"""Write a structure; the values of lists and structures are written already.

    >>> struct((1, INT32, 2), (3, TEXT, "ab"), (4, BOOL, False))
    b'\x15\x04(\x02ab\x12\x00'
    """
    out = bytearray()
    last = 0
    for field, kind, value in fields:
        if value is None:
            continue
        written = kind + (kind == BOOL and not value)  # true and false are kinds of their own
        out.append((field - last) << 4 | written)
        last = field
        if kind in {INT32, INT64}:
            out += number(value)
        elif kind == TEXT:
            out += text(value)
        elif kind != BOOL:
            out += value
    out.append(0)
    return bytes(out)
