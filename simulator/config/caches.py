"""Stores: caches and memory tiers, such as a page cache, a burst buffer or the NWT's SSU."""

from __future__ import annotations

from typing import Annotated, Literal

from simulator.config.quantities import (
    Count,
    Name,
    Percent,
    Size,
    show_percent,
    word,
    words,
)
from simulator.config.section import Called, Earlier, Section, check
from simulator.kinds import names
from simulator.plan.parts import StorePlan
from simulator.units import Bytes, format_size

Replacement = Annotated[str, word("replacement", *names("reference/policies"))]
WriteMode = Annotated[Literal["back", "through"], Called("write-mode")]
Release = Annotated[Literal["none", "whole", "full"], Called("release")]
Trigger = Literal["mark", "eager", "close", "rewrite"]
Triggers = Annotated[tuple[Trigger, ...], words("starts", "mark", "eager", "close", "rewrite")]

MOST_SLOTS = 1 << 40
_ONLY_BACK = ("dirty", "start", "high", "low", "writers", "quota", "release")
EXTENT = 1 << 20
"""Bytes that a store moves at one time at most, if its file does not say."""


class Store(Section):
    """A store that keeps blocks of files; each node of its group has one."""

    synonyms = {
        "background": "high",
        "size": "capacity",
        "replacement": "policy",
        "mode": "write",
        "workers": "writers",
        "share": "quota",
        "unit": "block",
        "dirty_limit": "dirty",
    }

    at: Name | None = None
    """The group of nodes that have one each; a single one for the whole machine if left out."""
    capacity: Size
    """All its memory."""
    block: Size = Bytes(4096)
    """What is kept and replaced."""
    extent: Size | None = None
    """What is moved at one time at most: whole blocks; 1 MiB, or a block that is larger."""
    policy: Replacement = "lru"
    """Which block is replaced."""
    write: WriteMode = "back"
    """Written data stay until they are written back; or go through to the next tier at once."""
    dirty: Percent = 0.2
    """Dirty part of the capacity at which writers wait."""
    start: Triggers = ("mark",)
    """What starts a write-back: dirty data above the high watermark, each write (eager), a close,
    a rewrite of dirty data."""
    high: Percent = 0.1
    """High watermark: the dirty part above which write-back starts, if it starts at a mark."""
    low: Percent | None = None
    """Low watermark: the dirty part at which it stops; the high watermark if left out."""
    writers: Count = 1
    """Write-backs at one time."""
    read_ahead: Size | None = None
    """What is read ahead of a sequential reader; nothing if left out."""
    quota: Size | None = None
    """What the written blocks of one file may hold: whole blocks; no limit if left out."""
    release: Release = "none"
    """Past the quota, which written blocks of a file are given up once they are clean: none, those
    that one call wrote whole, or all that are full."""

    @check("capacity", "quota", "extent")
    @classmethod
    def _enough_blocks(cls, size: Bytes | None, earlier: Earlier) -> Bytes | None:
        block, capacity = earlier.get("block"), earlier.get("capacity")
        if size is None or block is None:  # The capacity comes before the block: see below.
            return size
        if size % block:
            least = format_size(max(size // block, 1) * block)
            about = f"{format_size(size)} is not a whole number of blocks of {format_size(block)}"
            raise ValueError(f"{about}; write {least}, or change the block")
        if capacity is not None and size > capacity:
            most = format_size(capacity)
            raise ValueError(f"{format_size(size)} is more than the capacity; write {most} or less")
        return size

    @check("block")
    @classmethod
    def _fits(cls, block: Bytes, earlier: Earlier) -> Bytes:
        capacity = earlier.get("capacity")
        if capacity is None:
            return block
        if capacity < block:
            about = f"{format_size(block)} is more than the capacity"
            raise ValueError(f"{about}; write {format_size(capacity)} or less")
        if capacity // block > MOST_SLOTS:
            raise ValueError(f"{format_size(block)} makes more than 2**40 blocks; write more")
        return block

    @check("low")
    @classmethod
    def _marks_are_in_order(cls, low: float | None, earlier: Earlier) -> float | None:
        high = earlier.get("high")
        if low is not None and high is not None and low > high:
            most = show_percent(high)
            raise ValueError(
                f"{show_percent(low)} is above the high watermark; write {most} or less"
            )
        return low

    @check("high")
    @classmethod
    def _below_the_limit(cls, high: float, earlier: Earlier) -> float:
        dirty = earlier.get("dirty")
        starts = earlier.get("start", ())
        if dirty is not None and "mark" in starts and high > dirty:
            about = f"{show_percent(high)} is above the dirty limit, which would never be passed"
            raise ValueError(f"{about}; write {show_percent(dirty)} or less")
        return high

    @property
    def structure(self) -> tuple[object, ...]:
        """What the paths of its machine depend on."""
        return self.at, "close" in self.start

    def faults(self) -> list[tuple[str, str]]:
        """Return keys that have no effect, and why."""
        given = self.given
        if self.write == "back":
            if "release" in given and self.release != "none" and self.quota is None:
                return [("release", "has no effect without a quota; write 'quota:' too")]
            return []
        about = "has no effect on a store that writes through; leave it out, or write 'write: back'"
        return [(key, about) for key in _ONLY_BACK if key in given]

    def plan(self, name: str, group: int, first: int, count: int, column: int) -> StorePlan:
        """Return what an engine takes; columns ``column`` (cache) and the next (write-back)."""
        slots = self.capacity // self.block
        back = self.write == "back"
        limit = max(1, int(slots * self.dirty + 1e-6))
        high = int(slots * self.high + 1e-6)
        low = high if self.low is None else int(slots * self.low + 1e-6)
        extent = max(EXTENT, self.block) if self.extent is None else self.extent
        return StorePlan(
            name=name,
            group=group,
            first=first,
            count=count,
            slots=slots,
            block=self.block,
            extent=min(extent // self.block, slots),
            policy=self.policy,
            back=back,
            dirty_limit=limit if back and limit < slots else -1,
            quota=-1 if self.quota is None else self.quota // self.block,
            release=self.release if back else "none",
            triggers=frozenset(self.start) if back else frozenset(),
            high=high if back else 0,
            low=low if back else 0,
            workers=self.writers if back else 0,
            ahead=0 if self.read_ahead is None else -(-self.read_ahead // self.block),
            cache_column=column,
            writeback_column=column + 1,
        )
