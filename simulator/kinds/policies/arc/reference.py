"""ARC: blocks used once and blocks used again are kept in proportions that follow the use.

Megiddo and Modha, ARC: A Self-Tuning, Low Overhead Replacement Cache, FAST 2003; here only clean
blocks are in the two lists.
"""

from __future__ import annotations

from collections import OrderedDict

from simulator.reference.policy import Key, TwoLists


class Arc(TwoLists):
    """Two lists of clean blocks, used once (T1) and again (T2), and of keys that went (B1, B2).

    >>> blocks = Arc(2)
    >>> for number in (1, 2): blocks.admit((0, number)); blocks.join((0, number))
    >>> blocks.touch((0, 1)); blocks.victim()
    (0, 2)
    """

    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self._gone_once: OrderedDict[Key, None] = OrderedDict()
        self._gone_again: OrderedDict[Key, None] = OrderedDict()
        self.target = 0
        """Blocks that the first list should have."""
        self._was_again = False
        """Whether the block that comes in went from the second list."""

    def admit(self, key: Key) -> None:
        """Move the target towards the list that a block should not have left."""
        once, again = self._gone_once, self._gone_again
        self._was_again = key in again
        if key in once:
            self.target = min(self.slots, self.target + max(1, len(again) // len(once)))
            del once[key]
            self.of_again.add(key)
        elif key in again:
            self.target = max(0, self.target - max(1, len(once) // len(again)))
            del again[key]
            self.of_again.add(key)

    def shrink(self) -> None:
        """Forget where the block went from that came in last."""
        self._was_again = False

    def touch(self, key: Key) -> None:
        """Note a second use; a clean block goes to the end of the second list."""
        self.of_again.add(key)
        if key in self.once or key in self.again:
            self.leave(key)
            self.again[key] = None

    def victim(self) -> Key:
        """Return the first of the list that is longer than it should be."""
        once, again, target = self.once, self.again, self.target
        over = len(once) > target or (self._was_again and len(once) == target)
        return next(iter(once if once and (over or not again) else again))

    def evict(self, key: Key) -> None:
        """Drop a block, and remember its key."""
        self._was_again = False  # One block has gone for the one that comes in.
        gone = self._gone_once if key in self.once else self._gone_again
        super().evict(key)
        gone[key] = None
        if len(gone) > self.slots:
            gone.popitem(last=False)
