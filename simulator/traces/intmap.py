"""A table from one number to another, in flat arrays; keys from 0, values from 0."""

from __future__ import annotations

from array import array

FIRST = 256
LOW = 0xFFFFFFFF
SPREAD = 12289
"""A prime: keys whose upper halves differ by one lie so far apart."""


class IntMap:
    """Open addressing; a key that is removed leaves no hole."""

    def __init__(self) -> None:
        self.keys = array("q", [-1]) * FIRST
        self.values = array("q", [-1]) * FIRST
        self.mask = FIRST - 1
        self.count = 0

    def place(self, key: int) -> int:
        """Return the slot where a key would be if nobody else was there."""
        return ((key & LOW) + (key >> 32) * SPREAD) & self.mask

    def find(self, key: int) -> int:
        """Return the value of a key, or -1."""
        slot = self.place(key)
        while self.keys[slot] != key:
            if self.keys[slot] < 0:
                return -1
            slot = (slot + 1) & self.mask
        return self.values[slot]

    def put(self, key: int, value: int) -> None:
        """Set the value of a key."""
        slot = self.place(key)
        while self.keys[slot] >= 0 and self.keys[slot] != key:
            slot = (slot + 1) & self.mask
        if self.keys[slot] < 0:
            self.keys[slot] = key
            self.count += 1
        self.values[slot] = value
        if 2 * self.count > self.mask:
            self.grow()

    def remove(self, key: int) -> None:
        """Forget a key; those that it had pushed on move back."""
        slot = self.place(key)
        while self.keys[slot] != key:
            if self.keys[slot] < 0:
                return
            slot = (slot + 1) & self.mask
        self.count -= 1
        hole = slot
        while True:
            slot = (slot + 1) & self.mask
            if self.keys[slot] < 0:
                break
            home = self.place(self.keys[slot])
            if ((slot - home) & self.mask) >= ((slot - hole) & self.mask):
                self.keys[hole] = self.keys[slot]
                self.values[hole] = self.values[slot]
                hole = slot
        self.keys[hole] = -1

    def grow(self) -> None:
        """Have twice as many slots."""
        old_keys = self.keys
        old_values = self.values
        size = 2 * len(old_keys)
        self.keys = array("q", [-1]) * size
        self.values = array("q", [-1]) * size
        self.mask = size - 1
        self.count = 0
        for slot in range(size // 2):
            if old_keys[slot] >= 0:
                self.put(old_keys[slot], old_values[slot])
