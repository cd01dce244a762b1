"""Flash devices (SSDs): writes slow down when the write cache is full.

Data that are written go to a cache of fast cells while that has room. What does not fit goes
straight to the dense cells behind it, at the sustained rate. While the device is idle it moves
data from the cache to these cells at that rate. A measured drive (Kingston A2000, 1 TB): 2 GB/s for
150 GB, then 500 MB/s, and after a pause the first rate again (techpowerup.com, 2020).

One request at a time: rates are those of the whole device, whose channels work on each together.
Not modelled: reads that are faster from the cache, wear, how much room the data leave for a cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from simulator.config.part import Device, services, spec_of
from simulator.config.quantities import Rate, Size, Time
from simulator.config.rates import EachWay, Rates, Times
from simulator.config.section import check, default, leaf_of
from simulator.config.sources import FREE
from simulator.kinds.dice import LEFT_OUT, Dice
from simulator.kinds.traits import PartSpec
from simulator.units import Bytes, BytesPerSecond, Nanoseconds

SECOND = 10**9
"""Nanoseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SsdSpec(PartSpec):
    """What a device has beside an overhead and rates; sizes in bytes, times in ns."""

    cache: int
    """What is written fast while it has room."""
    sustained: int
    """Bytes per second that go to the cells behind the cache."""
    erase: int = 0
    """After so many bytes written the device stalls; 0: never."""
    stall_ns: int = 0
    """How long it stalls: it erases cells."""

    def drained(self, idle_ns: int) -> int:
        """Return the bytes that leave the cache in idle time: idle * sustained, rounded down.

        >>> SsdSpec(cache=100, sustained=500_000_000).drained(7)
        3
        """
        return idle_ns * self.sustained // SECOND

    def slow_ns(self, size: int) -> int:
        """Return the time of bytes that do not fit: size / sustained, rounded down.

        >>> SsdSpec(cache=100, sustained=500_000_000).slow_ns(7)
        14
        """
        return size * SECOND // self.sustained

    def stalls(self, before: int, size: int) -> int:
        """Return how often it stalls for ``size`` bytes, after ``before`` since the last stall."""
        return (before + size) // self.erase if self.erase else 0


class Ssd(Device):
    """A flash device: writes slow down when its write cache is full, and it stalls to erase."""

    synonyms = {"slc_cache": "cache"}
    what = "flash device"
    medium = True
    fails = True
    counted = True
    spec = SsdSpec
    roles = {"device": 2, "work": 1, "stage": 1, "sync": 1}

    kind: Literal["ssd"]
    """Which kind of part this is."""
    rate: Rates
    """Rate while the write cache has room, or one rate for reading and one for writing."""
    cache: Size
    """Write cache: fast cells, or memory that outlives a power failure."""
    sustained_rate: Rate
    """Rate of writing past the cache; the cache drains at it while the device is idle."""
    overhead: Times = default(Nanoseconds(0), FREE)
    """Time of one request beside its bytes, or one for reading and one for writing."""
    erase: Size | None = None
    """Bytes written from one stall to the next; it never stalls if left out."""
    stall: Time | None = None
    """Time of a stall, in which cells are erased; needed where ``erase`` is given."""

    @check("sustained_rate")
    @staticmethod
    def _slower(sustained: BytesPerSecond, rate: EachWay) -> None:
        if sustained > rate.write:
            most = leaf_of(Rate).show(rate.write)
            raise ValueError(f"is more than the rate of writing; write {most} or less")

    @check("stall", always=True)
    @staticmethod
    def _both(stall: Nanoseconds | None, erase: Bytes | None) -> None:
        if (stall is None) != (erase is None):
            there, lacking = ("stall", "erase") if stall is not None else ("erase", "stall")
            raise ValueError(f"{there} is here without {lacking}; write both or neither")

    def row(self) -> dict[str, Any]:
        """Return its specification; reads and writes have services of their own."""
        spec = spec_of(SsdSpec, self, sustained=round(self.sustained_rate))
        both = services(self.rate, self.overhead)
        return {"spec": spec, "writes": both["service"], **both}

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a cache that some requests fill; where nothing is rounded, none or one that none."""
        erase = dice.some(0, 0, 30, 64, 1000)
        spec = SsdSpec(
            cache=dice.some(0, SECOND) if dice.exact else dice.some(0, 10, 100, 1000),
            sustained=SECOND if dice.exact else SECOND // dice.some(1, 3, 10, 20),
            erase=erase,
            stall_ns=dice.some(1, 70, 900) if erase else 0,
        )
        return {"spec": spec, "service": dice.service(), "writes": dice.service()}

    @staticmethod
    def drawn_keys(dice: Dice) -> dict[str, Any]:
        """Draw stalls or none, and a sustained rate that is no higher than the rate."""
        stalls = {"erase": dice.some("10 kB", "300 kB"), "stall": "2 ms"}
        given = stalls if dice.maybe() else dict.fromkeys(stalls, LEFT_OUT)
        return {"rate": "100 MB/s", "sustained_rate": dice.some("10 MB/s", "100 MB/s"), **given}
