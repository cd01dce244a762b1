"""Disks: an arm that serves one request at a time."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from simulator.config.part import READ, Device, rate_of, services, spec_of
from simulator.config.quantities import Size, Time
from simulator.config.rates import Times, time_of
from simulator.config.ratetables import DeviceRates
from simulator.config.section import Called, check, default
from simulator.config.sources import FREE, STILL
from simulator.kinds.dice import LEFT_OUT, Dice
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.units import Nanoseconds, format_time

RotationalDelay = Annotated[Literal["mean", "drawn"], Called("rotational-delay")]


class Disk(Device):
    """A disk, or an array that is seen as one: what does not follow the last request positions."""

    synonyms = {"latency": "rotation", "average_seek": "seek"}
    what = "disk"
    medium = True
    fails = True
    counted = True
    spec = DiskSpec
    roles = {"device": 2, "work": 1, "sync": 1}

    kind: Literal["disk"]
    """Which kind of part this is."""
    rate: DeviceRates
    """Sustained rate of the medium; or rates by how many requests are under way, by their size, or
    by both; or one of these for reading and one for writing."""
    seek: Time = default(Nanoseconds(0), STILL)
    """Average seek, paid by a request that does not continue the one before."""
    rotation: Time = default(Nanoseconds(0), STILL)
    """Time of one rotation; half of it is waited for after a seek."""
    overhead: Times = default(Nanoseconds(0), FREE)
    """Time of one request beside positioning and transfer, or one for reading and one for writing.
    """
    capacity: Size | None = None
    """Of one disk; needed where a seek depends on its distance."""
    track_seek: Time | None = None
    """Seek to the next track; with ``full_seek`` a seek grows linearly with its distance."""
    full_seek: Time | None = None
    """Seek over the whole disk."""
    rotational_delay: RotationalDelay = default(
        "mean", "half a rotation is the mean; 'drawn' adds its variation"
    )
    """Half a rotation each time, or drawn from none to a whole one."""

    @check("full_seek", always=True)
    @staticmethod
    def _both_seeks(
        full: Nanoseconds | None, track_seek: Nanoseconds | None, capacity: int | None
    ) -> None:
        if (track_seek is None) != (full is None):
            there, lacking = ("track", "full") if full is None else ("full", "track")
            raise ValueError(f"{there}_seek is here without {lacking}_seek; write both or neither")
        if full is None or track_seek is None:
            return
        if track_seek > full:
            about = f"{format_time(full)} is less than track_seek"
            raise ValueError(f"{about}; write {format_time(track_seek)} or more")
        if capacity is None:
            raise ValueError("needs the capacity of the disk; write it like 'capacity: 8 GB'")

    @check("full_seek")
    @staticmethod
    def _average_between(full: Nanoseconds, track_seek: Nanoseconds, seek: Nanoseconds) -> None:
        if seek and not track_seek <= seek <= full:
            about = f"seek ({format_time(seek)}) is not between track_seek and this"
            raise ValueError(f"{about}; leave it out")

    @property
    def room(self) -> int | None:
        """Bytes of one disk, if its file says so."""
        return self.capacity

    def row(self) -> dict[str, Any]:
        """Return its specification."""
        spec = spec_of(
            DiskSpec,
            self,
            rate=rate_of(self.rate, READ),
            overhead_ns=time_of(self.overhead, READ),
            turn_ns=self.rotation,
            rotation_drawn=self.rotational_delay == "drawn",
        )
        return {"spec": spec, **services(self.rate, self.overhead)}

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
        writes = dice.table() if dice.maybe(30) else None
        service = dice.table() if dice.maybe(20) else spec.transfer()
        return {"spec": spec, "service": service, "writes": writes}

    @staticmethod
    def drawn_keys(dice: Dice) -> dict[str, Any]:
        """Draw a seek that grows with its distance, all keys of it, or none."""
        far = {"track_seek": "1 us", "full_seek": "2 ms", "capacity": dice.some("1 MB", "1 GB")}
        return {**far, "seek": LEFT_OUT} if dice.maybe(30) else dict.fromkeys(far, LEFT_OUT)
