# cython: infer_types=True
"""2Q (Johnson, Shasha, 1994): A1in is the ring of clean blocks, Am the one of those used again.

A1out is the first ring of keys of blocks that went.
"""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.policy import Policy
from simulator.native.rings import Rings


class TwoQueuePolicy(Policy):
    """A queue of blocks used once, and a list of those that came back."""

    def touch(self, rings: Rings, b: int) -> None:
        """Put a clean block of the list last."""
        if rings.block[b + B_STATE] == S_AGAIN:
            rings.leave(b)
            rings.join(b, S_AGAIN, 0)

    def ring(self, rings: Rings, b: int) -> int:
        """Return the ring that a block joins: the list if it has come back."""
        return S_AGAIN if rings.block[b + B_FLAGS] & USED_AGAIN else S_CLEAN

    def recall(self, rings: Rings, at: int, f: int, index: int, slots: int) -> int:
        """Note how long the queue may be; return 1 if the block went from it not long ago."""
        rings.inst[at + I_TARGET] = slots // 4
        b = rings.look(f, index)
        if b < 0:
            return 0
        rings.inst[at + I_GHOST1S] -= 1
        rings.remove(b, at + I_GHOST1)
        rings.forget(b)
        return 1

    def victim(self, rings: Rings, at: int, remembered: int) -> int:
        """Return the first of the queue if that is too long, else of the list."""
        once = rings.inst[at + I_CLEANS] - rings.inst[at + I_AGAINS]
        if once > rings.inst[at + I_TARGET] or rings.inst[at + I_AGAIN] < 0:
            return rings.inst[at + I_CLEAN]
        return rings.inst[at + I_AGAIN]

    def keep(self, rings: Rings, at: int, b: int, state: int, slots: int) -> None:
        """Remember the key of a block of the queue, of so many as half of the slots."""
        if state == S_AGAIN:
            rings.forget(b)
            return
        rings.block[b + B_STATE] = S_GONE1
        rings.append(b, at + I_GHOST1)
        rings.inst[at + I_GHOST1S] += 1
        if rings.inst[at + I_GHOST1S] > max(1, slots // 2):
            oldest = rings.inst[at + I_GHOST1]
            rings.remove(oldest, at + I_GHOST1)
            rings.forget(oldest)
            rings.inst[at + I_GHOST1S] -= 1
