"""ARC: blocks used once and blocks used again are kept in proportions that follow the use.

Megiddo and Modha, ARC: A Self-Tuning, Low Overhead Replacement Cache, FAST 2003; here only clean
blocks are in the two lists.
"""

from __future__ import annotations

from collections import OrderedDict

from simulator.reference.policy import Key, Policy


class Arc(Policy):
    """Two lists of clean blocks, used once (T1) and again (T2), and of keys that went (B1, B2).

    >>> blocks = Arc(2)
    >>> for number in (1, 2): blocks.admit((0, number)); blocks.join((0, number))
    >>> blocks.touch((0, 1)); blocks.victim()
    (0, 2)
    """

    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self._once: OrderedDict[Key, None] = OrderedDict()
        self._again: OrderedDict[Key, None] = OrderedDict()
        self._gone_once: OrderedDict[Key, None] = OrderedDict()
        self._gone_again: OrderedDict[Key, None] = OrderedDict()
        self._used_again: set[Key] = set()
        """Blocks that are there, clean or not, and belong to the second list."""
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
            self._used_again.add(key)
        elif key in again:
            self.target = max(0, self.target - max(1, len(once) // len(again)))
            del again[key]
            self._used_again.add(key)

    def shrink(self) -> None:
        """Forget where the block went from that came in last."""
        self._was_again = False

    def join(self, key: Key) -> None:
        """Put a block at the end of its list."""
        (self._again if key in self._used_again else self._once)[key] = None

    def leave(self, key: Key) -> None:
        """Take a block out of its list."""
        del (self._once if key in self._once else self._again)[key]

    def touch(self, key: Key) -> None:
        """Note a second use; a clean block goes to the end of the second list."""
        self._used_again.add(key)
        if key in self._once or key in self._again:
            self.leave(key)
            self._again[key] = None

    def victim(self) -> Key:
        """Return the first of the list that is longer than it should be."""
        once, again, target = self._once, self._again, self.target
        over = len(once) > target or (self._was_again and len(once) == target)
        return next(iter(once if once and (over or not again) else again))

    def evict(self, key: Key) -> None:
        """Drop a block, and remember its key."""
        self._was_again = False  # One block has gone for the one that comes in.
        gone = self._gone_once if key in self._once else self._gone_again
        self.leave(key)
        self._used_again.discard(key)
        gone[key] = None
        if len(gone) > self.slots:
            gone.popitem(last=False)

    def drop(self, key: Key) -> None:
        """Forget a block."""
        self._used_again.discard(key)
