"""Counter-based random numbers: the same 64 bits for a key and number, in every engine.

The kernel has the same in C++ (native/mixing.hpp).
"""

from __future__ import annotations

TABLE_BITS = 12
"""Tables of equally likely values have 2**TABLE_BITS entries."""

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB
_SHIFT = 64 - TABLE_BITS


def mix(key: int, number: int) -> int:
    """Return 64 well-mixed bits of a key and a count (SplitMix64; Steele, Lea, Flood, 2014).

    >>> hex(mix(0, 1))
    '0xe220a8397b1dcdaf'
    """
    z = (key + number * _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * _FIRST) & _MASK
    z = ((z ^ (z >> 27)) * _SECOND) & _MASK
    return z ^ (z >> 31)


def pick(key: int, number: int) -> int:
    """Return the index of the drawn entry among the 2**TABLE_BITS of a table.

    >>> [pick(0, number) for number in range(1, 4)]
    [3618, 1767, 108]
    """
    return mix(key, number) >> _SHIFT
