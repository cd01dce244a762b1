"""Replacement policies: which clean block goes. Without a clock, and without bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import TypeAlias

Key: TypeAlias = tuple[int, int]
"""A file, and the number of a block of it."""


class Policy(ABC):
    """The order of clean blocks. ``slots`` is how many blocks the store has room for."""

    block = 4096
    """Bytes of a block; the store says it."""

    def __init__(self, slots: int) -> None:
        self.slots = slots

    def admit(self, key: Key) -> None:  # noqa: B027 - most policies need not know
        """Note that a block comes in; its victim is asked for afterwards."""

    def shrink(self) -> None:  # noqa: B027 - most policies need not know
        """Note that victims are asked for next, and no block comes in for them."""

    @abstractmethod
    def join(self, key: Key) -> None:
        """Note that a block becomes clean."""

    @abstractmethod
    def leave(self, key: Key) -> None:
        """Note that a clean block is taken into use."""

    @abstractmethod
    def touch(self, key: Key) -> None:
        """Note the use of a resident block, clean or not."""

    def go_on(self, key: Key) -> None:
        """Note a use that is none of its own.

        It is a write, the first of a block that was written or read ahead, or one that goes on in
        order in the block where its process's last one ended.
        """
        self.touch(key)

    @abstractmethod
    def victim(self) -> Key:
        """Return the clean block that goes now; there is one. Asked for once for each that goes."""

    def evict(self, key: Key) -> None:
        """Drop a clean block."""
        self.leave(key)

    def drop(self, key: Key) -> None:  # noqa: B027 - most policies need not know
        """Note that a block that is not among the clean ones has gone."""


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
