"""Numbers of a redundant array of disks: where bytes lie on its disks, and what a disk takes."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.kinds.traits import PartSpec

SECOND = 1_000_000_000
PARITIES = {"mirror": 0, "raid5": 1, "raid6": 2}
"""The disks of each row that hold none of its data, by level; of a mirror each has a twin."""


def columns_of(disks: int, parities: int) -> int:
    """Return how many disks hold data of a row, each other bytes of it."""
    return disks - parities if parities else disks // 2


@dataclass(frozen=True, slots=True)
class ArraySpec(PartSpec):
    """Disks whose units lie in rows: a unit of each disk, at the same address on all."""

    disks: int
    parities: int
    """Disks of each row with parity; 0: each two disks are mirrors."""
    unit: int
    """Bytes that lie together on a disk."""
    capacity: int
    """Bytes of a disk: what is written on its replacement."""
    rate: float
    """Of a disk; bytes per second."""
    overhead_ns: int = 0
    seek_ns: int = 0
    turn_ns: int = 0
    step: int = 1 << 20
    """Bytes that are rebuilt at a time."""
    rebuild: int = 1 << 62
    """At most so many bytes of a disk are rebuilt in a second."""

    @property
    def columns(self) -> int:
        """The units of data of a row."""
        return columns_of(self.disks, self.parities)

    def disk_of(self, row: int, column: int) -> int:
        """Return the disk with a unit of data; of a mirror the first of two.

        Parity stands on another disk in each row, from the last disk on; the data follow it.

        >>> five = ArraySpec(4, 1, 10, 1000, 1e9)
        >>> [[five.disk_of(row, column) for column in range(3)] for row in range(4)]
        [[0, 1, 2], [3, 0, 1], [2, 3, 0], [1, 2, 3]]
        """
        if not self.parities:
            return 2 * column
        return (self.parity_of(row, 0) + self.parities + column) % self.disks

    def parity_of(self, row: int, number: int) -> int:
        """Return the disk with the first or second parity of a row."""
        return (self.disks - self.parities - row % self.disks + number) % self.disks

    def access_ns(self, gap: int, size: int, idle_ns: int = 0) -> int:
        """Return what a disk takes for ``size`` bytes that begin ``gap`` bytes behind its head.

        It seeks, and waits half a rotation, or passes over as much as the parity of a row if that
        is faster; for ``idle_ns`` before it has done so already, since it turns while it is idle.

        >>> spec = ArraySpec(4, 1, 10, 1000, 1e9, overhead_ns=1, seek_ns=8)
        >>> [spec.access_ns(gap, 20) for gap in (0, 7, 9, -7)]
        [21, 28, 29, 29]
        >>> [spec.access_ns(7, 20, idle) for idle in (3, 7, 99)]
        [25, 21, 21]
        """
        move = self.transfer_ns(size)
        seeking = self.seek_ns + self.turn_ns // 2 + move
        if 0 <= gap <= self.parities * self.unit:
            seeking = min(seeking, max(move, self.transfer_ns(gap + size) - idle_ns))
        return self.overhead_ns + seeking

    def rewrite_ns(self, size: int) -> int:
        """Return what a disk takes to write what it has just read: it turns once."""
        return self.overhead_ns + self.turn_ns + self.transfer_ns(size)

    def transfer_ns(self, size: int) -> int:
        """Return the time of bytes."""
        return int(size * (1e9 / self.rate) + 0.5)

    def rebuild_steps(self) -> float:
        """Return how many accesses a rebuild is, where each step is carried out by itself."""
        return 2 * self.capacity / self.step

    def pace_ns(self, size: int) -> int:
        """Return how long it is at least from the begin of a step of a rebuild to the next."""
        return size * SECOND // self.rebuild
