"""Processors of workstations, which message servers share with one process.

No tier can name them: data on their way to files pass other parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from simulator.config.errors import Fault
from simulator.config.part import Timed, spec_of
from simulator.config.quantities import Rate, Size, Time
from simulator.config.rates import Names
from simulator.config.section import Section, check, default
from simulator.config.sources import FREE, STILL
from simulator.kinds.dice import LEFT_OUT, Dice
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.units import Bytes, Nanoseconds, format_size

from .spec import CacheSpec, PagingSpec, WorkstationSpec

_ENDLESS = 1 << 62


def paging_column(name: str) -> str:
    """Return the account category of waiting for pages at a processor."""
    return f"{name}.paging"


class DataCache(Section):
    """The data cache of a processor: direct-mapped, with physical addresses."""

    synonyms = {"line_size": "line", "miss": "line_time"}

    size: Size
    """Its size; whole pages of memory."""
    line: Size
    """What is brought in at a time."""
    line_time: Time
    """Time to write an old line back and to bring a new one in."""


class Paging(Section):
    """The disk for pages that do not fit into memory."""

    synonyms = {"turn": "rotation", "bandwidth": "rate"}

    rate: Rate
    """Sustained rate."""
    seek: Time = default(Nanoseconds(0), STILL)
    """Average seek, paid for every page in or out."""
    rotation: Time = default(Nanoseconds(0), STILL)
    """Time of one rotation; half of it is paid for every page."""
    overhead: Time = default(Nanoseconds(0), FREE)
    """Time of one request beside these."""


class Processor(Timed):
    """The processor of a workstation: its servers come first, one process has what they leave."""

    uses = frozenset()
    what = "processor, behind its servers"
    order = "own"
    usable = False
    single = True
    computing = "process"
    directed = False
    spec = WorkstationSpec

    kind: Literal["processor"]
    """Which kind of part this is."""
    at: Names
    """The groups of nodes that have one."""
    update: Time
    """Time for one point of a mesh (the mean of its four neighbours) with the data in the cache."""
    cache: DataCache | None = None
    """Its data cache; a point always takes the same time if left out."""
    page: Size = default(Bytes(4096), "a page of most processors with virtual memory")
    """One page of memory."""
    resident: Size | None = None
    """Data of a process that stay in memory, at least one page; all if left out."""
    paging: Paging | None = None
    """The disk for pages that do not fit; needed where ``resident`` is given."""

    @check("resident")
    @staticmethod
    def _fits(resident: Bytes, page: Bytes) -> None:
        if resident < page:
            raise ValueError(f"no page fits; write {format_size(page)} or more")

    @check("paging")
    @staticmethod
    def _needed(_: Paging, resident: Bytes | None) -> None:
        if resident is None:
            raise ValueError("has no effect without 'resident'; write it, or leave this out")

    def categories(self, name: str) -> tuple[str, ...]:
        """Return the account category of waiting for pages."""
        return (paging_column(name),)

    def faults(self) -> Iterator[Fault]:
        """Find what several values decide: (keys, what is wrong)."""
        if self.resident is not None and self.paging is None:
            about = "pages that do not fit go nowhere; write 'paging: {rate: 1.5 MB/s}' too"
            yield ("resident",), about
        cache, page = self.cache, self.page
        if cache is not None and cache.size % page:
            fits = format_size(max(page, cache.size // page * page))
            about = f"{format_size(cache.size)} is not a whole number of pages of"
            yield ("cache", "size"), f"{about} {format_size(page)}; write {fits}"
        if cache is not None and cache.line > page:
            about = f"{format_size(cache.line)} is more than a page; write {format_size(page)}"
            yield ("cache", "line"), f"{about} or less"

    def row(self) -> dict[str, Any]:
        """Return its specification."""
        cache, paging = self.cache, self.paging
        disk = DiskSpec(rate=1e9)
        if paging is not None:
            disk = spec_of(DiskSpec, paging, turn_ns=paging.rotation)
        spec = WorkstationSpec(
            update_ns=self.update,
            memory=PagingSpec(self.resident or _ENDLESS, self.page, disk),
            cache=CacheSpec(cache.size, cache.line, cache.line_time, self.page) if cache else None,
        )
        return {"spec": spec}

    @staticmethod
    def drawn_keys(dice: Dice) -> dict[str, Any]:
        """Draw a data cache of whole pages, and memory with a disk for its pages, or neither."""
        cache = {"size": dice.some("16 KiB", "64 KiB"), "line": "128 B", "line_time": "1 us"}
        paging = {"rate": "1 MB/s", "seek": "300 us", "rotation": "20 us", "overhead": "1 us"}
        resident = dice.some("16 KiB", LEFT_OUT)
        return {
            "page": "4 KiB",
            "cache": dice.some(cache, LEFT_OUT),
            "resident": resident,
            "paging": LEFT_OUT if resident is LEFT_OUT else paging,
        }
