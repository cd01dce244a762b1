# cython: infer_types=True
"""Least recently used: the clean block that was used longest ago goes."""

from __future__ import annotations

from simulator.native.rings import Rings

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there: as in a browser
    from simulator.native.interpreted import cython

if not cython.compiled:
    from simulator.native.codes import B_STATE, I_CLEAN, S_CLEAN


def touch(rings: Rings, b: int) -> None:
    """Make a clean block the last to go."""
    if rings.block[b + B_STATE] == S_CLEAN:
        rings.leave(b)
        rings.join(b, S_CLEAN, 0)


def victim(rings: Rings, at: int) -> int:
    """Return the block that was used longest ago."""
    return rings.inst[at + I_CLEAN]
