# cython: infer_types=True
"""First in, first out: the block that has been clean for longest goes, used or not."""

from __future__ import annotations

from simulator.native.rings import Rings

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there: as in a browser
    from simulator.native.interpreted import cython

if not cython.compiled:
    from simulator.native.codes import B_FLAGS, B_FROW, B_STATE, F_CLEAN, I_CLEAN, S_CLEAN, WRITTEN


def touch(rings: Rings, b: int) -> None:
    """Leave a block where it is, but among the clean blocks of its own file."""
    if rings.block[b + B_STATE] == S_CLEAN and rings.block[b + B_FLAGS] & WRITTEN:
        ring = rings.block[b + B_FROW] + F_CLEAN
        rings.remove_from_file(b, ring)
        rings.append_to_file(b, ring)


def victim(rings: Rings, at: int) -> int:
    """Return the block that has been clean for longest."""
    return rings.inst[at + I_CLEAN]
