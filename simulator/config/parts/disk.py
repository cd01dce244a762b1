"""Disks and tape drives: an arm, or a mounted tape, that serves one request at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from simulator.config.parts.base import BOTH, READ, Device, Row
from simulator.config.parts.queue import rate_of, services
from simulator.config.quantities import Size, Time
from simulator.config.rates import Rates, Times, time_of
from simulator.config.section import Called, Earlier, check
from simulator.plan.specs.disk import DiskSpec
from simulator.units import Nanoseconds, format_time

RotationalDelay = Annotated[Literal["mean", "drawn"], Called("rotational-delay")]


class Disk(Device):
    """A disk, or an array that is seen as one: what does not follow the last request positions."""

    synonyms = {
        "bandwidth": "rate",
        "turn": "rotation",
        "latency": "rotation",
        "average_seek": "seek",
        "size": "capacity",
    }

    kind: Literal["disk"]
    """Which kind of part this is."""
    rate: Rates
    """Sustained rate of the medium, or one rate for reading and one for writing."""
    seek: Time = Nanoseconds(0)
    """Average seek, paid by a request that does not continue the one before."""
    rotation: Time = Nanoseconds(0)
    """Time of one rotation; half of it is waited for after a seek."""
    overhead: Times = Nanoseconds(0)
    """Time of one request beside positioning and transfer, or one for reading and one for writing.
    """
    capacity: Size | None = None
    """Of one disk; needed where a seek depends on its distance."""
    track_seek: Time | None = None
    """Seek to the next track; with ``full_seek`` a seek grows linearly with its distance."""
    full_seek: Time | None = None
    """Seek over the whole disk."""
    rotational_delay: RotationalDelay = "mean"
    """Half a rotation each time, or drawn from none to a whole one."""

    @check("full_seek", always=True)
    @classmethod
    def _both_seeks(cls, full: Nanoseconds | None, earlier: Earlier) -> Nanoseconds | None:
        if "track_seek" not in earlier or "capacity" not in earlier:  # Wrong themselves.
            return full
        track, average = earlier["track_seek"], earlier.get("seek", 0)
        if (track is None) != (full is None):
            there, lacking = ("track", "full") if full is None else ("full", "track")
            raise ValueError(f"{there}_seek is here without {lacking}_seek; write both or neither")
        if full is None:
            return None
        if track > full:
            about = f"{format_time(full)} is less than track_seek"
            raise ValueError(f"{about}; write {format_time(track)} or more")
        if average and not track <= average <= full:
            about = f"seek ({format_time(average)}) is not between track_seek and this"
            raise ValueError(f"{about}; leave it out")
        if earlier["capacity"] is None:
            raise ValueError("needs the capacity of the disk; write it like 'capacity: 8 GB'")
        return full

    def rows(self) -> Iterator[Row]:
        """Return one row."""
        spec = DiskSpec(
            rate=rate_of(self.rate, READ),
            overhead_ns=time_of(self.overhead, READ),
            seek_ns=self.seek,
            turn_ns=self.rotation,
            capacity=self.capacity or 0,
            track_seek_ns=self.track_seek or 0,
            full_seek_ns=self.full_seek or 0,
            rotation_drawn=self.rotational_delay == "drawn",
        )
        yield Row(BOTH, "disk", {"disk": spec, **services(self.rate, self.overhead)})


class Tape(Device):
    """A tape drive: another file than before has to be mounted first."""

    synonyms = {"bandwidth": "rate", "seek": "mount", "drives": "count"}

    kind: Literal["tape"]
    """Which kind of part this is."""
    rate: Rates
    """Rate of the drive, or one rate for reading and one for writing."""
    mount: Time
    """Time until a tape is ready."""
    overhead: Times = Nanoseconds(0)
    """Time of one request beside mount and transfer, or one for reading and one for writing."""

    def rows(self) -> Iterator[Row]:
        """Return one row: a disk without seeks, whose mount is paid by each other file."""
        overhead = time_of(self.overhead, READ)
        spec = DiskSpec(rate=rate_of(self.rate, READ), overhead_ns=overhead, mount_ns=self.mount)
        yield Row(BOTH, "disk", {"disk": spec, **services(self.rate, self.overhead)})
