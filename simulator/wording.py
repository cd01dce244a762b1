"""Formatting of numbers in sentences."""

from __future__ import annotations

import shlex
from fractions import Fraction

from simulator.units import decimal, format_size

DIGITS = 5
"""Digits of a size in a sentence."""


def counted(number: int, noun: str) -> str:
    """Return a number with the noun that it counts.

    >>> counted(1, "unit"), counted(1200, "unit"), counted(2, "process")
    ('1 unit', '1,200 units', '2 processes')
    """
    if number == 1:
        return f"{number:,} {noun}"
    return f"{number:,} {noun}{'es' if noun.endswith('s') else 's'}"


def command_line(*words: object) -> str:
    """Return a command in shell syntax: each word is one argument.

    >>> print(command_line("nwtsim", "check", "a b's $x.yaml"))
    nwtsim check 'a b'"'"'s $x.yaml'
    """
    return shlex.join(map(str, words))


def percent(part: float, whole: float) -> str:
    """Return a share in percent with one decimal.

    >>> percent(1, 3), percent(0, 0)
    ('33.3 %', '-')
    """
    return f"{100 * part / whole:.1f} %" if whole else "-"


def exact_time(time_ns: int) -> str:
    """Return a time in ns exactly, in the largest of s, ms, us and ns that it reaches.

    >>> exact_time(500_000), exact_time(7_250_000_000), exact_time(200_000_000_000)
    ('500 us', '7.25 s', '200 s')
    """
    scales = {"s": 10**9, "ms": 10**6, "us": 10**3}
    unit = next((unit for unit, scale in scales.items() if time_ns >= scale), "ns")
    whole, point, rest = decimal(Fraction(time_ns, scales.get(unit, 1))).partition(".")
    return f"{int(whole):,}{point}{rest} {unit}"


def about_size(size: int) -> str:
    """Return a size for people: exactly in five digits, or rounded to five in a decimal unit.

    >>> about_size(512_000_000), about_size(196_608), about_size(7)
    ('512 MB', '192 KiB', '7 B')
    >>> about_size(512_067_412), about_size(196_610), about_size(1_000_001)
    ('512.07 MB', '196.61 kB', '1.0000 MB')
    """
    exact = format_size(size)
    if sum(letter.isdigit() for letter in exact) <= DIGITS:
        return exact
    value, unit = _scaled(float(f"{size:.{DIGITS}g}"))
    return f"{value:,.{max(0, DIGITS - len(str(int(value))))}f} {unit}"


def brief_size(size: float) -> str:
    """Return a size for people in three digits, in decimal units; bytes below 1000 exactly.

    >>> brief_size(999), brief_size(131_072), brief_size(85_620_536_990), brief_size(999_600)
    ('999 B', '131 kB', '85.6 GB', '1.00 MB')
    >>> brief_size(33.333), brief_size(999.6)
    ('33.3 B', '1.00 kB')
    """
    value, unit = _scaled(float(f"{size:.3g}"))
    if unit == "B":
        return f"{value:.3g} B"
    places = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{places}f} {unit}"


def _scaled(rounded: float) -> tuple[float, str]:
    """Divide a size by the largest decimal unit that it reaches."""
    scales = {"PB": 1e15, "TB": 1e12, "GB": 1e9, "MB": 1e6, "kB": 1e3}
    unit = next((unit for unit, scale in scales.items() if abs(rounded) >= scale), "B")
    return rounded / scales.get(unit, 1.0), unit


def plural(name: str) -> str:
    """Return the plural of a name; empty if it has none.

    >>> plural("disk"), plural("entry"), plural("array"), plural("paths"), plural("j90")
    ('disks', 'entries', 'arrays', '', '')
    """
    if not name[-1:].isalpha() or name.endswith(("s", "x", "z", "ch", "sh")):
        return ""
    if name.endswith("y") and name[-2:-1] not in tuple("aeiou"):
        return f"{name[:-1]}ies"
    return f"{name}s"
