# cython: infer_types=True
"""What a replacement policy is: which clean block goes when room is needed. It has no clock.

The clean blocks of an instance are in its ring ``I_CLEAN``, those that came first in front; a
policy may keep some in a second one (state ``S_AGAIN``).
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator.native.codes import *
from simulator.native.rings import Rings


class Policy:
    """A policy for all instances of all stores that have it; as it stands, first in, first out.

    ``at`` is an instance, ``b`` a block, ``f`` a file of the instance.
    """

    def touch(self, rings: Rings, b: int) -> None:
        """Note that a block that is there is used, clean or not."""

    def go_on(self, rings: Rings, b: int) -> None:
        """Note a use that is none of its own.

        It is a write, the first of a block that was written or read ahead, or one that goes on in
        order in the block where its process's last one ended.
        """
        self.touch(rings, b)

    def ring(self, rings: Rings, b: int) -> int:
        """Return the ring that a block joins at its end now that it is clean: its state."""
        return S_CLEAN

    def recall(self, rings: Rings, at: int, f: int, index: int, slots: int) -> int:
        """Note that a block is admitted; return 1 or 2 if it was remembered (``keep``), else 0."""
        return 0

    def victim(self, rings: Rings, at: int, remembered: int) -> int:
        """Return the clean block that goes now for one that is admitted; there is one.

        ``remembered`` is what ``recall`` has returned for the block that comes.
        """
        return rings.inst[at + I_CLEAN]

    def keep(self, rings: Rings, at: int, b: int, state: int, slots: int) -> None:
        """Forget a clean block that has gone, or remember its key; ``state`` was its ring."""
        rings.forget(b)


class Policies:
    """The policies of a machine, by number: the first, and the others behind it.

    A chain, since a list cannot be used without Python's lock.
    """

    def __init__(self, policies: Sequence[Policy]) -> None:
        """``policies``: one or more."""
        self.policy = policies[0]
        self.others = Policies(policies[1:]) if len(policies) > 1 else self

    def touch(self, number: int, rings: Rings, b: int) -> None:
        """Do as ``Policy.touch`` of a policy."""
        if number:
            self.others.touch(number - 1, rings, b)
        else:
            self.policy.touch(rings, b)

    def go_on(self, number: int, rings: Rings, b: int) -> None:
        """Do as ``Policy.go_on`` of a policy."""
        if number:
            self.others.go_on(number - 1, rings, b)
        else:
            self.policy.go_on(rings, b)

    def ring(self, number: int, rings: Rings, b: int) -> int:
        """Do as ``Policy.ring`` of a policy."""
        if number:
            return self.others.ring(number - 1, rings, b)
        return self.policy.ring(rings, b)

    def recall(self, number: int, rings: Rings, at: int, f: int, index: int, slots: int) -> int:
        """Do as ``Policy.recall`` of a policy."""
        if number:
            return self.others.recall(number - 1, rings, at, f, index, slots)
        return self.policy.recall(rings, at, f, index, slots)

    def victim(self, number: int, rings: Rings, at: int, remembered: int) -> int:
        """Do as ``Policy.victim`` of a policy."""
        if number:
            return self.others.victim(number - 1, rings, at, remembered)
        return self.policy.victim(rings, at, remembered)

    def keep(self, number: int, rings: Rings, at: int, b: int, state: int, slots: int) -> None:
        """Do as ``Policy.keep`` of a policy."""
        if number:
            self.others.keep(number - 1, rings, at, b, state, slots)
        else:
            self.policy.keep(rings, at, b, state, slots)
