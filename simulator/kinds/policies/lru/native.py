# cython: infer_types=True
"""Least recently used: the clean block that was used longest ago goes."""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.policy import Policy
from simulator.native.rings import Rings


class LruPolicy(Policy):
    """A clean block that is used goes to the end of the ring."""

    def touch(self, rings: Rings, b: int) -> None:
        """Make a clean block the last to go."""
        if rings.block[b + B_STATE] == S_CLEAN:
            ring = rings.frow[rings.block[b + B_FROW] + F_STORE_AT] + I_CLEAN
            rings.remove(b, ring)
            rings.append(b, ring)
