"""Numbers in sentences."""

from __future__ import annotations

from simulator.units import format_size


def counted(number: int, noun: str) -> str:
    """Write a number and what it counts.

    >>> counted(1, "unit"), counted(1200, "unit")
    ('1 unit', '1,200 units')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def percent(part: float, whole: float) -> str:
    """Write a share, in percent with one decimal.

    >>> percent(1, 3), percent(0, 0)
    ('33.3 %', '-')
    """
    return f"{100 * part / whole:.1f} %" if whole else "-"


def about_size(size: int) -> str:
    """Write a size for people, in five digits at most.

    >>> about_size(512_000_000), about_size(512_067_412), about_size(7)
    ('512 MB', '512.07 MB', '7 B')
    """
    digits = max(0, len(str(size)) - 5)
    return format_size(round(size, -digits))
