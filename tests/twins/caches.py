"""A cache too simple to be wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import simpy


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


@dataclass
class Unit:
    """A unit that is in the SSU."""

    file: int
    index: int
    coming: bool = False
    writing: bool = False
    users: int = 0
    dirty: list[tuple[int, int]] = field(default_factory=list)
    waiters: list[tuple[int, simpy.Event]] = field(default_factory=list)
