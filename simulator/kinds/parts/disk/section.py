"""Disks: an arm that serves one request at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, Literal

from simulator.config.errors import Fault
from simulator.config.part import READ, Device, rate_of, services, spec_of
from simulator.config.quantities import Count, Rate, Size, Time
from simulator.config.rates import EachWay, Times, time_of
from simulator.config.ratetables import DeviceRates, by_number
from simulator.config.section import Called, check, default
from simulator.config.sources import FREE, STILL
from simulator.kinds.dice import LEFT_OUT, Dice
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.kinds.parts.scheduled.spec import SCHEDULERS, ScheduledSpec
from simulator.units import Nanoseconds, format_rate, format_time

Scheduler = Annotated[Literal["none", "mq-deadline", "bfq"], Called("scheduler")]
OWN_KEYS = {
    "mq-deadline": ("read_expire", "write_expire", "writes_starved", "fifo_batch"),
    "bfq": ("slice", "slice_idle", "budget"),
}
"""Keys of one scheduler."""
RotationalDelay = Annotated[Literal["mean", "drawn"], Called("rotational-delay")]


class Disk(Device):
    """A disk, or an array that is seen as one: what does not follow the last request positions."""

    synonyms = {"latency": "rotation", "average_seek": "seek"}
    what = "disk"
    later = frozenset(
        (
            "inner_rate",
            "scheduler",
            "ncq",
            "merge",
            *(key for own in OWN_KEYS.values() for key in own),
        )
    )
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
    inner_rate: Rate | None = None
    """Zones: ``rate`` (of reading) is that of the first byte, this that of the last one of
    ``capacity``; between them it falls linearly with the address, also of writing."""
    scheduler: Scheduler = default("none", "first come, first served")
    """Linux's scheduler that requests wait in: none, mq-deadline or bfq."""
    ncq: Count = default(1, "the drive has one command at a time")
    """Commands that the drive has at once, of which it carries out the nearest."""
    merge: Size | None = None
    """Most bytes of a command of neighbouring requests that wait (Linux: often 1280 KiB); if left
    out, none are merged."""
    read_expire: Time | None = None
    """mq-deadline: age at which a read goes before its turn; 500 ms if left out."""
    write_expire: Time | None = None
    """mq-deadline: that of a write; 5 s if left out."""
    writes_starved: Count | None = None
    """mq-deadline: batches of reads before one of writes that wait; 2 if left out."""
    fifo_batch: Count | None = None
    """mq-deadline: most commands of a batch; 16 if left out."""
    slice: Time | None = None
    """bfq: time after which a queue gives up the disk; 125 ms if left out."""
    slice_idle: Time | None = None
    """bfq: for how long the disk waits for the next read of a file; 8 ms if left out."""
    budget: Size | None = None
    """bfq: bytes after which a queue gives up the disk; 8 MiB if left out."""

    @check("inner_rate")
    @staticmethod
    def _falls(inner_rate: float, rate: DeviceRates, capacity: int | None) -> None:
        if not isinstance(rate, EachWay):
            raise ValueError("goes with one rate, of the first byte; write one, or leave this out")
        if inner_rate > rate.read:
            about = f"{format_rate(inner_rate)} is more than the rate of the first byte"
            raise ValueError(f"{about}; write {format_rate(rate.read)} or less")
        if capacity is None:
            raise ValueError("needs the capacity of the disk; write it like 'capacity: 8 GB'")

    def faults(self) -> Iterator[Fault]:
        """Find keys of another scheduler than its own, and rates that follow from no queue."""
        yield from super().faults()
        if self.stands_alone and by_number(self.rate):
            about = "is by requests under way, which here the scheduler or the drive's queue choose"
            yield ("rate",), f"{about}; write one rate, or rates by size"
        for scheduler, keys in OWN_KEYS.items():
            for key in keys if scheduler != self.scheduler else ():
                if getattr(self, key) is not None:
                    about = f"is of scheduler {scheduler}, but this disk has {self.scheduler}"
                    yield (key,), f"{about}; leave it out, or write 'scheduler: {scheduler}'"

    @property
    def served_as(self) -> str:
        """Return what engines take it for: requests wait to be chosen, or come in order."""
        ordered = self.scheduler == "none" and self.ncq == 1 and self.merge is None
        return "disk" if ordered else "scheduled"

    @property
    def stands_alone(self) -> bool:
        """Return whether nothing can be held together with it."""
        return self.served_as != "disk"

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
        fields: dict[str, Any] = {
            "rate": rate_of(self.rate, READ),
            "overhead_ns": time_of(self.overhead, READ),
            "turn_ns": self.rotation,
            "rotation_drawn": self.rotational_delay == "drawn",
        }
        spec: DiskSpec
        if self.stands_alone:
            spec = spec_of(ScheduledSpec, self, policy=SCHEDULERS.index(self.scheduler), **fields)
        else:
            spec = spec_of(DiskSpec, self, **fields)
        return {"spec": spec, **services(self.rate, self.overhead)}

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a disk, whose seeks at times depend on their distance."""
        far, zones = (dice.maybe(20) and not dice.exact for _ in range(2))
        rate = 1e9 / dice.some(1, 2, 6, 10)
        spec = DiskSpec(
            rate=rate,
            inner_rate=rate * dice.some(0.3, 0.5, 1) if zones else 0.0,
            overhead_ns=dice.some(0, 20),
            seek_ns=dice.some(0, 100, 500),
            turn_ns=dice.some(0, 60),
            capacity=10_000 if far or zones else 0,
            track_seek_ns=10 if far else 0,
            full_seek_ns=700 if far else 0,
            rotation_drawn=dice.maybe(20) and not dice.exact,
        )
        writes = dice.table() if dice.maybe(30) else None
        if writes is not None and zones:  # Which have one rate each way.
            writes = replace(writes, points=(), deeper=())
        service = dice.table() if dice.maybe(20) and not zones else spec.transfer()
        return {"spec": spec, "service": service, "writes": writes}

    @staticmethod
    def drawn_keys(dice: Dice) -> dict[str, Any]:
        """Draw a seek that grows with its distance, all keys of it, or none; and a scheduler."""
        far = {"track_seek": "1 us", "full_seek": "2 ms", "capacity": dice.some("1 MB", "1 GB")}
        if dice.maybe(30):
            keys = {**far, "seek": LEFT_OUT, "inner_rate": dice.some(LEFT_OUT, "1 MB/s")}
        else:
            keys = dict.fromkeys((*far, "inner_rate"), LEFT_OUT)
        keys["scheduler"] = dice.some("none", "none", *OWN_KEYS)
        others = [own for name, own in OWN_KEYS.items() if name != keys["scheduler"]]
        return keys | dict.fromkeys((key for own in others for key in own), LEFT_OUT)
