"""Disks, disk arrays and tapes: what one request costs, and who waits for whom.

``DiskSpec`` says how long a request takes; ``Disk`` keeps the queue and the position of
the arm. An array is a disk whose controller may hide the positioning; a tape drive is a
disk whose positioning is the mount of another volume.

Not modelled: zones of different rate, settling after a write, the inside of an array.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.machine.mixing import mix
from simulator.machine.noise import SILENT, Noise
from simulator.machine.station import ServiceSpec, Station

if TYPE_CHECKING:
    from simulator.machine.actor import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSpec:
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
    rotation_drawn: bool = False
    """Draw the rotational delay evenly from one turn instead of taking its mean."""

    def transfer(self) -> ServiceSpec:
        """Overhead and rate of the transfer proper."""
        return ServiceSpec(self.rate, self.overhead_ns)

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


class Disk(Station):
    """A volume with a queue in front of it, first come first served."""

    __slots__ = ("_file", "_head", "disk")

    def __init__(self, name: str, spec: DiskSpec, *, noise: Noise = SILENT) -> None:
        super().__init__(name, spec.transfer(), noise=noise)
        self.disk = spec
        self._head = -1  # the address after the last byte served; -1 is nowhere yet
        self._file = -1

    def request(
        self, actor: Actor, file: int, span: tuple[int, int], size: int, spread: int = 1
    ) -> tuple[int, int]:
        """Queue this volume's ``size`` bytes of a transfer; returns (wait ns, time done).

        ``span`` is the whole transfer's range of addresses, ``spread`` the number of
        volumes that it is divided over. The order of service is the order of arrival, so
        where the arm will be is known on arrival.
        """
        now = actor.now
        start = self.free_at[0]
        if start < now:  # noqa: PLR1730 - max() takes four times as long
            start = now
        service = self.spec.service_ns(size)
        if span[0] != self._head:
            disk = self.disk
            draw = 0.5
            if disk.rotation_drawn:
                draw = (mix(self.noise.key, -self.requests - 1) >> 11) / 2**53
            service += disk.positioning_ns(abs(span[0] - max(0, self._head)) // spread, draw)
        if file != self._file:
            service += self.disk.mount_ns
        self._file = file
        self._head = span[1]
        if self.noisy:
            service = self.noise.stretch(service, self.requests + 1)
        return start - now, self.occupy(0, start, service, size)
