# cython: infer_types=True
"""Buffer caches of I/O nodes and the RAID units behind them; docs/composition.md.

All times are known when a request is made, so that nothing here waits. A *unit* is one member's
cache and RAID unit.
"""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.slots import Slots

TO_DISK, OVER_BUS = 1, 2
"""Where in a unit's rates those of its disks and of its bus stand."""


class Buffers(Slots):
    """All buffer caches and RAID units."""

    # -- the cache ------------------------------------------------------------------------------

    def access(self, u: int, first: int, count: int, write: bool, asker: int) -> int:
        """Ask for the blocks of extents; returns when they are there.

        ``asker``: the process; -1 for a request merged from several.
        """
        now = self.clock.now
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
            if there > ready:  # noqa: PLR1730 - as C
                ready = there
        if asker >= 0:
            self.ends[ends] = before * size + self.high[first + count - 1]
        if goes_on and not write:
            self.look_ahead(u, now, before + 1)
        return ready

    def move(self, u: int, low: int, high: int, write: bool, asker: int) -> int:
        """Ask for the blocks of bytes [low, high) of a member; returns when they are there."""
        now = self.clock.now
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
            if there > ready:  # noqa: PLR1730 - as C
                ready = there
        if goes_on and not write:
            self.look_ahead(u, now, last + 1)
        return ready

    def moved(self, u: int, low: int, high: int) -> None:
        """The data of bytes [low, high) have come: blocks that are complete go to the disks."""
        size = self.unit[u + U_BLOCK]
        for block in range(low // size, (high - 1) // size + 1):
            e = self.find(u, block)
            s = self.cell[e + E_SLOT]
            if s >= 0 and self.slot[s + J_DIRTY] == size:
                self.write_back(u, self.clock.now, s)

    def sync(self, u: int, first: int, end: int) -> int:
        """Write what is dirty of blocks [first, end), those used longest ago first.

        Returns when this, and all that was written back before, is safe.
        """
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
        return max(self.clock.now, self.unit[u + U_SAFE])

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
        ready = max(now, self.slot[s + J_READY], self.slot[s + J_CLEAN])
        if wanted:
            read = self.read(u, now, e)
            ready = max(ready, read)
        self.slot[s + J_READY] = ready
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
        for row in range(first, first + count):
            e = self.find(u, self.of[row])
            s = self.cell[e + E_SLOT]
            if s >= 0 and self.slot[s + J_DIRTY] == size:
                self.write_back(u, self.clock.now, s)

    def write_back(self, u: int, now: int, s: int) -> None:
        """Begin to write a slot's dirty bytes."""
        e = self.slot[s + J_CELL]
        begin = max(now, self.slot[s + J_READY])
        self.slot[s + J_CLEAN] = self.write(u, begin, e, self.slot[s + J_DIRTY])
        self.slot[s + J_DIRTY] = 0
        self.unit[u + U_DIRTIES] -= 1
        self.unit[u + U_SAFE] = self.slot[s + J_CLEAN]
        self.cell[e + E_STORED] = 1

    def drain(self, now: int) -> None:
        """Write whatever is dirty, slot after slot; ``U_DISK_FREE`` is then when that has ended."""
        for number in range(self.slot_count):
            s = number * J_ROWS
            if self.slot[s + J_DIRTY]:
                self.write_back(self.cell[self.slot[s + J_CELL] + E_UNIT], now, s)

    # -- the RAID unit --------------------------------------------------------------------------

    def read(self, u: int, now: int, e: int) -> int:
        """Read a block from the unit; returns when it has crossed the bus."""
        size = self.unit[u + U_BLOCK]
        self.unit[u + U_DISK_READS] += 1
        self.unit[u + U_DISK_READ_BYTES] += size
        s = self.cell[e + E_DISK_SLOT]
        if s >= 0:
            self.unit[u + U_DISK_HITS] += 1
            self.touch(s, u + U_DISK_SLOTS)
        else:
            s = self.take_disk_slot(u, e)
            begin = max(now, self.slot[s + J_CLEAN])
            self.slot[s + J_READY] = self.to_disk(u, begin, self.cell[e + E_BLOCK], size)
            self.slot[s + J_CLEAN] = self.slot[s + J_READY]
        return self.cross(u, max(now, self.slot[s + J_READY]), size)

    def write(self, u: int, now: int, e: int, size: int) -> int:
        """Write bytes of a block to the unit; returns when they are in its cache."""
        self.unit[u + U_DISK_WRITES] += 1
        self.unit[u + U_DISK_WRITTEN_BYTES] += size
        s = self.cell[e + E_DISK_SLOT]
        begin = now
        if s >= 0:
            self.touch(s, u + U_DISK_SLOTS)
        else:
            s = self.take_disk_slot(u, e)
            begin = max(now, self.slot[s + J_CLEAN])
        ready = self.cross(u, begin, size)
        self.slot[s + J_READY] = ready
        self.slot[s + J_CLEAN] = self.to_disk(u, ready, self.cell[e + E_BLOCK], size)
        return ready

    def take_disk_slot(self, u: int, e: int) -> int:
        """Assign a slot of the unit's cache to a block."""
        s = self.take(u + U_DISK_SLOTS)
        held = self.slot[s + J_CELL]
        if held >= 0:
            self.cell[held + E_DISK_SLOT] = -1
        self.cell[e + E_DISK_SLOT] = s
        self.slot[s + J_CELL] = e
        return s

    def to_disk(self, u: int, now: int, block: int, size: int) -> int:
        """Queue a request at the disks; returns when it has ended."""
        start = max(now, self.unit[u + U_DISK_FREE])
        service = 0
        if block != self.unit[u + U_HEAD]:
            service = self.unit[u + U_SEEK_NS]
        elif start > self.unit[u + U_DISK_FREE]:
            service = self.unit[u + U_PAUSE_NS]
        rate = self.rate[self.unit[u + U_RATES] + TO_DISK]
        service = self.clock.transfer(service, size, rate, OF_UNIT, u)
        self.unit[u + U_HEAD] = block + 1
        end = self.clock.within(start + service, OF_UNIT, u)
        self.unit[u + U_DISK_BUSY] += service  # it has one server: at most its end
        self.unit[u + U_DISK_FREE] = end
        return end

    def cross(self, u: int, now: int, size: int) -> int:
        """Queue a transfer over the bus; returns when it has ended."""
        start = max(now, self.unit[u + U_BUS_FREE])
        rate = self.rate[self.unit[u + U_RATES] + OVER_BUS]
        service = self.clock.transfer(self.unit[u + U_BUS_NS], size, rate, OF_UNIT, u)
        end = self.clock.within(start + service, OF_UNIT, u)
        self.unit[u + U_BUS_BUSY] += service
        self.unit[u + U_BUS_FREE] = end
        return end
