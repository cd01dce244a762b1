"""Disks: an arm that serves one request at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from simulator.config.part import BOTH, READ, Device, Row, rate_of, services
from simulator.config.quantities import Size, Time
from simulator.config.rates import Rates, Times, time_of
from simulator.config.section import Called, Earlier, check
from simulator.config.sources import FREE, SINGLE, STILL
from simulator.kinds.dice import LEFT_OUT, Dice
from simulator.kinds.parts.disk.spec import DiskSpec
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
    what = "disk"
    medium = True
    fails = True
    counted = True
    spec = DiskSpec
    roles = {"device": 2, "work": 1, "sync": 1}
    reasons = {
        "seek": STILL,
        "rotation": STILL,
        "overhead": FREE,
        "rotational_delay": "half a rotation is the mean; 'drawn' adds its variation",
        "count": SINGLE,
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

    @property
    def room(self) -> int | None:
        """Bytes of one disk, if its file says so."""
        return self.capacity

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
        yield Row(BOTH, "disk", {"spec": spec, **services(self.rate, self.overhead)})

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a disk, whose seeks at times depend on their distance."""
        far = dice.maybe(20) and not dice.exact
        spec = DiskSpec(
            rate=1e9 / dice.some(1, 2, 6, 10),
            overhead_ns=dice.some(0, 20),
            seek_ns=dice.some(0, 100, 500),
            turn_ns=dice.some(0, 60),
            capacity=10_000 if far else 0,
            track_seek_ns=10 if far else 0,
            full_seek_ns=700 if far else 0,
            rotation_drawn=dice.maybe(20) and not dice.exact,
        )
        writes = dice.service() if dice.maybe(30) else None
        return {"spec": spec, "service": spec.transfer(), "writes": writes}

    @staticmethod
    def drawn_keys(dice: Dice) -> dict[str, Any]:
        """Draw a seek that grows with its distance, all keys of it, or none."""
        far = {"track_seek": "1 us", "full_seek": "2 ms", "capacity": dice.some("1 MB", "1 GB")}
        return {**far, "seek": LEFT_OUT} if dice.maybe(30) else dict.fromkeys(far, LEFT_OUT)
