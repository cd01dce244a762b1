"""The buffer cache of an I/O node: blocks of its sub-file in memory, in front of a RAID unit.

The block used longest ago goes first (LRU). A block is read when a piece of it is wanted, or when a
part of it is to be written and the disk has the rest; of a block that is not on disk yet, the rest
is zeros. A block goes to disk when it has been written from end to end, or when its place is
needed, or at the end. Everybody who wants a block that is on its way waits for the same arrival.

The file system reads ahead the blocks after a request's last one, if the request itself went on
from a block to the next, or began at the byte where the last request of the same asker had ended.

Times are known when they are asked for (see ``raid.py``), so the module has no clock. Compiled as
it stands, and used by both engines.

Not modelled: memory that others use; a block that is pinned while it is copied.
"""

from __future__ import annotations

from array import array

from simulator.machine.cache import UnitCache
from simulator.machine.raid import RaidUnit


class BufferCache:
    """The cache at work: times in ns; extents are rows of tables that it shares with its engine."""

    def __init__(
        self,
        raid: RaidUnit,
        *,
        slots: int,
        block: int,
        blocks: int,
        ahead: int,
        stored: bool,
        askers: int,
        tables: tuple[array[int], array[int], array[int]],
    ) -> None:
        """A sub-file of ``blocks``, on disk already if it is ``stored``; ``ahead`` are read ahead.

        ``tables`` are block, low and high of each extent. Slots that no block is left for are not
        made.
        """
        slots = max(1, min(slots, blocks))
        self.raid = raid
        self.block = block
        self.blocks = blocks
        self.ahead = ahead
        self.of, self.low, self.high = tables
        self.store = UnitCache(slots=slots, unit=block, share=slots, files=1)
        self.held = array("q", [-1]) * slots
        """The block in each slot."""
        self.ready = array("q", [0]) * slots
        """When it is there."""
        self.clean = array("q", [0]) * slots
        """When its last write has ended."""
        self.dirty = array("q", [0]) * slots
        """Bytes written to it since."""
        self.early = array("q", [0]) * slots
        """It was read ahead, and nobody has wanted it yet."""
        self.stored = array("q", [int(stored)]) * max(1, blocks)
        """Whether a block is on disk."""
        self.last = array("q", [-1]) * max(1, askers)
        """Where each asker's last request ended."""
        self.hits = 0
        self.misses = 0
        self.read_ahead = 0
        self.used_ahead = 0
        self.evicted = 0

    def lay(self, first: int, count: int) -> None:
        """Have ``count`` blocks from ``first`` on be on disk, before anything is asked for."""
        for block in range(first, first + count):
            self.stored[block] = 1

    def access(self, now: int, first: int, count: int, write: bool, asker: int) -> int:
        """Begin with extents ``first`` to ``first + count``; returns when their blocks are there.

        ``asker`` is -1 for a request merged from several.
        """
        ready = now
        before = -2
        goes_on = False
        if asker >= 0:
            goes_on = self.last[asker] == self.of[first] * self.block + self.low[first]
        for row in range(first, first + count):
            block = self.of[row]
            goes_on = goes_on or block == before + 1
            before = block
            ready = max(ready, self.touch(now, row, write))
        if asker >= 0:
            self.last[asker] = before * self.block + self.high[first + count - 1]
        if goes_on and not write:
            self.look_ahead(now, before + 1)
        return ready

    def touch(self, now: int, row: int, write: bool) -> int:
        """Want one extent's block; returns when it is there."""
        block = self.of[row]
        size = self.high[row] - self.low[row]
        slot = self.store.find(block)
        if slot >= 0:
            self.hits += 1
            self.used_ahead += self.early[slot]
            self.early[slot] = 0
            self.store.touch(slot)
        else:
            self.misses += 1
            wanted = self.stored[block] == 1 and not (write and size == self.block)
            slot = self.bring(now, block, wanted)
        if write:
            self.dirty[slot] = min(self.block, self.dirty[slot] + size)
        return self.ready[slot]

    def bring(self, now: int, block: int, wanted: bool) -> int:
        """Give a block a slot, and read it if it is ``wanted`` from disk; returns the slot."""
        slot = self.store.admit(block, 0, False)
        self.store.settle(slot)
        if self.held[slot] >= 0:
            self.evicted += 1
            if self.dirty[slot]:
                self.write_back(now, slot)
        free = max(now, self.ready[slot], self.clean[slot])
        self.held[slot] = block
        self.early[slot] = 0
        self.ready[slot] = free
        if wanted:
            self.ready[slot] = max(free, self.raid.read(now, block, self.block))
        return slot

    def look_ahead(self, now: int, block: int) -> None:
        """Begin to read the blocks that come next."""
        for one in range(block, min(block + self.ahead, self.blocks)):
            if self.stored[one] and self.store.find(one) < 0:
                slot = self.bring(now, one, True)
                self.early[slot] = 1
                self.read_ahead += 1

    def written(self, now: int, first: int, count: int) -> None:
        """The data of extents have come: send off the blocks that are complete."""
        for row in range(first, first + count):
            slot = self.store.find(self.of[row])
            if slot >= 0 and self.dirty[slot] == self.block:
                self.write_back(now, slot)

    def write_back(self, now: int, slot: int) -> None:
        """Begin to write a slot's dirty bytes."""
        block = self.held[slot]
        begin = max(now, self.ready[slot])
        self.clean[slot] = self.raid.write(begin, block, self.dirty[slot])
        self.dirty[slot] = 0
        self.stored[block] = 1

    def drain(self, now: int) -> int:
        """Write whatever is dirty; returns when all is on the disks."""
        for slot in range(len(self.dirty)):
            if self.dirty[slot]:
                self.write_back(now, slot)
        return max(now, self.raid.media_free)
