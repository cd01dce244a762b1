"""A RAID unit: its disks as one volume, its own cache, and the bus in front of it.

A request that follows the one before without a pause streams; one that comes later pays an overhead
and half a turn, one elsewhere a seek as well. How requests queue: docs/composition.md.

Not modelled: the disks behind the controller one by one, parity, a read-ahead of the unit's own.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.kinds.traits import PartSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class RaidSpec(PartSpec):
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

    def times_ns(self) -> list[int]:
        """Return what one request may take."""
        return [self.overhead_ns + self.seek_ns + self.turn_ns, self.bus_overhead_ns]

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
