"""Disks, disk arrays and tapes: what one request costs.

An array is a disk whose controller may hide the positioning; a tape drive is a disk whose
positioning is the mount of another volume.

Not modelled: settling after a write, the inside of an array.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.kinds.traits import PartSpec
from simulator.service import ServiceSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSpec(PartSpec):
    """Datasheet of one volume; times in ns, sizes in bytes, rates in bytes per second."""

    rate: float
    overhead_ns: int = 0
    """Paid by every request."""
    seek_ns: int = 0
    """Average seek, paid when a request does not continue the one before."""
    turn_ns: int = 0
    """One rotation; half of it is the expected delay after a seek."""
    mount_ns: int = 0
    """Tape: paid when the file is not the one served before."""
    capacity: int = 0
    """Bytes over which the arm moves; needed for seeks that depend on the distance."""
    track_seek_ns: int = 0
    full_seek_ns: int = 0
    """Seek to the next track and over the whole disk; both zero: every seek is average."""
    inner_rate: float = 0.0
    """Rate at the last byte of ``capacity``, where ``rate`` is that at the first; 0: the same."""
    rotation_drawn: bool = False
    """Draw the rotational delay evenly from one turn instead of taking its mean."""

    def transfer(self) -> ServiceSpec:
        """Overhead and rate of the transfer proper."""
        return ServiceSpec(self.rate, self.overhead_ns)

    def inner_ns(self, address: int, transfer_ns: int) -> int:
        """Return what a transfer takes longer than at address 0: zones.

        The rate falls linearly with the address at which the transfer begins.

        >>> DiskSpec(rate=200e6, inner_rate=100e6, capacity=1000).inner_ns(1000, 50)
        50
        """
        share = self.inner_rate / self.rate
        part = min(1.0, address / self.capacity)
        return int(transfer_ns * (1.0 / (1.0 - (1.0 - share) * part) - 1.0) + 0.5)

    def seek_time_ns(self, distance: int) -> int:
        """Seek over ``distance`` bytes of the disk's address range.

        Linear from ``track_seek_ns`` to ``full_seek_ns`` where both are given (its mean
        over random places is at a third of the range), else the average seek.
        """
        if not self.full_seek_ns:
            return self.seek_ns
        part = min(1.0, abs(distance) / self.capacity)
        return self.track_seek_ns + int((self.full_seek_ns - self.track_seek_ns) * part + 0.5)

    def rotation_ns(self, draw: float) -> int:
        """Rotational delay: half a turn, or ``draw`` (0 to 1) of one."""
        return int(self.turn_ns * draw) if self.rotation_drawn else self.turn_ns // 2

    def positioning_ns(self, distance: int, draw: float = 0.5) -> int:
        """Seek and rotational delay of a request that does not continue the last one."""
        return self.seek_time_ns(distance) + self.rotation_ns(draw)
