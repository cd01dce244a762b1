"""Quantities as text and numbers: bytes, nanoseconds, and bytes per second.

Inside the simulator a size is an integer number of bytes, a time an integer number of
nanoseconds, a rate a float in bytes per second. Text with a unit exists only in YAML, on the
command line and in reports. The arithmetic between the two is exact: nothing is rounded.

``MB`` is 10**6 bytes and ``MiB`` is 2**20 bytes, always. Refused with a ValueError that states the
fault and the correct form: ``KB``, which papers use for both; bits for bytes; a number without a
unit; a time where a rate belongs; forms that YAML 1.1 interprets otherwise.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from typing import NewType

DECIMAL_UNITS = {f"{p}B": 10 ** (3 * i) for i, p in enumerate(("", "k", "M", "G", "T", "P"))}
BINARY_UNITS = {f"{p}iB": 2 ** (10 * i) for i, p in enumerate(("K", "M", "G", "T", "P"), 1)}


@dataclass(frozen=True, slots=True)
class Dimension:
    """A kind of quantity: its name, an example, and its units with their sizes."""

    noun: str
    example: str
    scales: dict[str, int]


SIZE = Dimension("size", "8 MB", DECIMAL_UNITS | BINARY_UNITS)
TIME = Dimension(
    "time",
    "2.5 ms",
    {
        "ns": 1,
        "us": 10**3,
        "ms": 10**6,
        "s": 10**9,
        "min": 60 * 10**9,
        "h": 3600 * 10**9,
        "d": 24 * 3600 * 10**9,
    },
)
RATE = Dimension("rate", "36 MB/s", {f"{unit}/s": size for unit, size in SIZE.scales.items()})
PERCENT = Dimension("percentage", "60 %", {"%": 1})
SPEED = Dimension(
    "speed",
    "200 Mflop/s",
    {
        f"{p}{one}/s": 10 ** (3 * i)
        for one in ("flop", "op")
        for i, p in enumerate(("", "k", "M", "G"))
    },
)
COUNT = Dimension("whole number", "4", {"": 1})
NUMBER = Dimension("number", "1.5", {"": 1})

LONGEST = 60
"""Maximum characters of a quantity."""

# One way to write a number: no sign, no leading zero, no separators, no bare point.
NUMERAL = r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?"
QUANTITY = re.compile(rf"\s*({NUMERAL})\s*((?![0-9.:,_])\S+|)\s*")

_BITS = re.compile(r"([kKMGTP]i?)?(b|[Bb]its?)(/s|ps)?")
_PER_SECOND = re.compile(r"(.+?)(/s|ps|/sec|/second|p/s)")
_WORDS = {
    word: unit
    for unit, words in {
        "B": "b byte bytes",
        "ns": "nsec nsecs nanosecond nanoseconds",
        "us": "µs usec usecs microsecond microseconds",
        "ms": "msec msecs millisecond milliseconds",
        "s": "sec secs second seconds",
        "min": "mins minute minutes",
        "h": "hr hrs hour hours",
        "d": "day days",
        "%": "percent pct",
    }.items()
    for word in words.split()
}
_NUMBER_FORMS = (
    (re.compile(r"-\s*[0-9.]"), "has a minus sign; write it without"),
    (re.compile(r"[0-9]+(:[0-9]+)+"), "is in base 60 to some readers; write a decimal number"),
    (re.compile(r"[0-9]+([,_][0-9]+)+"), "has separators; write its digits alone"),
    (re.compile(r"0[xob][0-9a-f]", re.IGNORECASE), "is not decimal; write its digits alone"),
    (re.compile(r"0[0-9]"), "starts with a zero, which is octal to some readers; leave it out"),
    (re.compile(r"\+\s*[0-9.]"), "has a plus sign; leave it out"),
    (re.compile(r"\.[0-9]"), "starts with a point; write a 0 before it"),
    (re.compile(r"[0-9]+\.(?![0-9])"), "has no digit after its point; write one, or no point"),
)


def complaint(text: str, wanted: Dimension) -> str:
    """Return in one line why ``text`` is not the quantity wanted, and the correct form.

    >>> print(complaint("5 ms", RATE))
    '5 ms' is a time, not a rate; write it like '36 MB/s'
    >>> print(complaint("1_000 B", SIZE))
    '1_000 B' has separators; write its digits alone, like '8 MB'
    """
    bare = text.strip()
    like = f"write it like {wanted.example!r}"
    if not bare:
        return f"nothing was read; {like}"
    if len(text) > LONGEST:
        reason = f"is too long for a {wanted.noun}; {like}"
    elif not bare.isascii():
        reason = _beyond_ascii(bare) or f"is not a {wanted.noun}; {like}"
    elif form := next((words for form, words in _NUMBER_FORMS if form.match(bare)), None):
        reason = f"{form}, like {wanted.example!r}"
    elif match := QUANTITY.fullmatch(bare):
        reason = _wrong_unit(match[1], match[2], wanted)
    else:
        reason = f"is not a {wanted.noun}; {like}"
    return f"{shown(text)} {reason}"


def shown(text: str, longest: int = LONGEST) -> str:
    """Quote ``text`` on one line, shortened to some ``longest`` characters.

    >>> print(shown("a" * 99, longest=9))
    'aaaaaa...'
    """
    return repr(text if len(text) <= longest else f"{text[: longest - 3]}...")


def decimal(value: Fraction) -> str:
    """Return a fraction whose denominator has only the factors two and five, with all its digits.

    >>> decimal(Fraction(5, 4)), decimal(Fraction(1000))
    ('1.25', '1000')
    """
    places = 0
    while 10**places % value.denominator:
        places += 1
    digits = str(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def _beyond_ascii(text: str) -> str | None:
    """Suggest the ASCII form of full-width characters and of the micro sign."""
    plain = unicodedata.normalize("NFKC", text).replace("\u03bc", "u")
    if not plain.isascii() or not plain[:1].isdigit():
        return None
    return f"is not written in ASCII; write {plain!r}"


def _wrong_unit(number: str, unit: str, wanted: Dimension) -> str:
    """Return the fault of a unit that ``wanted`` does not have."""
    like = f"write it like {wanted.example!r}"
    if not wanted.scales.keys() - {""}:
        return f"is not a {wanted.noun}; {like}"
    if not unit:
        first, *others = wanted.scales
        if wanted.noun == "percentage" and 0 < Fraction(number) < 1:
            number = f"{decimal(Fraction(number) * 100)} %', or '{number}"
        more = f", or it with {', '.join(others[:3])}, ..." if others else ""
        return f"has no unit; write '{number} {first}'{more}"
    for other in (SIZE, TIME, RATE, PERCENT):
        if unit in other.scales:
            return f"is a {other.noun}, not a {wanted.noun}; {like}"
    if unit == "m" and wanted is TIME:
        return f"can be minutes, milliseconds or metres; write '{number} min' or '{number} ms'"
    meant = [one for one in _meant(unit, wanted) if one in wanted.scales]
    if _BITS.fullmatch(unit) and meant and Fraction(number) < 10**9:
        eighth = decimal(Fraction(number) / 8)
        return f"counts bits; write '{eighth} {meant[0]}', or '{number} {meant[0]}' for bytes"
    return _instead(number, meant, wanted)


def _instead(number: str, meant: list[str], wanted: Dimension) -> str:
    """Return the units that are probably meant, or all units."""
    if len(meant) == 2:
        sizes = [f"'{number} {one}' ({wanted.scales[one]} B)" for one in meant]
        return f"is ambiguous; write {' or '.join(sizes)}"
    if meant:
        return f"has an unknown unit; write '{number} {meant[0]}'"
    units = ", ".join(wanted.scales)
    return f"has no {wanted.noun} unit ({units}); write it like {wanted.example!r}"


def _meant(unit: str, wanted: Dimension) -> list[str]:
    """Return the units that are probably meant: two if the text is ambiguous."""
    bits, rate = _BITS.fullmatch(unit), _PER_SECOND.fullmatch(unit)
    per = "/s" if wanted is RATE else ""
    stem = (rate[1] if rate else unit).removesuffix("/")
    if bits:
        return [f"{(bits[1] or '').replace('K', 'k').replace('ki', 'Ki')}B{per}"]
    if stem in {"KB", "K", "k", "M", "m", "G", "T", "P"}:
        prefix = stem[0].upper()
        return [f"{prefix.replace('K', 'k')}B{per}", f"{prefix}iB{per}"]
    for known in wanted.scales:
        if known.removesuffix("/s").lower() == stem.lower():
            return [known]
    return [_WORDS.get(stem.lower(), "") + per]


Bytes = NewType("Bytes", int)
Nanoseconds = NewType("Nanoseconds", int)
BytesPerSecond = NewType("BytesPerSecond", float)

LARGEST = 2**62 - 1
"""Maximum size (bytes), time (ns) and rate (bytes/s): the limits of a run; docs/model.md."""

MOST = 10**6
"""Maximum count."""

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
    """Read a transfer rate such as ``36 MB/s``, in bytes per second; ValueError for other texts.

    >>> parse_rate("421 MB/s")
    421000000.0
    >>> parse_rate("10 Mb/s")
    Traceback (most recent call last):
    ValueError: '10 Mb/s' counts bits; write '1.25 MB/s', or '10 MB/s' for bytes
    """
    return BytesPerSecond(float(_read(text, RATE)))


def parse_speed(text: str) -> float:
    """Read operations per second such as ``200 Mflop/s``; ValueError for other texts.

    >>> parse_speed("200 Mflop/s"), parse_speed("2.5 Mop/s")
    (200000000.0, 2500000.0)
    """
    return float(_read(text, SPEED))


def parse_percent(text: str) -> float:
    """Read a percentage from 0 % to 100 % as a fraction; ValueError outside of that range.

    >>> parse_percent("60 %")
    0.6
    """
    value = _read(text, PERCENT)
    if value > 100:
        raise ValueError(f"{shown(text)} is more than 100 %; write 0 % to 100 %")
    return float(value / 100)


def parse_count(text: str, *, least: int = 1, most: int = MOST) -> int:
    """Read a whole number from ``least`` to ``most``; ValueError for other texts.

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
    """Read a non-negative decimal number without a unit; ValueError for other texts.

    >>> parse_number("2.5")
    2.5
    """
    return float(_read(text, NUMBER))


def format_size(size: int) -> str:
    """Return a size in bytes exactly, in the shortest form; :func:`parse_size` reads it back.

    Of equally short forms, decimal units are preferred, then the larger unit.

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
    """Return a time in ns for people, with three digits; negative for a difference.

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
    """Return a rate in bytes per second in both kinds of megabytes, with three digits.

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
    """Round to three digits, trailing zeros included: ``36.0``, ``1.00``, ``1,230``."""
    rounded = float(f"{value:.3g}")
    size = abs(rounded)
    places = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{rounded:,.{places}f}"


def _whole(text: str, value: Fraction, unit: str) -> int:
    if value.denominator != 1:
        raise ValueError(f"{shown(text)} is not a whole number of {unit}; write one that is")
    return value.numerator


def _read(text: str, wanted: Dimension) -> Fraction:
    """Return ``text`` in the base unit of the dimension, exactly."""
    match = QUANTITY.fullmatch(text) if len(text) <= LONGEST else None
    if match is None or match[2] not in wanted.scales:
        raise ValueError(complaint(text, wanted))
    value = Fraction(match[1]) * wanted.scales[match[2]]
    if value > LARGEST:
        raise ValueError(f"{shown(text)} is too large; write a {wanted.noun} below 2**62")
    return value
