"""Replacement policies: choice of the clean block to evict, without clock or bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import TypeAlias

Key: TypeAlias = tuple[int, int]
"""File, and number of a block in it."""


class Policy(ABC):
    """The order of clean blocks. ``slots`` is the capacity of the store in blocks."""

    block = 4096
    """Bytes of a block; set by the store."""

    def __init__(self, slots: int) -> None:
        self.slots = slots

    def admit(self, key: Key) -> None:  # noqa: B027 - most policies need not know
        """Note that a block is admitted; its victim is requested afterwards."""

    def shrink(self) -> None:  # noqa: B027 - most policies need not know
        """Note that victims are requested next without an admission."""

    @abstractmethod
    def join(self, key: Key) -> None:
        """Note that a block becomes clean."""

    @abstractmethod
    def leave(self, key: Key) -> None:
        """Note that a clean block is no longer clean."""

    @abstractmethod
    def touch(self, key: Key) -> None:
        """Note the use of a resident block, clean or not."""

    def go_on(self, key: Key) -> None:
        """Note a use that does not count as a new one.

        It is a write, the first use of a block that was written or read ahead, or one that
        continues sequentially in the block where its process's last one ended.
        """
        self.touch(key)

    @abstractmethod
    def victim(self) -> Key:
        """Return the clean block to evict; one exists. Called once per eviction."""

    def evict(self, key: Key) -> None:
        """Drop a clean block."""
        self.leave(key)

    def drop(self, key: Key) -> None:  # noqa: B027 - most policies need not know
        """Note that a block that is not among the clean ones was evicted."""


class TwoLists(Policy):
    """Two lists of clean blocks: those that are used once, and those that come to more."""

    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self.once: OrderedDict[Key, None] = OrderedDict()
        self.again: OrderedDict[Key, None] = OrderedDict()
        self.of_again: set[Key] = set()
        """Blocks that are there, clean or not, and belong to the second list."""

    def join(self, key: Key) -> None:
        """Put a block at the end of its list."""
        (self.again if key in self.of_again else self.once)[key] = None

    def leave(self, key: Key) -> None:
        """Take a block out of its list."""
        del (self.once if key in self.once else self.again)[key]

    def evict(self, key: Key) -> None:
        """Drop a clean block."""
        self.leave(key)
        self.of_again.discard(key)

    def drop(self, key: Key) -> None:
        """Forget a block."""
        self.of_again.discard(key)
