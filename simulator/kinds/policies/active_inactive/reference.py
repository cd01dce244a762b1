"""Linux's two lists: a block used again is active; those used once go first, and soon.

The rules of mm/swap.c, mm/vmscan.c and mm/workingset.c (Linux 4.18) for a file's pages that no
program has mapped; here only clean blocks are in the two lists.
"""

from __future__ import annotations

from collections import OrderedDict
from math import isqrt

from simulator.reference.policy import Key, TwoLists


class ActiveInactive(TwoLists):
    """An inactive (``once``) and an active list, each first in, first out, and when blocks went.

    >>> blocks = ActiveInactive(4)
    >>> for number in (1, 2, 3): blocks.admit((0, number)); blocks.join((0, number))
    >>> blocks.touch((0, 1)); blocks.victim()
    (0, 2)
    """

    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self._went: OrderedDict[Key, int] = OrderedDict()
        """The age at which blocks went, of as many as there are slots."""
        self._age = 0
        """How many blocks have gone or become active."""
        self._came_back = False
        """Whether the block that comes in is one that went not long ago."""

    def admit(self, key: Key) -> None:
        """Have a block be active that went so lately that a longer inactive list had kept it."""
        went = self._went.pop(key, None)
        self._came_back = went is not None and self._age - went <= len(self.again)
        if self._came_back:
            self._activate(key)

    def shrink(self) -> None:
        """Note that no block comes in."""
        self._came_back = False

    def touch(self, key: Key) -> None:
        """Have a block be active from its second read on; more change nothing."""
        if key in self.of_again:
            return
        self._activate(key)
        if key in self.once:
            self.leave(key)
            self.join(key)

    def go_on(self, key: Key) -> None:
        """Count no use."""

    def victim(self) -> Key:
        """Return the first inactive block, once the active list is not too long for that one.

        For a block that comes back the first active one makes way too: others are used now.
        """
        if self._came_back and self.again:
            self._came_back = False
            self._deactivate()
        while self._is_short_of_inactive():
            self._deactivate()
        return next(iter(self.once))

    def _deactivate(self) -> None:
        key, _ = self.again.popitem(last=False)
        self.of_again.discard(key)
        self.once[key] = None

    def evict(self, key: Key) -> None:
        """Note when a block goes."""
        self._age += 1
        self._went[key] = self._age
        if len(self._went) > self.slots:
            self._went.popitem(last=False)
        super().evict(key)

    def _activate(self, key: Key) -> None:
        self.of_again.add(key)
        self._age += 1

    def _is_short_of_inactive(self) -> bool:
        """Return whether there are more than sqrt(10 G) active for each inactive, of G GiB."""
        active, inactive = len(self.again), len(self.once)
        gigabytes = (active + inactive) * self.block >> 30
        return inactive * isqrt(max(1, 10 * gigabytes)) < active
