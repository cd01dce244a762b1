"""A cache too simple to be wrong."""

from __future__ import annotations

from typing import Any


class NaiveLru:
    """An LRU too simple to be wrong: a list, newest last."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.order: list[Any] = []

    def touch(self, block: Any) -> bool:
        """Use a block; returns whether it was there."""
        hit = block in self.order
        self.order = ([one for one in self.order if one != block] + [block])[-self.slots :]
        return hit
