"""LRU: the clean block used longest ago goes first."""

from __future__ import annotations

from collections import OrderedDict

from simulator.reference.policy import Key, Policy


class Lru(Policy):
    """A block that becomes clean is the last to go.

    >>> blocks = Lru(3)
    >>> for number in (1, 2, 3): blocks.join((0, number))
    >>> blocks.touch((0, 1)); blocks.victim()
    (0, 2)
    """

    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self._clean: OrderedDict[Key, None] = OrderedDict()

    def join(self, key: Key) -> None:
        """Put a block last."""
        self._clean[key] = None

    def leave(self, key: Key) -> None:
        """Take a block out."""
        del self._clean[key]

    def touch(self, key: Key) -> None:
        """Put a clean block last again."""
        if key in self._clean:
            self._clean.move_to_end(key)

    def victim(self) -> Key:
        """Return the first."""
        return next(iter(self._clean))
