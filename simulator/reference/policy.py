"""Replacement policies: which clean block goes. Without a clock, and without bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
