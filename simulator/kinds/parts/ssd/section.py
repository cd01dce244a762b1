"""Flash devices (SSDs): writes slow down when the write cache is full, and when flash runs out.

Data that are written go to a cache of fast cells while that has room. What does not fit goes
straight to the dense cells behind it, at the sustained rate. While the device is idle it moves
data from the cache to these cells at that rate. A measured drive (Kingston A2000, 1 TB): 2 GB/s for
150 GB, then 500 MB/s, and after a pause the first rate again (techpowerup.com, 2020).

Once the spare flash has been written, the device collects garbage: it copies what is valid of a
block, and erases it. If a share v is, each byte past the cache costs 1 / (1 - v) (Rosenblum and
Ousterhout, The Design and Implementation of a Log-Structured File System, ACM TOCS 10(1), 1992,
section 3.4, without reading). A write that does not follow the one before costs a collection
besides, as it breaks a block (Bouganim, Jonsson, Bonnet: uFLIP, CIDR 2009).

One request at a time, at the rate of as many as there are: rates are those of the whole device,
whose channels work on each together. Not modelled: reads that are faster from the cache, wear, how
much room the data leave for a cache, how much is valid as files come and go, and that a device
without requests collects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from simulator.config.part import Device, services, spec_of
from simulator.config.quantities import Percent, Rate, Size, SizeOrNone, Time
from simulator.config.rates import Times
from simulator.config.ratetables import DeviceRates, fastest
from simulator.config.section import check, default, leaf_of
from simulator.config.sources import FREE
from simulator.kinds.dice import LEFT_OUT, Dice
from simulator.kinds.traits import PartSpec
from simulator.plan.errors import MOST
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
    page: int = 0
    """What is written takes whole pages; 0: any bytes."""
    spare: int = 0
    """So many bytes are written before it collects."""
    collecting: int = 0
    """Bytes per second past the cache while it collects; 0: ``sustained``."""
    collect_ns: int = 0
    """Then paid past the cache by a write that does not follow the one before."""

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

    def collecting_ns(self, size: int) -> int:
        """Return the time of bytes that do not fit while it collects, rounded down.

        >>> SsdSpec(cache=100, sustained=500_000_000, collecting=10**8).collecting_ns(7)
        70
        """
        return size * SECOND // (self.collecting or self.sustained)

    def padding(self, low: int, high: int) -> int:
        """Return what bytes [low, high) lack of whole pages, at both ends.

        >>> SsdSpec(cache=0, sustained=1, page=16).padding(20, 40)
        12
        """
        return low % self.page + -high % self.page if self.page else 0

    def stalls(self, before: int, size: int) -> int:
        """Return how often it stalls for ``size`` bytes, after ``before`` since the last stall."""
        return (before + size) // self.erase if self.erase else 0


class Ssd(Device):
    """A flash device: writes slow down when its cache is full, and when it has to collect."""

    synonyms = {"slc_cache": "cache"}
    what = "flash device"
    later = frozenset(("page", "spare", "valid", "collect"))
    medium = True
    fails = True
    counted = True
    spec = SsdSpec
    roles = {"device": 2, "work": 1, "stage": 1, "sync": 1}

    kind: Literal["ssd"]
    """Which kind of part this is."""
    rate: DeviceRates
    """Rate while the write cache has room; or rates by how many requests are under way, by their
    size, or by both; or one of these for reading and one for writing."""
    cache: Size | None = None
    """Write cache: fast cells, or memory that outlives a power failure; if left out all is written
    at the rate."""
    sustained_rate: Rate | None = None
    """Rate of writing past the cache; the cache drains at it while the device is idle."""
    overhead: Times = default(Nanoseconds(0), FREE)
    """Time of one request beside its bytes, or one for reading and one for writing."""
    erase: Size | None = None
    """Bytes written from one stall to the next; it never stalls if left out."""
    stall: Time | None = None
    """Time of a stall, in which cells are erased; needed where ``erase`` is given."""
    page: Size | None = None
    """Page of the flash: writes take whole ones; any bytes if left out."""
    valid: Percent = default(0.0, "neutral: what is collected holds nothing")
    """How much of what it collects is valid, and copied: past the cache a byte costs 1 / (1 - it).
    """
    collect: Time = default(Nanoseconds(0), "neutral: pieces cost what their bytes do")
    """While it collects, time of a write past the cache that does not follow the one before."""
    spare: SizeOrNone = default(Bytes(0), "neutral: the device is in its sustained state")
    """Erased flash at the start: bytes written before it collects."""

    @check("sustained_rate", always=True)
    @staticmethod
    def _slower(sustained: BytesPerSecond | None, rate: Any, cache: Bytes | None) -> None:
        if (sustained is None) != (cache is None):
            there, lacking = ("cache", "sustained_rate")[:: 1 if sustained is None else -1]
            raise ValueError(f"{there} is here without {lacking}; write both or neither")
        most = fastest(rate, "write")
        if sustained is not None and sustained > most:
            shown = leaf_of(Rate).show(most)
            raise ValueError(f"is more than the rate of writing; write {shown} or less")

    @check("stall", always=True)
    @staticmethod
    def _both(stall: Nanoseconds | None, erase: Bytes | None) -> None:
        if (stall is None) != (erase is None):
            there, lacking = ("stall", "erase") if stall is not None else ("erase", "stall")
            raise ValueError(f"{there} is here without {lacking}; write both or neither")

    @check("valid")
    @staticmethod
    def _some_is_free(valid: float, cache: Bytes | None) -> None:
        if valid > MOST_VALID:
            raise ValueError("leaves nothing to write to; write '99 %' or less")
        _past_cache("valid", valid, cache)

    @check("collect")
    @staticmethod
    def _behind_a_cache(collect: Nanoseconds, cache: Bytes | None) -> None:
        _past_cache("collect", collect, cache)

    @check("spare")
    @staticmethod
    def _before_it_collects(spare: Bytes, valid: float, collect: Nanoseconds) -> None:
        if spare and not valid and not collect:
            raise ValueError("changes nothing without 'valid' or 'collect'; write one, or leave it")

    def row(self) -> dict[str, Any]:
        """Return its specification; reads and writes have services of their own."""
        sustained = round(self.sustained_rate or SECOND)
        spec = spec_of(
            SsdSpec,
            self,
            cache=MOST if self.cache is None else self.cache,
            sustained=sustained,
            collecting=max(1, round(sustained * (1 - self.valid))) if self.valid else 0,
        )
        both = services(self.rate, self.overhead)
        return {"spec": spec, "writes": both["service"], **both}

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a cache that some requests fill; where nothing is rounded, none or one that none."""
        erase = dice.some(0, 0, 30, 64, 1000)
        collects = dice.maybe(40) and not dice.exact
        spec = SsdSpec(
            cache=dice.some(0, SECOND) if dice.exact else dice.some(0, 10, 100, 1000),
            sustained=SECOND if dice.exact else SECOND // dice.some(1, 3, 10, 20),
            erase=erase,
            stall_ns=dice.some(1, 70, 900) if erase else 0,
            page=dice.some(0, 0, 7, 64) if not dice.exact else 0,
            spare=dice.some(0, 50, 1000) if collects else 0,
            collecting=SECOND // dice.some(21, 50) if collects else 0,
            collect_ns=dice.some(0, 1, 300) if collects else 0,
        )
        return {"spec": spec, "service": dice.table(), "writes": dice.table()}

    @staticmethod
    def drawn_keys(dice: Dice) -> dict[str, Any]:
        """Draw stalls or none, and a sustained rate that is no higher than the rate."""
        stalls = {"erase": dice.some("10 kB", "300 kB"), "stall": "2 ms"}
        given = stalls if dice.maybe() else dict.fromkeys(stalls, LEFT_OUT)
        past = {"valid": dice.some("0 %", "60 %"), "collect": "20 us", "spare": "100 kB"}
        if dice.maybe(20):
            return {"cache": LEFT_OUT, "sustained_rate": LEFT_OUT, **dict.fromkeys(past, LEFT_OUT)}
        given |= past if dice.maybe() else dict.fromkeys(past, LEFT_OUT)
        rate = {1: "100 MB/s", 4: dice.some("50 MB/s", "400 MB/s")}
        return {
            "rate": dice.some("100 MB/s", rate, {"4 KiB": "20 MB/s", "64 KiB": rate}),
            "sustained_rate": dice.some("10 MB/s", "100 MB/s"),
            **given,
        }


MOST_VALID = 0.99
"""Of what is collected."""


def _past_cache(key: str, value: float, cache: Bytes | None) -> None:
    """Refuse what says how it is written past a cache that there is not."""
    if value and cache is None:
        about = f"{key} is of writing past a cache; write 'cache' and 'sustained_rate' too"
        raise ValueError(f"{about}, or leave it out")
