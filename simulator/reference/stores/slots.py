"""Slots of an LRU cache of blocks; and times that are not known yet."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(slots=True, order=True)
class Moment:
    """End of a request that joins a queue later, or the latest of several such times."""

    at_ns: int
    """Time at which it is evaluated: nothing joins before."""
    number: int
    end_ns: int = field(compare=False)
    """The time; while it is unknown, a lower bound."""
    after: tuple[When, ...] = field(compare=False)
    """Times on which it depends."""
    serve: Callable[[int], int] | None = field(compare=False)
    """Joins the queue at a time, and returns the end of the request."""
    known: bool = field(compare=False, default=False)


When: TypeAlias = int | Moment
"""A time in ns, which may not be known yet."""


def least_ns(when: When) -> int:
    """Return a time, or the lower bound of an unknown one."""
    return when if isinstance(when, int) else when.end_ns


def known(when: When) -> bool:
    """Return whether a time is known."""
    return isinstance(when, int) or when.known


@dataclass(slots=True)
class Slot:
    """Contents of a slot, and their times."""

    block: int = -1
    ready: When = 0
    """Time at which the block is available."""
    clean: When = 0
    """End of its last write."""
    dirty: int = 0
    """Bytes to be written."""
    early: bool = False
    """True if it was read ahead and no request has used it yet."""


class Slots:
    """A limited number of slots, at least one."""

    def __init__(self, most: int) -> None:
        self.most = max(1, most)
        self._by_use: OrderedDict[int, Slot] = OrderedDict()
        self._all: list[Slot] = []

    def __iter__(self) -> Iterator[Slot]:
        """Iterate over the slots in the order in which they were first used."""
        return iter(self._all)

    def by_use(self) -> Iterator[Slot]:
        """Iterate over the slots, least recently used first."""
        return iter(self._by_use.values())

    def __contains__(self, block: int) -> bool:
        return block in self._by_use

    def use(self, block: int) -> Slot | None:
        """Return the slot of a block as the most recently used; None if it has none."""
        slot = self._by_use.get(block)
        if slot is not None:
            self._by_use.move_to_end(block)
        return slot

    def peek(self, block: int) -> Slot | None:
        """Return the slot of a block without using it."""
        return self._by_use.get(block)

    def take(self, block: int) -> Slot:
        """Assign a slot to a block, and return it: a new one, or that of the evicted block.

        ``Slot.block`` still names the evicted block; the caller changes it.
        """
        if len(self._all) < self.most:
            slot = Slot()
            self._all.append(slot)
        else:
            _, slot = self._by_use.popitem(last=False)
        self._by_use[block] = slot
        return slot
