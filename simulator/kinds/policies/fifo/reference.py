"""FIFO: the block that has been clean for longest goes first, used or not."""

from __future__ import annotations

from simulator.kinds.policies.lru.reference import Lru
from simulator.reference.policy import Key


class Fifo(Lru):
    """An LRU that does not look at uses.

    >>> blocks = Fifo(3)
    >>> for number in (1, 2, 3): blocks.join((0, number))
    >>> blocks.touch((0, 1)); blocks.victim()
    (0, 1)
    """

    def touch(self, key: Key) -> None:
        """Leave the order as it is."""
