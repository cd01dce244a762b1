"""A RAID unit behind a buffer cache; ``RaidUnit`` knows its times when it is asked."""

from __future__ import annotations

from simulator.machine.raid import RaidUnit
from simulator.reference.part import Part
from simulator.result.result import PartResult


class Raid(Part):
    """The unit belongs to the buffer cache in front of it, which attaches it."""

    unit: RaidUnit | None = None

    def attach(self, block: int, blocks: int) -> RaidUnit:
        """Return the unit, for so many blocks of ``block`` bytes."""
        assert self.plan.raid is not None
        self.unit = RaidUnit(self.plan.raid, block, blocks)
        return self.unit

    def result(self) -> PartResult:
        """Return what its disks did."""
        unit = self.unit
        if unit is not None:
            self.requests = unit.reads + unit.writes
            self.bytes = unit.read_bytes + unit.written_bytes
            self.busy_ns = unit.media_busy
        return super().result()
