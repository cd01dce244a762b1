# cython: infer_types=True
"""Linux's two lists: clean blocks used once are in the first ring, those used again in the second.

The first ring of keys has the blocks that went, each with the age at which it did.
"""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.policy import Policy
from simulator.native.rings import Rings


class ActiveInactivePolicy(Policy):
    """``I_GHOST2S`` is the age: how many blocks have gone or become active."""

    def touch(self, rings: Rings, b: int) -> None:
        """Have a block be active from its second read on."""
        if rings.block[b + B_FLAGS] & USED_AGAIN:
            return
        at = rings.frow[rings.block[b + B_FROW] + F_STORE_AT]
        rings.block[b + B_FLAGS] |= USED_AGAIN
        rings.inst[at + I_GHOST2S] += 1
        if rings.block[b + B_STATE] == S_CLEAN:
            rings.remove(b, at + I_CLEAN)
            rings.append(b, at + I_AGAIN)
            rings.block[b + B_STATE] = S_AGAIN
            rings.inst[at + I_AGAINS] += 1

    def go_on(self, rings: Rings, b: int) -> None:
        """Count no use."""

    def ring(self, rings: Rings, b: int) -> int:
        """Return the ring that a block joins: the active one if it was used again."""
        return S_AGAIN if rings.block[b + B_FLAGS] & USED_AGAIN else S_CLEAN

    def recall(self, rings: Rings, at: int, f: int, index: int, slots: int) -> int:
        """Return 1 if a block went so lately that it is to be active; forget when it went."""
        b = rings.look(f, index)
        if b < 0:
            return 0
        late = rings.inst[at + I_GHOST2S] - rings.written[b + B_SUM] <= rings.inst[at + I_AGAINS]
        rings.inst[at + I_GHOST2S] += late
        rings.inst[at + I_GHOST1S] -= 1
        rings.remove(b, at + I_GHOST1)
        rings.written[b + B_SUM] = 0
        rings.forget(b)
        return late

    def victim(self, rings: Rings, at: int, remembered: int) -> int:
        """Return the first inactive block; active ones become inactive while those are too few.

        For a block that comes back the first active one makes way too.

        Too few: active / inactive > isqrt(10 G), at least 1, which is (as both sides are whole)
        ceil(active / inactive) ** 2 > 10 G, of G GiB.
        """
        block = rings.store[rings.inst[at + I_STORE] + M_BLOCK]
        gigabytes = rings.inst[at + I_CLEANS] * block >> 30
        most = max(1, 10 * gigabytes)
        coming = remembered
        if rings.inst[at + I_AGAIN] < 0:
            coming = 0
        while True:
            active = rings.inst[at + I_AGAINS]
            inactive = rings.inst[at + I_CLEANS] - active
            if inactive and not coming:
                quotient = (active + inactive - 1) // inactive
                if quotient * quotient <= most:
                    return rings.inst[at + I_CLEAN]
            coming = 0
            b = rings.inst[at + I_AGAIN]
            rings.remove(b, at + I_AGAIN)
            rings.append(b, at + I_CLEAN)
            rings.block[b + B_STATE] = S_CLEAN
            rings.block[b + B_FLAGS] &= ~USED_AGAIN
            rings.inst[at + I_AGAINS] -= 1

    def keep(self, rings: Rings, at: int, b: int, state: int, slots: int) -> None:
        """Remember when a block went, of as many as there are slots."""
        rings.inst[at + I_GHOST2S] += 1
        rings.block[b + B_STATE] = S_GONE1
        rings.block[b + B_FLAGS] = 0
        rings.written[b + B_SUM] = rings.inst[at + I_GHOST2S]
        rings.append(b, at + I_GHOST1)
        rings.inst[at + I_GHOST1S] += 1
        if rings.inst[at + I_GHOST1S] > slots:
            oldest = rings.inst[at + I_GHOST1]
            rings.remove(oldest, at + I_GHOST1)
            rings.written[oldest + B_SUM] = 0
            rings.forget(oldest)
            rings.inst[at + I_GHOST1S] -= 1
