"""A RAID unit: disks as one volume, a cache of its own, and the bus in front of it.

Both queues are first come, first served; the end of a request is known when it is made.
"""

from __future__ import annotations

from simulator.reference.part import Part
from simulator.reference.stores.slots import Slots
from simulator.result.errors import within
from simulator.result.result import PartResult


class Raid(Part):
    """The unit belongs to the buffer cache in front of it, which says what its blocks are."""

    def attach(self, block: int, blocks: int) -> None:
        """Serve so many blocks of ``block`` bytes; the cache has no room for more."""
        self.spec = self.plan.spec
        self.block = block
        self.slots = Slots(min(blocks, self.spec.cache // block))
        self.free_ns = 0
        """When the disks have served what they were asked for,"""
        self.bus_free_ns = 0
        """and when the bus has."""
        self.reads = self.writes = self.hits = 0
        self.read_bytes = self.written_bytes = 0
        self.bus_busy_ns = 0
        self._head = 0

    def read(self, now_ns: int, block: int) -> int:
        """Read a block; return when it has crossed the bus."""
        self.reads += 1
        self.read_bytes += self.block
        self.requests += 1
        slot = self.slots.use(block)
        if slot is not None:
            self.hits += 1
        else:
            slot = self.slots.take(block)
            slot.ready_ns = self._media(max(now_ns, slot.clean_ns), block, self.block)
            slot.clean_ns = slot.ready_ns
        return self._cross(max(now_ns, slot.ready_ns), self.block)

    def write(self, now_ns: int, block: int, size: int) -> int:
        """Write bytes of a block; return when they are in the unit's cache."""
        self.writes += 1
        self.written_bytes += size
        self.requests += 1
        slot = self.slots.use(block)
        if slot is None:
            slot = self.slots.take(block)
            now_ns = max(now_ns, slot.clean_ns)
        slot.ready_ns = self._cross(now_ns, size)
        slot.clean_ns = self._media(slot.ready_ns, block, size)
        return slot.ready_ns

    def _media(self, now_ns: int, block: int, size: int) -> int:
        start = max(now_ns, self.free_ns)
        continues, paused = block == self._head, start > self.free_ns
        service = self.spec.media_ns(size, continues=continues, paused=paused)
        self._head = block + 1
        self.busy_ns += service
        self.free_ns = within(start + service, self.name)
        return self.free_ns

    def _cross(self, now_ns: int, size: int) -> int:
        service = self.spec.bus_ns(size)
        self.bus_busy_ns += service
        self.bus_free_ns = within(max(now_ns, self.bus_free_ns) + service, self.name)
        return self.bus_free_ns

    def result(self) -> PartResult:
        """Return what its disks did."""
        if self.requests:
            self.bytes = self.read_bytes + self.written_bytes
        return super().result()
