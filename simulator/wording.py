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


def brief_size(size: float) -> str:
    """Write a size for people in three digits, in decimal units; bytes below 1000 exactly.

    >>> brief_size(999), brief_size(131_072), brief_size(85_620_536_990), brief_size(999_600)
    ('999 B', '131 kB', '85.6 GB', '1.00 MB')
    """
    if abs(size) < 1000:
        return f"{size:.3g} B"
    rounded = float(f"{size:.3g}")
    scales = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15}
    unit = next((unit for unit, scale in scales.items() if rounded < 1000 * scale), "PB")
    value = rounded / scales[unit]
    places = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{places}f} {unit}"
