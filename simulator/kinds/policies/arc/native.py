# cython: infer_types=True
"""Adaptive replacement (Megiddo, Modha, 2003): blocks used once, and blocks used again.

T1 is the ring of clean blocks used once, T2 of those used again; B1 and B2 are the keys of blocks
that went from them. The target p for the size of T1 grows with admissions from B1, and shrinks
with those from B2.
"""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.policy import Policy
from simulator.native.rings import Rings


class ArcPolicy(Policy):
    """Two rings of clean blocks, and two of keys; see docs/composition.md."""

    def touch(self, rings: Rings, b: int) -> None:
        """Mark a block as used again; a clean one goes to the end of T2."""
        rings.block[b + B_FLAGS] |= USED_AGAIN
        state = rings.block[b + B_STATE]
        if state in (S_CLEAN, S_AGAIN):
            rings.leave(b)
            rings.join(b, S_AGAIN, 0)

    def ring(self, rings: Rings, b: int) -> int:
        """Return the ring that a block joins when it becomes clean."""
        return S_AGAIN if rings.block[b + B_FLAGS] & USED_AGAIN else S_CLEAN

    def recall(self, rings: Rings, at: int, f: int, index: int, slots: int) -> int:
        """Admit a block: where its key was remembered; 0 nowhere, 1 in B1, 2 in B2."""
        b = rings.look(f, index)
        if b < 0:
            return 0
        once, again = rings.inst[at + I_GHOST1S], rings.inst[at + I_GHOST2S]
        target = rings.inst[at + I_TARGET]
        where = 1
        if rings.block[b + B_STATE] == S_GONE1:
            rings.inst[at + I_TARGET] = min(slots, target + max(1, again // once))
            rings.inst[at + I_GHOST1S] -= 1
            rings.remove(b, at + I_GHOST1)
        else:
            where = 2
            rings.inst[at + I_TARGET] = max(0, target - max(1, once // again))
            rings.inst[at + I_GHOST2S] -= 1
            rings.remove(b, at + I_GHOST2)
        rings.forget(b)
        return where

    def victim(self, rings: Rings, at: int, remembered: int) -> int:
        """Return the block that goes for one whose key was in B1 (1), B2 (2), or nowhere (0)."""
        once = rings.inst[at + I_CLEANS] - rings.inst[at + I_AGAINS]
        target = rings.inst[at + I_TARGET]
        again = rings.inst[at + I_AGAIN]
        if once and (once > target or (remembered == 2 and once == target) or again < 0):
            return rings.inst[at + I_CLEAN]
        return again

    def keep(self, rings: Rings, at: int, b: int, state: int, slots: int) -> None:
        """Remember the key of a block that went; forget the oldest one if there are too many."""
        keys = I_GHOST1
        count = I_GHOST1S
        if state == S_AGAIN:
            keys = I_GHOST2
            count = I_GHOST2S
            rings.block[b + B_STATE] = S_GONE2
        else:
            rings.block[b + B_STATE] = S_GONE1
        rings.append(b, at + keys)
        rings.inst[at + count] += 1
        if rings.inst[at + count] > slots:
            oldest = rings.inst[at + keys]
            rings.remove(oldest, at + keys)
            rings.forget(oldest)
            rings.inst[at + count] -= 1
