# cython: infer_types=True
"""Products of more than 64 bits, which Python's integers have anyway and C has not.

What is computed is a time in ns or a size in bytes, and either stays below ``BEYOND``: two of them
can be added. A product is exact, or ``BEYOND``, for any factors from 0 to 2**62.
"""

from __future__ import annotations

BEYOND = 1 << 62
"""One more than the most nanoseconds, or bytes, of a run; see docs/model.md."""

FEW = 31
"""Bits of factors whose product has less than 63,"""
FEW_BITS = (1 << FEW) - 1
"""and the most such a factor can be."""
ONE_BITS = 20
"""Bits behind the point of a factor of noise."""
MASK = (1 << 64) - 1
HALF = (1 << 32) - 1


def times(one: int, other: int) -> int:
    """Two factors, multiplied."""
    if (one | other) >> FEW == 0:
        return one * other
    if one and other > (BEYOND - 1) // one:
        return BEYOND
    return one * other


def stretched(service: int, factor: int) -> int:
    """A service time by a factor with ``ONE_BITS`` behind the point, rounded down."""
    if (service | factor) >> FEW == 0:
        return (service * factor) >> ONE_BITS
    return divided(service, factor, 1 << ONE_BITS)


def divided(one: int, other: int, by: int) -> int:
    """Two factors, multiplied, and divided by a number from 1 on; rounded down."""
    if (one | other) >> FEW == 0:
        return one * other // by
    if (other | by) >> FEW == 0:
        whole = times(one // by, other) + one % by * other // by
        if whole >= BEYOND:
            return BEYOND
        return whole
    return long_divided(one, other, by)


def long_divided(one: int, other: int, by: int) -> int:
    """As ``divided``, for factors of which one has many bits: by hand, a bit at a time."""
    low = (one & HALF) * (other & HALF)
    middle = (one >> 32) * (other & HALF) + (low >> 32)
    carried = (one & HALF) * (other >> 32) + (middle & HALF)
    rest = (one >> 32) * (other >> 32) + (middle >> 32) + (carried >> 32)
    low = ((carried << 32) & MASK) | (low & HALF)
    if rest >= by:
        return BEYOND
    for _ in range(64):
        rest = (rest << 1) | (low >> 63)
        low = (low << 1) & MASK
        if rest >= by:
            rest -= by
            low |= 1
    if low >= BEYOND:
        return BEYOND
    return low


def rest_of(one: int, other: int, by: int, whole: int) -> int:
    """What is left of a product, divided to ``whole``."""
    return (one * other - by * whole) & MASK
