"""The blocks of an I/O node in front of its RAID unit; their times may not be known yet."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

from simulator.reference.stores.slots import Slot, Slots, When, least_ns

if TYPE_CHECKING:
    from simulator.kinds.parts.raid.reference import Raid
    from simulator.plan.parts import BuffersPlan

Extent = tuple[int, int, int]
"""A block, and the first and the end of its bytes to move."""


class BufferCache:
    """Resident blocks and blocks under way, with the counters of requests."""

    def __init__(self, row: BuffersPlan, member: int, raid: Raid) -> None:
        self.row = row
        self.blocks = row.blocks[member]
        self.raid = raid
        self.slots = Slots(min(row.slots, self.blocks))
        runs = (run for where, *run in row.stored if where == member)
        self._stored = [range(first, first + count) for first, count in runs]
        self.hits = self.misses = 0
        self.read_ahead = self.used_ahead = 0
        self.evicted = 0
        self.accepted_bytes = self.overwritten_bytes = 0
        self._written: set[int] = set()
        """Blocks written to the disks."""
        self._ends: dict[int, int] = {}
        """Requester -> end of its last request."""
        self._safe: When = 0
        """Time at which all blocks written back are in the RAID unit."""

    def poll_ns(self, now_ns: int, when: When) -> int:
        """Return a time, or for an unknown one its lower bound, later than now."""
        self.raid.advance(now_ns)
        return least_ns(when)

    @property
    def safe_ns(self) -> int:
        """Time at which the last block written back is durable, once that is known."""
        return least_ns(self._safe)

    def access(self, now_ns: int, extents: list[Extent], *, write: bool, asker: int) -> When:
        """Request blocks; return when all are available. ``asker`` is -1 for merged requests."""
        self.raid.advance(now_ns)
        size = self.row.block
        blocks = [block for block, _, _ in extents]
        goes_on = any(other == one + 1 for one, other in pairwise(blocks))
        if asker >= 0:
            goes_on |= self._ends.get(asker) == extents[0][0] * size + extents[0][1]
            self._ends[asker] = extents[-1][0] * size + extents[-1][2]
        ready: When = now_ns
        for block, low, high in extents:
            slot = self._want(now_ns, block, high - low, write=write)
            ready = self.raid.later(ready, slot.ready)
        if goes_on and not write:
            self._look_ahead(now_ns, range(blocks[-1] + 1, blocks[-1] + 1 + self.row.ahead))
        return ready

    def _want(self, now_ns: int, block: int, size: int, *, write: bool) -> Slot:
        slot = self.slots.use(block)
        if slot is not None:
            self.hits += 1
            self.used_ahead += slot.early
            slot.early = False
        else:
            self.misses += 1
            covered = write and size == self.row.block
            slot = self._bring(now_ns, block, read=self._is_stored(block) and not covered)
        if write:
            self.accepted_bytes += size
            self.overwritten_bytes += max(0, slot.dirty + size - self.row.block)
            slot.dirty = min(self.row.block, slot.dirty + size)
        return slot

    def _is_stored(self, block: int) -> bool:
        return block in self._written or any(block in run for run in self._stored)

    def _bring(self, now_ns: int, block: int, *, read: bool) -> Slot:
        slot = self.slots.take(block)
        if slot.block >= 0:
            self.evicted += 1
            self._write_back(now_ns, slot)
        slot.block, slot.early = block, False
        slot.ready = self.raid.later(slot.ready, slot.clean)
        if read:
            slot.ready = self.raid.later(slot.ready, self.raid.read(now_ns, block))
        return slot

    def _look_ahead(self, now_ns: int, blocks: Iterable[int]) -> None:
        for block in blocks:
            if block < self.blocks and self._is_stored(block) and block not in self.slots:
                self._bring(now_ns, block, read=True).early = True
                self.read_ahead += 1

    def written(self, now_ns: int, extents: list[Extent]) -> None:
        """Write the fully written blocks to the unit: the data of a write have arrived."""
        self.raid.advance(now_ns)
        for block, _, _ in extents:
            slot = self.slots.peek(block)
            if slot is not None and slot.dirty == self.row.block:
                self._write_back(now_ns, slot)

    def _write_back(self, now_ns: int, slot: Slot) -> None:
        if slot.dirty:
            slot.clean = self.raid.write(now_ns, slot.ready, slot.block, slot.dirty)
            slot.dirty = 0
            self._written.add(slot.block)
            self._safe = self.raid.later(self._safe, slot.clean)

    def sync(self, now_ns: int, blocks: Container[int]) -> When:
        """Write some dirty blocks, least recently used first; return when they are durable.

        Blocks written back earlier are included.
        """
        self.raid.advance(now_ns)
        for slot in self.slots.by_use():
            if slot.block in blocks:
                self._write_back(now_ns, slot)
        return self._safe

    def drain(self, now_ns: int) -> int:
        """Write all dirty blocks, slot by slot; return when the unit is idle."""
        self.raid.advance(now_ns)
        for slot in self.slots:
            self._write_back(now_ns, slot)
        self.raid.finish()
        return max(self.raid.disks.free_ns, self.raid.bus.free_ns)

    def counts(self) -> dict[str, int]:
        """Return the counters of the cache and of its unit."""
        names = "hits misses read_ahead used_ahead evicted accepted_bytes overwritten_bytes"
        raid = self.raid
        return {
            **{name: getattr(self, name) for name in names.split()},
            "disk_reads": raid.reads,
            "disk_writes": raid.writes,
            "disk_read_bytes": raid.read_bytes,
            "disk_written_bytes": raid.written_bytes,
            "disk_busy_ns": raid.disks.busy_ns,
            "bus_busy_ns": raid.bus.busy_ns,
            "disk_hits": raid.hits,
        }
