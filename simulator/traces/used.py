"""The names that a batch of rows has in one of its columns, numbered from 0 as they come."""

from __future__ import annotations

from array import array

from simulator.traces.arrays import Buffer, Ints, grown
from simulator.traces.bytesearch import copy_bytes
from simulator.traces.names import Names

FIRST = 1024


class Used:
    """Which of all names a batch uses."""

    def __init__(self, names: Names, most: int) -> None:
        self.names = names
        self.count = 0
        self.used = array("i", bytes(4 * most))
        self.local_of = array("i", [0]) * FIRST
        """Of a name, the place that it has in ``used`` if it is there."""

    def local(self, name: int) -> int:
        """Return the number that a name has in the current batch."""
        if name >= len(self.local_of):
            self.grow(name)
        local = self.local_of[name]
        if local < self.count and self.used[local] == name:
            return local
        local = self.count
        self.local_of[name] = local
        self.used[local] = name
        self.count = local + 1
        return local

    def grow(self, name: int) -> None:
        """Have room for a name with a higher number."""
        while name >= len(self.local_of):
            self.local_of = grown(self.local_of, 0)

    def size(self) -> int:
        """Return how many bytes the names of the batch have."""
        total = 0
        for i in range(self.count):
            total += self.names.starts[self.used[i] + 1] - self.names.starts[self.used[i]]
        return total

    def end_batch(self, data: Buffer, ends: Ints) -> None:
        """Copy the batch's names to ``data`` and where each ends to ``ends``; begin another."""
        at = 0
        for i in range(self.count):
            name = self.used[i]
            start = self.names.starts[name]
            end = self.names.starts[name + 1]
            copy_bytes(data, at, self.names.arena, start, end)
            at += end - start
            ends[i] = at
        self.count = 0
