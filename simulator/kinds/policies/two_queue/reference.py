"""2Q: a block that is used once goes soon; one that comes back soon after stays.

Johnson and Shasha, 2Q: A Low Overhead High Performance Buffer Management Replacement Algorithm,
VLDB 1994 (the full version, with a quarter and a half of the blocks, as they advise); here only
clean blocks are in the two queues.
"""

from __future__ import annotations

from collections import OrderedDict

from simulator.reference.policy import Key, Policy


class TwoQueue(Policy):
    """A queue of blocks used once (A1in), a list of others by last use (Am), keys gone (A1out).

    >>> blocks = TwoQueue(4)
    >>> for number in (1, 2, 3): blocks.admit((0, number)); blocks.join((0, number))
    >>> blocks.touch((0, 1)); blocks.victim()
    (0, 1)
    """

    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self._once: OrderedDict[Key, None] = OrderedDict()
        self._often: OrderedDict[Key, None] = OrderedDict()
        self._gone: OrderedDict[Key, None] = OrderedDict()
        self._came_back: set[Key] = set()
        """Blocks that are there, clean or not, and belong to the list."""

    def admit(self, key: Key) -> None:
        """Note whether a block comes back soon after it went from the queue."""
        if key in self._gone:
            del self._gone[key]
            self._came_back.add(key)

    def join(self, key: Key) -> None:
        """Put a block at the end of the queue, or of the list."""
        (self._often if key in self._came_back else self._once)[key] = None

    def leave(self, key: Key) -> None:
        """Take a block out."""
        del (self._once if key in self._once else self._often)[key]

    def touch(self, key: Key) -> None:
        """Put a block of the list last; uses of one in the queue belong to its first."""
        if key in self._often:
            self._often.move_to_end(key)

    def victim(self) -> Key:
        """Return the first of the queue if that has more than a quarter of the blocks."""
        long = len(self._once) > self.slots // 4
        return next(iter(self._once if long or not self._often else self._often))

    def evict(self, key: Key) -> None:
        """Return a block away; remember its key if it was in the queue."""
        if key in self._once:
            self._gone[key] = None
            if len(self._gone) > max(1, self.slots // 2):
                self._gone.popitem(last=False)
        self.leave(key)
        self._came_back.discard(key)

    def drop(self, key: Key) -> None:
        """Forget a block."""
        self._came_back.discard(key)
