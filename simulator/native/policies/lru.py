# cython: infer_types=True
"""Least recently used: the clean block that was used longest ago goes."""

from __future__ import annotations

from simulator.native.policy import Policy
from simulator.native.rings import Rings

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there: as in a browser
    from simulator.native.interpreted import cython

if not cython.compiled:
    from simulator.native.codes import B_FROW, B_STATE, F_STORE_AT, I_CLEAN, S_CLEAN


class Lru(Policy):
    """A clean block that is used goes to the end of the ring."""

    def touch(self, rings: Rings, b: int) -> None:
        """Make a clean block the last to go."""
        if rings.block[b + B_STATE] == S_CLEAN:
            ring = rings.frow[rings.block[b + B_FROW] + F_STORE_AT] + I_CLEAN
            rings.remove(b, ring)
            rings.append(b, ring)
