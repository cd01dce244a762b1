"""Columns of numbers for people: one unit for all of a column, and the decimal points in line.

A number has three digits or more; digits before the point are never rounded away. Bytes in the
unit B are exact, and what is rounded has a prefix: 196,608 B, but 0.197 MB.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from simulator.units import format_rate, format_time
from simulator.wording import about_size

Quantity = Literal["time", "size", "rate"]
Number = float | None


class Scale(NamedTuple):
    """The unit of a column, and what one of it is in base units (ns, B, B/s)."""

    unit: str
    size: float


_TIMES = (Scale("ns", 1.0), Scale("us", 1e3), Scale("ms", 1e6), Scale("s", 1e9))
_SIZES = tuple(Scale(f"{prefix}B", 1000.0**power) for power, prefix in enumerate(("", *"kMGTPE")))
SCALES: dict[Quantity, tuple[Scale, ...]] = {
    "time": _TIMES,
    "size": _SIZES,
    "rate": tuple(Scale(f"{scale.unit}/s", scale.size) for scale in _SIZES),
}
"""Quantity -> its units, the smallest first."""
MOST_EXACT = 100_000
"""Bytes from which on a column has a prefix."""
MOST_PLACES = 6


def scale_of(quantity: Quantity, values: Iterable[Number]) -> Scale:
    """Choose the unit in which the largest of some values is 1 or more.

    >>> scale_of("time", [2_000, 42_838_000, None]).unit, scale_of("time", []).unit
    ('ms', 's')
    >>> scale_of("size", [196_608]).unit, scale_of("size", [8192, 4]).unit
    ('kB', 'B')
    """
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    largest = float(f"{largest:.3g}")  # 999.96 us is 1.00 ms.
    scales = SCALES[quantity]
    if not largest:
        return scales[-1] if quantity == "time" else scales[0]
    if quantity == "size" and largest < MOST_EXACT:
        return scales[0]
    return next((scale for scale in reversed(scales) if largest >= scale.size), scales[0])


def figures(values: Sequence[Number], scale: Scale) -> list[str]:
    """Write the values of a column in its unit, with their decimal points in line.

    >>> figures([42_838_000, 2_000, None, 0], Scale("ms", 1e6))
    ['42.8    ', ' 0.00200', ' -      ', ' 0      ']
    """
    return aligned([figure(value, scale) for value in values])


def figure(value: Number, scale: Scale) -> str:
    """Write one value in a unit, without it.

    >>> figure(2_462_000_000, Scale("ms", 1e6)), figure(33_333, Scale("ms", 1e6))
    ('2,462', '0.0333')
    >>> figure(4096, Scale("B", 1)), figure(1.5, Scale("B", 1)), figure(1000 / 3, Scale("B", 1))
    ('4,096', '1.50', '333.3')
    """
    if value is None:
        return "-"
    if value == int(value) and (scale.size == 1 or not value):
        return f"{int(value):,}"
    return significant(value / scale.size, least=int(scale.size == 1))


def significant(value: float, *, least: int = 0) -> str:
    """Write a number in three digits or more, and with ``least`` places or more.

    >>> [significant(value) for value in (1234.5, 99.96, 9.84, 0.4, 0.02858, 0.0000007)]
    ['1,234', '100', '9.84', '0.400', '0.0286', '0.0000007']
    """
    if not value:
        return "0"
    places = 2 - math.floor(math.log10(abs(float(f"{value:.3g}"))))
    if places > MOST_PLACES:  # Far below its column: one digit.
        return f"{value:.{max(places - 2, MOST_PLACES)}f}"
    return f"{value:,.{max(places, least, 0)}f}"


def aligned(texts: Sequence[str]) -> list[str]:
    """Fill up numbers with blanks, so that their decimal points stand below each other.

    >>> aligned(["1,000", "0.25"])
    ['1,000   ', '    0.25']
    """
    heads = [text.partition(".")[0] for text in texts]
    tails = [text.removeprefix(head) for text, head in zip(texts, heads, strict=True)]
    left, right = (max(map(len, parts), default=0) for parts in (heads, tails))
    return [f"{head:>{left}}{tail:<{right}}" for head, tail in zip(heads, tails, strict=True)]


def shown(value: float | None, digits: int = 3) -> str:
    """Write a number with so many digits, or all of a whole part.

    >>> shown(1996569.0), shown(3.2911), shown(40000, 4), shown(None)
    ('1,996,569', '3.29', '40,000', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def plain(value: float) -> str:
    """Write a figure in the unit of its heading: four digits, or a whole part."""
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e15 else f"{value:.4g}"


NOTHING = "-"


class Cell(str):
    """The text of a quantity, which knows what it is."""

    quantity: Quantity
    value: float


def cell(quantity: Quantity, value: float | None) -> str:
    """Return the cell of a value in base units (ns, B, B/s); a dash for None.

    >>> cell("time", 2_580_000), cell("size", 512_000_000), cell("rate", None)
    ('2.58 ms', '512 MB', '-')
    """
    if value is None:
        return NOTHING
    made = Cell(_alone(quantity, value))
    made.quantity, made.value = quantity, value
    return made


def size_cell(size: int) -> str:
    """Return the cell of a size; a dash for nothing."""
    return cell("size", size or None)


def _alone(quantity: Quantity, value: float) -> str:
    if quantity == "time":
        return format_time(value)
    return about_size(int(value)) if quantity == "size" else format_rate(value).partition(" (")[0]


def in_one_unit(column: Sequence[str]) -> list[str]:
    """Return the cells of a column with all quantities in one unit.

    >>> in_one_unit([cell("time", 7_950_000_000), "-", cell("time", 133_000)])
    ['7,950 ms', '-', '0.133 ms']
    >>> in_one_unit([cell("time", 7_950_000), cell("time", 12_000_000)])
    ['7.95 ms', '12.0 ms']
    """
    cells = [one for one in column if isinstance(one, Cell)]
    if len({one.rpartition(" ")[2] for one in cells if one.value}) < 2:
        return list(column)
    sizes = [abs(one.value) for one in cells if one.value]
    scale = scale_of(cells[0].quantity, [math.sqrt(min(sizes) * max(sizes))])
    return [
        f"{figure(one.value, scale)} {scale.unit}" if isinstance(one, Cell) else one
        for one in column
    ]
