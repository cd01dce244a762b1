"""Replacement policies: which clean block goes. Without a clock, and without bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

Key: TypeAlias = tuple[int, int]
"""A file, and the number of a block of it."""


class Policy(ABC):
    """The order of clean blocks. ``slots`` is how many blocks the store has room for."""

    def __init__(self, slots: int) -> None:
        self.slots = slots

    def admit(self, key: Key) -> None:  # noqa: B027 - most policies need not know
        """A block comes in; who goes for it is asked afterwards."""

    @abstractmethod
    def join(self, key: Key) -> None:
        """A block becomes clean."""

    @abstractmethod
    def leave(self, key: Key) -> None:
        """A clean block is taken into use."""

    @abstractmethod
    def touch(self, key: Key) -> None:
        """A block that is there is used, whether it is clean or not."""

    @abstractmethod
    def victim(self) -> Key | None:
        """Return the clean block that goes next; None if there is none."""

    def evict(self, key: Key) -> None:
        """A clean block is given away."""
        self.leave(key)

    def drop(self, key: Key) -> None:  # noqa: B027 - most policies need not know
        """A block that was not clean has gone."""
