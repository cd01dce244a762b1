"""The units a text may have, and what to say of a text that is not a quantity.

Only :mod:`simulator.units` needs this. Nothing here reads a number; it names mistakes: bits for
bytes, ``KB`` for ``kB`` or ``KiB``, a time where a rate belongs, full-width digits, and the
number forms that YAML 1.1 reads its own way (octal, base 60, underscores).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

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
    {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9},
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
"""A quantity in more characters than this is no quantity."""

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
    """Say in one line why ``text`` is not the quantity wanted, and what to write.

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
    """Write a fraction whose denominator has only twos and fives, with all its digits.

    >>> decimal(Fraction(5, 4)), decimal(Fraction(1000))
    ('1.25', '1000')
    """
    places = 0
    while 10**places % value.denominator:
        places += 1
    digits = str(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def _beyond_ascii(text: str) -> str | None:
    """Offer the ASCII form of full-width characters and of the micro sign."""
    plain = unicodedata.normalize("NFKC", text).replace("\u03bc", "u")
    if not plain.isascii() or not plain[:1].isdigit():
        return None
    return f"is not written in ASCII; write {plain!r}"


def _wrong_unit(number: str, unit: str, wanted: Dimension) -> str:
    """Say what is wrong with a unit that ``wanted`` does not have."""
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
    """Say which units are probably meant, or which there are."""
    if len(meant) == 2:
        sizes = [f"'{number} {one}' ({wanted.scales[one]} B)" for one in meant]
        return f"is ambiguous; write {' or '.join(sizes)}"
    if meant:
        return f"has an unknown unit; write '{number} {meant[0]}'"
    units = ", ".join(wanted.scales)
    return f"has no {wanted.noun} unit ({units}); write it like {wanted.example!r}"


def _meant(unit: str, wanted: Dimension) -> list[str]:
    """Return the units that were probably meant: two if the text leaves open which."""
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
