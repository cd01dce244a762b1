"""A RAID unit: its disks as one volume, its own cache, and the bus in front of it.

A read comes from the cache if the block is there, else from the disks, and then over the bus. A
write crosses the bus into the cache, and is done; it goes on to the disks when these are free.
Where a block's place in the cache is taken by one whose write has not ended, it waits for that.

A request that follows the one before without a pause streams; one that comes later pays an overhead
and half a turn, one elsewhere a seek as well. Every queue is first come, first served and keeps its
next-free time, so that a request's end is known when it is made; the module has no clock. Compiled
as it stands, and used by both engines.

Not modelled: the disks behind the controller one by one, parity, a read-ahead of the unit's own.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from simulator.machine.cache import UnitCache


@dataclass(frozen=True, slots=True, kw_only=True)
class RaidSpec:
    """Datasheet of a unit; times in ns, sizes in bytes, rates in bytes per second."""

    rate: float
    """Of its disks together."""
    overhead_ns: int
    """Paid by a request that does not stream."""
    seek_ns: int
    """Paid by a request that does not continue the one before."""
    turn_ns: int
    """One turn; half of it is lost after a seek, or after a pause."""
    cache: int
    """Bytes of its cache."""
    bus_rate: float
    """Of the bus."""
    bus_overhead_ns: int = 0
    """Paid by every request on the bus."""

    def media_ns(self, size: int, *, continues: bool, paused: bool) -> int:
        """Time of the disks for one request.

        >>> spec = RaidSpec(rate=1e6, overhead_ns=5, seek_ns=100, turn_ns=60, cache=1, bus_rate=1e6)
        >>> [spec.media_ns(1, continues=c, paused=p) for c, p in ((1, 0), (1, 1), (0, 0))]
        [1000, 1035, 1135]
        """
        wait = 0 if continues else self.seek_ns
        if paused or not continues:
            wait += self.overhead_ns + self.turn_ns // 2
        return wait + int(size * (1e9 / self.rate) + 0.5)

    def bus_ns(self, size: int) -> int:
        """Time of the bus for one request."""
        return self.bus_overhead_ns + int(size * (1e9 / self.bus_rate) + 0.5)


class RaidUnit:
    """A unit at work: times in ns, blocks by their number."""

    def __init__(self, spec: RaidSpec, block: int, blocks: int) -> None:
        """A unit for ``blocks`` of ``block`` bytes; its cache need not have room for more."""
        self.block = block
        self.ns_per_byte = 1e9 / spec.rate
        self.bus_ns_per_byte = 1e9 / spec.bus_rate
        self.overhead = spec.overhead_ns
        self.bus_overhead = spec.bus_overhead_ns
        self.seek = spec.seek_ns
        self.half_turn = spec.turn_ns // 2
        slots = max(1, min(blocks, spec.cache // block))
        self.store = UnitCache(slots=slots, unit=block, share=slots, files=1)
        self.ready = array("q", [0]) * slots
        """When what a slot holds is there."""
        self.clean = array("q", [0]) * slots
        """When it is on the disks."""
        self.media_free = 0
        self.bus_free = 0
        self.head = 0
        """The block after the last one served."""
        self.reads = 0
        self.writes = 0
        self.hits = 0
        self.read_bytes = 0
        self.written_bytes = 0
        self.media_busy = 0
        self.bus_busy = 0

    def read(self, now: int, block: int, size: int) -> int:
        """Ask for a block's bytes; returns when they have crossed the bus."""
        self.reads += 1
        self.read_bytes += size
        slot = self.store.find(block)
        if slot >= 0:
            self.hits += 1
            self.store.touch(slot)
        else:
            slot = self.take_slot(block)
            self.ready[slot] = self.seek_out(max(now, self.clean[slot]), block, size)
            self.clean[slot] = self.ready[slot]
        return self.cross(max(now, self.ready[slot]), size)

    def write(self, now: int, block: int, size: int) -> int:
        """Bring a block's bytes; returns when they are safe in the unit's cache."""
        self.writes += 1
        self.written_bytes += size
        slot = self.store.find(block)
        if slot >= 0:
            self.store.touch(slot)
        else:
            slot = self.take_slot(block)
            now = max(now, self.clean[slot])
        self.ready[slot] = self.cross(now, size)
        self.clean[slot] = self.seek_out(self.ready[slot], block, size)
        return self.ready[slot]

    def take_slot(self, block: int) -> int:
        """Give a block the slot that was used longest ago."""
        slot = self.store.admit(block, 0, False)
        self.store.settle(slot)
        return slot

    def seek_out(self, now: int, block: int, size: int) -> int:
        """Queue a request at the disks; returns when it is done."""
        start = max(now, self.media_free)
        service = int(size * self.ns_per_byte + 0.5)
        if block != self.head:
            service += self.overhead + self.seek + self.half_turn
        elif start > self.media_free:
            service += self.overhead + self.half_turn
        self.head = block + 1
        self.media_busy += service
        self.media_free = start + service
        return self.media_free

    def cross(self, now: int, size: int) -> int:
        """Queue a transfer on the bus; returns when it is done."""
        start = max(now, self.bus_free)
        service = self.bus_overhead + int(size * self.bus_ns_per_byte + 0.5)
        self.bus_busy += service
        self.bus_free = start + service
        return self.bus_free
