"""Axes of a sweep: ``PATH=SPEC``, read as the values that one setting takes.

SPEC is a list, ``600 kB, 8 MB``, with a range for any of its items: ``64 kB..32 MB x2`` multiplies
(also ``*2``) and ``1..8 +1`` or ``1 MB..8 MB +1 MB`` adds, until the end is passed; it is included
if it is hit. Spaces may be left out. Commas inside of brackets do not count. The arithmetic is
exact.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from simulator.config.range import quantity
from simulator.errors import InputError
from simulator.units import (
    LONGEST,
    NUMBER,
    PERCENT,
    RATE,
    SIZE,
    TIME,
    Dimension,
    complaint,
    decimal,
    shown,
)

MOST_VALUES = 100_000
"""Values that one setting may take."""
_LONGEST_RANGE = 4 * LONGEST

LARGE_RATIO = 50
"""A value that varies over more than this has a logarithmic axis."""

_DIMENSIONS = (SIZE, TIME, RATE, PERCENT, NUMBER)
_COLUMNS = {"size": "bytes", "time": "ns", "rate": "Bps", "percentage": "percent"}
_WHOLE = (SIZE, TIME)
# The step begins at the last x, * or + that a number follows; not at that of 1e+6.
_RANGE = re.compile(
    r"(?P<first>.+?)\s*\.\.\s*(?P<last>.+?)(?<![0-9][eE])\s*(?P<way>[xX*\u00d7+])\s*(?P<step>[^\sxX*+].*)"
)
_Quantity = tuple[Fraction, Dimension]
_LIKE = "write it like '64 kB..32 MB x2' or '1..8 +1'"


class VaryError(InputError):
    """A ``--vary`` that cannot be read."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One setting that a sweep varies."""

    name: str
    """What the user calls it: a short name, or a path."""
    path: str
    texts: tuple[str, ...]
    """Its values, as for ``--set``."""
    numbers: tuple[int | float, ...] | None
    """Its values as numbers in the base unit, if all are quantities of one kind."""
    unit: str
    """What the name of a column of these numbers ends in: bytes, ns, Bps, percent; or nothing."""

    @property
    def column(self) -> str:
        """The name of the column of numbers; empty if there is none beside the values."""
        return f"{self.name}_{self.unit}" if self.unit else ""


def read_axis(name: str, path: str, spec: str) -> Axis:
    """Read the values of ``--vary NAME=SPEC``; VaryError if they cannot be read.

    >>> read_axis("ssu.block", "machine.stores.ssu.block", "2 MB..8 MB x2, 10 MB").texts
    ('2 MB', '4 MB', '8 MB', '10 MB')
    """
    texts: list[str] = []
    read: list[_Quantity | None] = []
    for item in _items(spec):
        if not item:
            raise VaryError(f"--vary {name}={spec}: a value is empty; write one between commas")
        try:
            if ".." in item and "[" not in item:
                some, values = _range(item)
                texts += some
                read += values
            else:
                texts.append(item)
                read.append(quantity(item, _DIMENSIONS))
            _check_many(len(texts), "this")
        except ValueError as error:
            raise VaryError(f"--vary {name}={spec}: {error}") from error
    if twice := [text for text, count in Counter(texts).items() if count > 1]:
        raise VaryError(f"--vary {name}={spec}: {shown(twice[0])} is there twice; write it once")
    kinds = {dimension.noun for _, dimension in filter(None, read)}
    if None in read or len(kinds) != 1:
        return Axis(name, path, tuple(texts), None, "")
    numbers = tuple(_number(one[0]) for one in read if one is not None)
    return Axis(name, path, tuple(texts), numbers, _COLUMNS.get(kinds.pop(), ""))


def _items(spec: str) -> list[str]:
    """Split at the commas that are not inside of brackets."""
    cuts, depth = [-1], 0
    for place, character in enumerate(spec):
        depth += (character in "[{(") - (character in "]})")
        if character == "," and depth <= 0:
            cuts.append(place)
    cuts.append(len(spec))
    return [spec[before + 1 : cut].strip() for before, cut in itertools.pairwise(cuts)]


