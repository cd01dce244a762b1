"""Second chance (Corbato, 1968): first in, first out, but for blocks that were used meanwhile."""

from collections import OrderedDict

from simulator.reference.policy import Key, Policy


class SecondChance(Policy):
    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self._clean: OrderedDict[Key, None] = OrderedDict()
        self._used: set[Key] = set()

    def join(self, key: Key) -> None:
        self._clean[key] = None

    def leave(self, key: Key) -> None:
        del self._clean[key]

    def touch(self, key: Key) -> None:
        self._used.add(key)

    def victim(self) -> Key:
        key = next(iter(self._clean))
        while key in self._used:
            self._used.discard(key)
            self._clean.move_to_end(key)
            key = next(iter(self._clean))
        return key

    def evict(self, key: Key) -> None:
        self.leave(key)
        self._used.discard(key)

    def drop(self, key: Key) -> None:
        self._used.discard(key)
