"""Locks of files: which nodes have them, and which requests use them. Without a clock."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.reference.actor import Actor
    from simulator.reference.stores.store import Store


@dataclass(slots=True, eq=False)
class Lock:
    """The lock of a unit, or of a whole file: the nodes that have it, all in one mode."""

    exclusive: bool = False
    """The one node that has it may write."""
    nodes: dict[int, Store | None] = field(default_factory=dict)
    """The number of each node that has it -> the store that keeps what it protects, if any."""
    used: int = 0
    """Requests under way that need it."""
    waiting: deque[Actor] = field(default_factory=deque)
    """Actors that wait for it, in the order in which they came."""
    awaits_use: Actor | None = None
    """The first of them, while it waits for requests under way."""

    def suits(self, node: int, *, exclusive: bool) -> bool:
        """Return whether a node has it in a mode in which it may read, or write."""
        return node in self.nodes and (self.exclusive or not exclusive)

    def others(self, node: int, *, exclusive: bool) -> list[int]:
        """Return the other nodes whose locks are in the way of one, in order."""
        return sorted(self.nodes.keys() - {node}) if self.exclusive or exclusive else []

    def is_free(self, node: int, *, exclusive: bool) -> bool:
        """Return whether it can be granted to a node now."""
        return not self.waiting and not self.others(node, exclusive=exclusive)

    def grant(self, node: int, store: Store | None, *, exclusive: bool) -> None:
        """Let a node have it; no other node's is in the way."""
        self.nodes[node] = store
        self.exclusive = exclusive


class LockedFile:
    """The locks of one file: of all of it, or of its units once it is divided."""

    def __init__(self) -> None:
        self.divided = False
        self.dividing = False
        """A request calls the locks of the whole file back."""
        self.whole = Lock()
        self._units: dict[int, Lock] = {}

    def unit(self, number: int) -> Lock:
        """Return the lock of a unit."""
        if number not in self._units:
            self._units[number] = Lock()
        return self._units[number]

    def grow(
        self, first: int, count: int, node: int, store: Store | None, *, exclusive: bool
    ) -> None:
        """Grant a node the units [first, first + count) as well, as far as they are free."""
        for number in range(first, first + count):
            lock = self.unit(number)
            if not lock.is_free(node, exclusive=exclusive):
                break
            if not lock.suits(node, exclusive=exclusive):
                lock.grant(node, store, exclusive=exclusive)
