"""Slots of a cache of blocks, the one used longest ago first; and times that are not known yet."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(slots=True, order=True)
class Moment:
    """When a request has ended that joins a queue later, or the latest of such times."""

    at_ns: int
    """When it is looked at: nothing joins before;"""
    number: int
    end_ns: int = field(compare=False)
    """the time; until that is known, one that it is not before."""
    after: tuple[When, ...] = field(compare=False)
    """The times that it has to wait for."""
    serve: Callable[[int], int] | None = field(compare=False)
    """Joins the queue at a time, and returns when that ends."""
    known: bool = field(compare=False, default=False)


When: TypeAlias = int | Moment
"""A time in ns, which may not be known yet."""


def least_ns(when: When) -> int:
    """Return a time, or of one that is not known what it is not before."""
    return when if isinstance(when, int) else when.end_ns


def known(when: When) -> bool:
    """Return whether a time is known."""
    return isinstance(when, int) or when.known


@dataclass(slots=True)
class Slot:
    """What a slot holds, and since when."""

    block: int = -1
    ready: When = 0
    """When the block is there."""
    clean: When = 0
    """When its last write has ended."""
    dirty: int = 0
    """Bytes of it that are to be written."""
    early: bool = False
    """It was read ahead, and no request has wanted it yet."""


class Slots:
    """At most so many slots, at least one."""

    def __init__(self, most: int) -> None:
        self.most = max(1, most)
        self._by_use: OrderedDict[int, Slot] = OrderedDict()
        self._all: list[Slot] = []

    def __iter__(self) -> Iterator[Slot]:
        """Iterate over the slots in the order in which they were first used."""
        return iter(self._all)

    def by_use(self) -> Iterator[Slot]:
        """Iterate over the slots from the one used longest ago on."""
        return iter(self._by_use.values())

    def __contains__(self, block: int) -> bool:
        return block in self._by_use

    def use(self, block: int) -> Slot | None:
        """Return the slot of a block, which is now the last to go; None if it has none."""
        slot = self._by_use.get(block)
        if slot is not None:
            self._by_use.move_to_end(block)
        return slot

    def peek(self, block: int) -> Slot | None:
        """Return the slot of a block without using it."""
        return self._by_use.get(block)

    def take(self, block: int) -> Slot:
        """Assign a slot to a block, and return it: a new one, or that of the block to go.

        ``Slot.block`` still names the block that was there; the caller changes it.
        """
        if len(self._all) < self.most:
            slot = Slot()
            self._all.append(slot)
        else:
            _, slot = self._by_use.popitem(last=False)
        self._by_use[block] = slot
        return slot
