"""Which values of a column are there: a bit for each, as pyarrow keeps them."""

from __future__ import annotations

from simulator.traces.arrays import Buffer, Ints, Longs


def present64(column: Longs, count: int, absent: int, bits: Buffer) -> int:
    """Set a bit for each of ``count`` values that is not ``absent``; gives 1 if all of them are.

    The bits of eight values are a byte, the first value's the lowest.
    """
    missing = 0
    whole = count // 8
    for at in range(whole):
        byte = 0
        for k in range(8):  # always so many, which the compiler unrolls
            byte |= (column[8 * at + k] != absent) << k
        missing |= byte ^ 255
        bits[at] = byte
    if 8 * whole < count:
        byte = 0
        for k in range(count - 8 * whole):
            byte |= (column[8 * whole + k] != absent) << k
        missing |= byte ^ ((1 << (count - 8 * whole)) - 1)
        bits[whole] = byte
    return missing == 0


def present32(column: Ints, count: int, absent: int, bits: Buffer) -> int:
    """As ``present64``, of a column of 32 bits."""
    missing = 0
    whole = count // 8
    for at in range(whole):
        byte = 0
        for k in range(8):  # always so many, which the compiler unrolls
            byte |= (column[8 * at + k] != absent) << k
        missing |= byte ^ 255
        bits[at] = byte
    if 8 * whole < count:
        byte = 0
        for k in range(count - 8 * whole):
            byte |= (column[8 * whole + k] != absent) << k
        missing |= byte ^ ((1 << (count - 8 * whole)) - 1)
        bits[whole] = byte
    return missing == 0