def _range(text: str) -> tuple[list[str], list[_Quantity]]:
    """Return the values of a range, each in its shortest spelling, and as quantities."""
    match = _RANGE.fullmatch(text) if len(text) <= _LONGEST_RANGE else None
    if match is None:
        begin, _, end = text.partition("..")
        lacks = "has no step" if begin and end else "is no range"
        raise ValueError(f"{shown(text)} {lacks}; {_LIKE}")
    first, dimension = _quantity(match["first"])
    last, _ = _quantity(match["last"], dimension)
    if last < first:
        raise ValueError(f"{shown(text)} ends before it begins; {_LIKE}")
    texts: list[str] = []
    read: list[_Quantity] = []
    for value in _values(match, first, last, dimension):
        read.append((value, dimension))
        texts.append(_spelt(value, dimension))
        if len(texts[-1]) > LONGEST:  # The digits of exact products grow with each step.
            raise ValueError(f"{shown(text)} has a value of more than {LONGEST} digits; {_LIKE}")
    return texts, read


def _check_many(count: float, what: str) -> None:
    if count > MOST_VALUES:
        many = f"{count:,}" if isinstance(count, int) else f"about {count:.3g}"
        raise ValueError(f"{what} has {many} values; write at most {MOST_VALUES:,}")


def _log(value: Fraction) -> float:
    """Return the natural logarithm, also of what no float holds, or that is nearly 1."""
    if 1 < value < 2:
        return math.log1p(value - 1)
    return math.log(value.numerator) - math.log(value.denominator)


def _values(
    match: re.Match[str], first: Fraction, last: Fraction, dimension: Dimension
) -> Iterator[Fraction]:
    multiplied = match["way"] != "+"
    step, _ = _quantity(match["step"], NUMBER if multiplied else dimension)
    if multiplied and (step <= 1 or not first):
        raise ValueError(f"{shown(match[0])} never ends; multiply more than 0 by more than 1")
    if not step:
        raise ValueError(f"{shown(match[0])} never ends; add more than 0")
    if multiplied:
        many, each = _log(last / first), _log(step)
        count: float = many / each if each else math.inf if many else 1
        if count > MOST_VALUES:
            _check_many(count, shown(match[0]))
    else:
        _check_many((last - first) // step + 1, shown(match[0]))
    value = first
    while value <= last:
        yield value
        value = value * step if multiplied else value + step


def _quantity(text: str, wanted: Dimension | None = None) -> tuple[Fraction, Dimension]:
    """Read an end or a step of a range; the first end may be of any kind."""
    read = quantity(text, _DIMENSIONS)
    if read is None or wanted not in (None, read[1]):
        raise ValueError(complaint(text, wanted or SIZE))
    return read


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


def _spelt(value: Fraction, dimension: Dimension) -> str:
    """Write a quantity exactly, as short as it goes."""
    if dimension in _WHOLE and value.denominator != 1:
        unit = next(iter(dimension.scales))
        raise ValueError(f"the range has {float(value):g} {unit} in it, which is no whole number")
    scales = dimension.scales.items()
    ratios = {unit: value / scale for unit, scale in scales if scale == 1 or scale <= value}
    texts = (f"{decimal(one)} {unit}".rstrip() for unit, one in ratios.items() if _ends(one))
    return min(texts, key=len)


def _ends(ratio: Fraction) -> bool:
    """Return whether the decimals of a fraction come to an end.

    >>> _ends(Fraction(5, 4)), _ends(Fraction(1, 3))
    (True, False)
    """
    rest = ratio.denominator
    return bool(10 ** rest.bit_length() % rest == 0)


def is_geometric(numbers: Sequence[float]) -> bool:
    """Return whether values are better spread by their logarithms.

    >>> is_geometric([1, 2, 4, 8]), is_geometric([1, 2, 3]), is_geometric([0, 1, 100])
    (True, False, False)
    """
    if len(numbers) < 3 or min(numbers) <= 0:
        return False
    if max(numbers) / min(numbers) > LARGE_RATIO:
        return True
    ordered = sorted(numbers)
    ratios = [high / low for low, high in itertools.pairwise(ordered)]
    return max(ratios) < 1.01 * min(ratios)
