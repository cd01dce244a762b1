# cython: infer_types=True
"""Buffer caches of I/O nodes, in front of their RAID units; docs/composition.md.

When a block is there may not be known when it is asked for (raidunits.py); nothing here waits.
"""

from __future__ import annotations

from simulator.native.clock import NEVER
from simulator.native.codes import *
from simulator.native.raidunits import RaidUnits


class Buffers(RaidUnits):
    """All buffer caches and RAID units."""

    def look(self, u: int, when: int) -> int:
        """A time; of one that is not known yet, one after now that it is not before."""
        self.advance(u, self.clock.now)
        return self.least(when)

    def access(self, u: int, first: int, count: int, write: bool, asker: int) -> int:
        """Ask for the blocks of extents; returns when they are there.

        ``asker``: the process; -1 for a request merged from several.
        """
        now = self.clock.now
        self.advance(u, now)
        ready = now
        size = self.unit[u + U_BLOCK]
        before = -2
        goes_on = False
        ends = self.unit[u + U_ENDS] + asker
        if asker >= 0:
            goes_on = self.ends[ends] == self.of[first] * size + self.low[first]
        for row in range(first, first + count):
            block = self.of[row]
            if block == before + 1:
                goes_on = True
            before = block
            there = self.want(u, now, block, self.high[row] - self.low[row], write)
            ready = self.later(u, ready, there)
        if asker >= 0:
            self.ends[ends] = before * size + self.high[first + count - 1]
        if goes_on and not write:
            self.look_ahead(u, now, before + 1)
        return ready

    def move(self, u: int, low: int, high: int, write: bool, asker: int) -> int:
        """Ask for the blocks of bytes [low, high) of a member; returns when they are there."""
        now = self.clock.now
        self.advance(u, now)
        ready = now
        size = self.unit[u + U_BLOCK]
        first, last = low // size, (high - 1) // size
        ends = self.unit[u + U_ENDS] + asker
        goes_on = last > first or self.ends[ends] == low
        self.ends[ends] = high
        for block in range(first, last + 1):
            begin = max(low, block * size)
            end = min(high, (block + 1) * size)
            there = self.want(u, now, block, end - begin, write)
            ready = self.later(u, ready, there)
        if goes_on and not write:
            self.look_ahead(u, now, last + 1)
        return ready

    def moved(self, u: int, low: int, high: int) -> None:
        """The data of bytes [low, high) have come: blocks that are complete go to the disks."""
        size = self.unit[u + U_BLOCK]
        self.advance(u, self.clock.now)
        for block in range(low // size, (high - 1) // size + 1):
            e = self.find(u, block)
            s = self.cell[e + E_SLOT]
            if s >= 0 and self.slot[s + J_DIRTY] == size:
                self.write_back(u, self.clock.now, s)

    def sync(self, u: int, first: int, end: int) -> int:
        """Write what is dirty of blocks [first, end), those used longest ago first.

        Returns when this, and all that was written back before, is safe.
        """
        self.advance(u, self.clock.now)
        left = self.unit[u + U_DIRTIES]
        if left:
            s = self.unit[u + U_SLOTS + RING_LAST]
            while True:
                left -= self.slot[s + J_DIRTY] != 0
                if not left:
                    break
                s = self.slot[s + J_PREV]
            while s >= 0:
                block = self.cell[self.slot[s + J_CELL] + E_BLOCK]
                if self.slot[s + J_DIRTY] and first <= block < end:
                    self.write_back(u, self.clock.now, s)
                s = self.slot[s + J_NEXT]
        return self.settled(self.unit[u + U_SAFE])

    def want(self, u: int, now: int, block: int, size: int, write: bool) -> int:
        """Ask for one block, of which ``size`` bytes are moved; returns when it is there."""
        e = self.cell_of(u, block)
        s = self.cell[e + E_SLOT]
        if s >= 0:
            self.unit[u + U_HITS] += 1
            self.unit[u + U_USED_AHEAD] += self.slot[s + J_EARLY]
            self.slot[s + J_EARLY] = 0
            self.touch(s, u + U_SLOTS)
        else:
            self.unit[u + U_MISSES] += 1
            whole = write and size == self.unit[u + U_BLOCK]
            s = self.bring(u, now, e, self.cell[e + E_STORED] != 0 and not whole)
        if write:
            dirty = self.slot[s + J_DIRTY] + size
            self.unit[u + U_DIRTIES] += self.slot[s + J_DIRTY] == 0
            self.unit[u + U_ACCEPTED_BYTES] += size
            if dirty > self.unit[u + U_BLOCK]:
                self.unit[u + U_OVERWRITTEN_BYTES] += dirty - self.unit[u + U_BLOCK]
                dirty = self.unit[u + U_BLOCK]
            self.slot[s + J_DIRTY] = dirty
        return self.slot[s + J_READY]

    def bring(self, u: int, now: int, e: int, wanted: bool) -> int:
        """Assign a slot to a block, and read it if it is ``wanted`` from the disks."""
        s = self.take(u + U_SLOTS)
        held = self.slot[s + J_CELL]
        if held >= 0:
            self.unit[u + U_EVICTED] += 1
            if self.slot[s + J_DIRTY]:
                self.write_back(u, now, s)
            self.cell[held + E_SLOT] = -1
        self.cell[e + E_SLOT] = s
        self.slot[s + J_CELL] = e
        self.slot[s + J_EARLY] = 0
        self.keep(s + J_READY, self.later(u, self.slot[s + J_READY], self.slot[s + J_CLEAN]))
        if wanted:
            self.keep(s + J_READY, self.later(u, self.slot[s + J_READY], self.read(u, now, e)))
        return s

    def look_ahead(self, u: int, now: int, block: int) -> None:
        """Read the blocks that come next, as far as they are on the disks."""
        end = min(block + self.unit[u + U_AHEAD], self.unit[u + U_BLOCKS])
        for one in range(block, end):
            e = self.cell_of(u, one)
            if self.cell[e + E_STORED] and self.cell[e + E_SLOT] < 0:
                s = self.bring(u, now, e, True)
                self.slot[s + J_EARLY] = 1
                self.unit[u + U_READ_AHEAD] += 1

    def written(self, u: int, first: int, count: int) -> None:
        """The data of extents have come: blocks that are complete go to the disks."""
        size = self.unit[u + U_BLOCK]
        self.advance(u, self.clock.now)
        for row in range(first, first + count):
            e = self.find(u, self.of[row])
            s = self.cell[e + E_SLOT]
            if s >= 0 and self.slot[s + J_DIRTY] == size:
                self.write_back(u, self.clock.now, s)

    def write_back(self, u: int, now: int, s: int) -> None:
        """Begin to write a slot's dirty bytes."""
        e = self.slot[s + J_CELL]
        clean = self.write(u, now, self.slot[s + J_READY], e, self.slot[s + J_DIRTY])
        self.keep(s + J_CLEAN, clean)
        self.slot[s + J_DIRTY] = 0
        self.unit[u + U_DIRTIES] -= 1
        safe = self.unit[u + U_SAFE]
        self.unit[u + U_SAFE] = self.refer(self.later(u, safe, clean))
        self.drop(safe)
        self.cell[e + E_STORED] = 1

    def drain(self, u: int, now: int, slots: list[int]) -> int:
        """Write slots, one after the other; returns when that has ended."""
        self.advance(u, now)
        for s in slots:
            self.write_back(u, now, s)
        self.advance(u, NEVER)
        return max(self.unit[u + U_DISK_FREE], self.unit[u + U_BUS_FREE])
