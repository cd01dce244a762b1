"""Texts of values with variable numbers: ``{read: 1 %, write: 5 %}`` from one end to another.

A text consists of numbers and the text between them. The same method serves a rate, a list, and a
value that differs by direction, of a machine or a workload.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Scale = Literal["log", "linear"]
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")
DIGITS = 4
"""Significant digits of a drawn or fitted number."""
_STEPS = {
    "": 1.0,
    "B": 1.0,
    "KiB": 0.125,
    "MiB": 0.125,
    "GiB": 0.125,
    "kB": 0.001,
    "ns": 1.0,
    "us": 0.001,
}
"""Unit -> step of its numbers."""


@dataclass(frozen=True, slots=True)
class Template:
    """A text split at its numbers: ``between`` has one more item than there are numbers."""

    between: tuple[str, ...]
    numbers: tuple[float, ...]
    steps: tuple[float, ...]
    """Step of each number: 1 for counts, bytes and ns, 1/8 for KiB; 0 for none."""

    def text(self, numbers: Sequence[float]) -> str:
        """Return the text with other numbers, rounded to ``DIGITS`` digits, or to whole steps.

        >>> template("{read: 1 MB/s, write: 2 MB/s}").text([1.23456, 3])
        '{read: 1.235 MB/s, write: 3 MB/s}'
        """
        pieces = [self.between[0]]
        for number, step, after in zip(numbers, self.steps, self.between[1:], strict=True):
            pieces += [_rounded(number, step), after]
        return "".join(pieces)


def template(text: str) -> Template:
    """Split a text.

    >>> template("2.5 ms").numbers, template("4").steps, template("128 KiB").between
    ((2.5,), (1.0,), ('', ' KiB'))
    """
    between = NUMBER.split(text)
    numbers = tuple(float(found) for found in NUMBER.findall(text))
    units = (re.match(r" *([A-Za-z/^2%]*)", after) for after in between[1:])
    steps = tuple(_STEPS.get(unit[1] if unit else "", 0.0) for unit in units)
    return Template(tuple(between), numbers, steps)


def moved(low: Template, high: Template, scale: Scale, part: float) -> str:
    """Return the text at a fraction of the range from one template to another, from 0 to below 1.

    Whole numbers have equal parts of a linear range.

    >>> moved(template("10 us"), template("1000 us"), "log", 0.5)
    '100 us'
    >>> [moved(template("1"), template("3"), "linear", part) for part in (0.0, 0.3, 0.4, 0.9)]
    ['1', '1', '2', '3']
    """
    pairs = zip(low.numbers, high.numbers, low.steps, strict=True)
    return low.text([_between(a, b, scale, part, count=step == 1) for a, b, step in pairs])


def _between(a: float, b: float, scale: Scale, part: float, *, count: bool) -> float:
    if count:
        return float(math.floor(_between(a, b + 1, scale, part, count=False))) if b > a else a
    return a + (b - a) * part if scale == "linear" else a * (b / a) ** part


def _rounded(number: float, step: float) -> str:
    """Return a number in YAML syntax, without an exponent.

    >>> _rounded(12345.6, 0), _rounded(0.000012345, 0), _rounded(0.3, 0.125)
    ('12350', '0.00001234', '0.25')
    """
    number = float(f"{number:.{DIGITS}g}")
    if step:
        number = max(1, round(number / step)) * step
    return f"{number:.12f}".rstrip("0").rstrip(".")
