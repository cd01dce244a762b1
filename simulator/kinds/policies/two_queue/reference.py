"""2Q: a block that is used once goes soon; one that comes back soon after stays.

Johnson and Shasha, 2Q: A Low Overhead High Performance Buffer Management Replacement Algorithm,
VLDB 1994 (the full version, with a quarter and a half of the blocks, as they advise); here only
clean blocks are in the two queues.
"""

from __future__ import annotations

from collections import OrderedDict

from simulator.reference.policy import Key, TwoLists


class TwoQueue(TwoLists):
    """A queue of blocks used once (A1in), a list of others by last use (Am), keys gone (A1out).

    >>> blocks = TwoQueue(4)
    >>> for number in (1, 2, 3): blocks.admit((0, number)); blocks.join((0, number))
    >>> blocks.touch((0, 1)); blocks.victim()
    (0, 1)
    """

    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self._gone: OrderedDict[Key, None] = OrderedDict()

    def admit(self, key: Key) -> None:
        """Note whether a block comes back soon after it went from the queue."""
        if key in self._gone:
            del self._gone[key]
            self.of_again.add(key)

    def touch(self, key: Key) -> None:
        """Put a block of the list last; uses of one in the queue belong to its first."""
        if key in self.again:
            self.again.move_to_end(key)

    def victim(self) -> Key:
        """Return the first of the queue if that has more than a quarter of the blocks."""
        long = len(self.once) > self.slots // 4
        return next(iter(self.once if long or not self.again else self.again))

    def evict(self, key: Key) -> None:
        """Drop a block; remember its key if it was in the queue."""
        if key in self.once:
            self._gone[key] = None
            if len(self._gone) > max(1, self.slots // 2):
                self._gone.popitem(last=False)
        super().evict(key)
