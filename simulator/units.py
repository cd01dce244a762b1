"""Quantities at the border: text in, whole bytes, whole nanoseconds and bytes per second out.

Inside the simulator a size is an integer number of bytes, a time an integer number of
nanoseconds, a rate a float in bytes per second. Text with a unit exists only in YAML, on the
command line and in reports. The arithmetic between the two is exact: nothing is rounded.

``MB`` is 10**6 bytes and ``MiB`` is 2**20 bytes, always. ``KB`` is refused, since papers use it
for both; so are bits, and numbers without a unit. Each refusal is a ValueError that says what to
write instead.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NewType

from simulator.unit_names import (
    BINARY_UNITS,
    COUNT,
    DECIMAL_UNITS,
    LONGEST,
    NUMBER,
    PERCENT,
    QUANTITY,
    RATE,
    SIZE,
    SPEED,
    TIME,
    Dimension,
    complaint,
    decimal,
    shown,
)

Bytes = NewType("Bytes", int)
Nanoseconds = NewType("Nanoseconds", int)
BytesPerSecond = NewType("BytesPerSecond", float)

LARGEST = 2**62 - 1
"""The largest size (bytes), time (ns) and rate (bytes/s): how far a run may go; docs/model.md."""

MOST = 10**6
"""The largest count."""

_WHOLE = re.compile(r"\s*(0|[1-9][0-9]{0,19})\s*")


def parse_size(text: str) -> Bytes:
    """Read a size such as ``8 MiB``, in bytes; ValueError unless it is a whole number of them.

    >>> parse_size("600 kB"), parse_size("600 KiB"), parse_size("1.5 GB")
    (600000, 614400, 1500000000)
    >>> parse_size("600 KB")
    Traceback (most recent call last):
    ValueError: '600 KB' is ambiguous; write '600 kB' (1000 B) or '600 KiB' (1024 B)
    """
    return Bytes(_whole(text, _read(text, SIZE), "bytes"))


def parse_time(text: str) -> Nanoseconds:
    """Read a duration such as ``2.58 ms``, in ns; ValueError unless it is a whole number of them.

    >>> parse_time("2.58 ms"), parse_time("1 h")
    (2580000, 3600000000000)
    >>> parse_time("8 m")
    Traceback (most recent call last):
    ValueError: '8 m' can be minutes, milliseconds or metres; write '8 min' or '8 ms'
    """
    return Nanoseconds(_whole(text, _read(text, TIME), "nanoseconds"))


def parse_rate(text: str) -> BytesPerSecond:
    """Read a transfer rate such as ``36 MB/s``, in bytes per second; ValueError if it is none.

    >>> parse_rate("421 MB/s")
    421000000.0
    >>> parse_rate("10 Mb/s")
    Traceback (most recent call last):
    ValueError: '10 Mb/s' counts bits; write '1.25 MB/s', or '10 MB/s' for bytes
    """
    return BytesPerSecond(float(_read(text, RATE)))


def parse_speed(text: str) -> float:
    """Read operations per second such as ``200 Mflop/s``; ValueError if it is no such thing.

    >>> parse_speed("200 Mflop/s"), parse_speed("2.5 Mop/s")
    (200000000.0, 2500000.0)
    """
    return float(_read(text, SPEED))


def parse_percent(text: str) -> float:
    """Read a percentage from 0 % to 100 % as a fraction; ValueError outside of that.

    >>> parse_percent("60 %")
    0.6
    """
    value = _read(text, PERCENT)
    if value > 100:
        raise ValueError(f"{shown(text)} is more than 100 %; write 0 % to 100 %")
    return float(value / 100)


def parse_count(text: str, *, least: int = 1, most: int = MOST) -> int:
    """Read a whole number from ``least`` to ``most``; ValueError if it is none.

    >>> parse_count("20")
    20
    >>> parse_count("1e3")
    Traceback (most recent call last):
    ValueError: '1e3' is not a whole number; write it like '4'
    """
    match = _WHOLE.fullmatch(text)
    if match is None:
        if text.strip().isdecimal() and text.isascii() and text.strip()[0] != "0":
            raise ValueError(f"{shown(text)} is out of range; write {least} to {most}")
        raise ValueError(complaint(text, COUNT))
    if not least <= int(match[1]) <= most:
        raise ValueError(f"{shown(text)} is out of range; write {least} to {most}")
    return int(match[1])


def parse_number(text: str) -> float:
    """Read a plain decimal number without a unit, not negative; ValueError if it is none.

    >>> parse_number("2.5")
    2.5
    """
    return float(_read(text, NUMBER))


def format_size(size: int) -> str:
    """Write a size in bytes exactly, as short as it goes; :func:`parse_size` reads it back.

    Of two that are equally short it is the decimal one, and the one in the larger unit.

    >>> format_size(600_000), format_size(8 * 2**20), format_size(1234567), format_size(0)
    ('600 kB', '8 MiB', '1234567 B', '0 B')
    >>> format_size(512_070_000)
    '512.07 MB'
    """
    texts = [
        (f"{decimal(Fraction(size, scale))} {unit}", unit in BINARY_UNITS, -scale)
        for unit, scale in SIZE.scales.items()
        if scale == 1 or scale <= abs(size)
    ]
    return min(texts, key=lambda text: (len(text[0]), *text[1:]))[0]


def format_time(time: float) -> str:
    """Write a time given in ns for people, in three digits; negative for a difference.

    >>> format_time(2_580_000), format_time(33_512_345_678), format_time(7), format_time(0)
    ('2.58 ms', '33.5 s', '7 ns', '0 s')
    >>> format_time(999_960), format_time(600 * 10**9), format_time(7200 * 10**9)
    ('1.00 ms', '600 s', '120 min')
    """
    if time == 0:
        return "0 s"
    size = abs(float(f"{time:.3g}"))  # Before the unit is chosen: 999.96 us is 1.00 ms.
    if size < 1e3:
        return f"{time:.3g} ns"
    below = (("us", 1e6), ("ms", 1e9), ("s", 1e12), ("min", 6e14))
    unit = next((unit for unit, limit in below if size < limit), "h")
    return f"{_three_digits(time / TIME.scales[unit])} {unit}"


def format_rate(rate: float) -> str:
    """Write a rate given in bytes per second in both kinds of megabytes, in three digits.

    >>> format_rate(36e6)
    '36.0 MB/s (34.3 MiB/s)'
    >>> format_rate(250), format_rate(0)
    ('250 B/s', '0 B/s')
    """
    size = float(f"{rate:.3g}")
    prefix = next((p for p in "PTGMk" if size >= DECIMAL_UNITS[f"{p}B"]), None)
    if prefix is None:
        return f"{size:.3g} B/s"
    decimal_unit, binary_unit = f"{prefix}B", f"{prefix.upper()}iB"
    in_decimal = _three_digits(rate / DECIMAL_UNITS[decimal_unit])
    in_binary = _three_digits(rate / BINARY_UNITS[binary_unit])
    return f"{in_decimal} {decimal_unit}/s ({in_binary} {binary_unit}/s)"


def _three_digits(value: float) -> str:
    """Round to three digits and keep their zeros: ``36.0``, ``1.00``, ``1,230``."""
    rounded = float(f"{value:.3g}")
    size = abs(rounded)
    places = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{rounded:,.{places}f}"


def _whole(text: str, value: Fraction, unit: str) -> int:
    if value.denominator != 1:
        raise ValueError(f"{shown(text)} is not a whole number of {unit}; write one that is")
    return value.numerator


def _read(text: str, wanted: Dimension) -> Fraction:
    """Read ``text`` in the base unit of the dimension, exactly."""
    match = QUANTITY.fullmatch(text) if len(text) <= LONGEST else None
    if match is None or match[2] not in wanted.scales:
        raise ValueError(complaint(text, wanted))
    value = Fraction(match[1]) * wanted.scales[match[2]]
    if value > LARGEST:
        raise ValueError(f"{shown(text)} is too large; write a {wanted.noun} below 2**62")
    return value
