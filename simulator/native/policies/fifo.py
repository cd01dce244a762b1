# cython: infer_types=True
"""First in, first out: the block that has been clean for longest goes, used or not."""

from __future__ import annotations

from simulator.native.rings import Rings

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there: as in a browser
    from simulator.native.interpreted import cython

if not cython.compiled:
    from simulator.native.codes import I_CLEAN


def touch(rings: Rings, b: int) -> None:
    """Leave the block where it is."""


def victim(rings: Rings, at: int) -> int:
    """Return the block that has been clean for longest."""
    return rings.inst[at + I_CLEAN]
