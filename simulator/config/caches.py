"""Stores: caches and memory tiers, such as a page cache, a burst buffer or the NWT's SSU."""

from __future__ import annotations

from typing import Annotated, Literal

from simulator.config.quantities import (
    Count,
    CountOrNone,
    Flag,
    Name,
    Rate,
    Size,
    SmallSize,
    Time,
    word,
    words,
)
from simulator.config.rates import Share, bytes_of, show_share
from simulator.config.section import Called, Earlier, Section, check
from simulator.kinds import names
from simulator.plan.parts import StorePlan
from simulator.plan.throttle import LONGEST_NS, SPAN_S
from simulator.units import Bytes, Nanoseconds, format_size

Replacement = Annotated[str, word("replacement", *names("policies", "reference"))]
WriteMode = Annotated[Literal["back", "through"], Called("write-mode")]
Release = Annotated[Literal["none", "whole", "full"], Called("release")]
Trigger = Literal["mark", "eager", "close", "rewrite"]
Triggers = Annotated[tuple[Trigger, ...], words("starts", "mark", "eager", "close", "rewrite")]

MOST_SLOTS = 1 << 40
MOST_TIME = 1 << 60
"""Nanoseconds after which data expire, at most."""
_ONLY_BACK = (
    *("dirty", "start", "high", "low", "writers", "quota", "release"),
    *("expire", "interval", "throttle"),
)
SECOND_NS = 10**9
INTERVAL_NS = 5 * SECOND_NS
"""How often Linux looks for data that are old (dirty_writeback_centisecs)."""
EXTENT = 1 << 20
"""Bytes that a store moves at one time at most, if its file does not say."""


class _Usual(float):
    """A default that follows from another value where it does not fit it."""


_USUAL_HIGH = _Usual(0.1)


def _room(size: Bytes, earlier: Earlier) -> Bytes | None:
    """Return the capacity, if it is right; ValueError if a size is more."""
    capacity: Bytes | None = earlier.get("capacity")
    if capacity is not None and size > capacity:
        about = f"{format_size(size)} is more than the capacity"
        raise ValueError(f"{about}; write {format_size(capacity)} or less")
    return capacity


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

    naming = {"at": "group"}
    later = frozenset(("throttle", "expire", "interval", "elastic"))

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
    dirty: Share = 0.2
    """Dirty part of the capacity, or size, at which writers wait."""
    start: Triggers = ("mark",)
    """What starts a write-back: dirty data above the high watermark, each write (eager), a close,
    a rewrite of dirty data."""
    high: Share = _USUAL_HIGH
    """High watermark: the dirty part, or size, above which write-back starts, if it starts at a
    mark; 10 %, or ``dirty`` if that is less."""
    low: Share | None = None
    """Low watermark: the dirty part, or size, at which it stops; the high watermark if left out."""
    writers: Count = 1
    """Write-backs at one time."""
    throttle: Rate | None = None
    """The rate of write-back, by which writers are slowed down as the dirty part gets near its
    limit, as Linux does (``balance_dirty_pages``); they run freely up to it if left out."""
    expire: Time | None = None
    """Data that have been dirty for so long are written back (Linux: 30 s); never for their age if
    left out."""
    interval: Time | None = None
    """How often data are looked for that expire; every 5 s if left out."""
    elastic: Flag = False
    """It has what programs of its node leave of the memory: the ``memory`` of jobs is taken from
    its capacity, and from its dirty part and watermarks in proportion."""
    read_ahead: Size | None = None
    """What is read ahead of a sequential reader; nothing if left out."""
    quota: Size | None = None
    """What the written blocks of one file may hold: whole blocks; no limit if left out."""
    release: Release = "none"
    """Past the quota, which written blocks of a file are given up once they are clean: none, those
    that one call wrote whole, or all that are full."""

    @check("dirty", "high", "low")
    @classmethod
    def _within(cls, share: float | Bytes | None, earlier: Earlier) -> float | Bytes | None:
        capacity = earlier.get("capacity")
        if isinstance(share, int) and capacity is not None and share > capacity:
            most = format_size(capacity)
            about = f"{format_size(share)} is more than the capacity"
            raise ValueError(f"{about}; write {most} or less, or a percentage")
        return share

    @check("read_ahead")
    @classmethod
    def _kept_until_it_is_read(cls, size: Bytes | None, earlier: Earlier) -> Bytes | None:
        if size is not None:
            _room(size, earlier)
        return size

    @check("capacity", "quota", "extent")
    @classmethod
    def _enough_blocks(cls, size: Bytes | None, earlier: Earlier) -> Bytes | None:
        block = earlier.get("block")
        if size is None or block is None:  # The capacity comes before the block: see below.
            return size
        if size % block:
            least = format_size(max(size // block, 1) * block)
            about = f"{format_size(size)} is not a whole number of blocks of {format_size(block)}"
            raise ValueError(f"{about}; write {least}, or change the block")
        _room(size, earlier)
        return size

    @check("block")
    @classmethod
    def _fits(cls, block: Bytes, earlier: Earlier) -> Bytes:
        capacity = _room(block, earlier)
        if capacity is not None and capacity // block > MOST_SLOTS:
            raise ValueError(f"{format_size(block)} makes more than 2**40 blocks; write more")
        return block

    @check("high", always=True)
    @classmethod
    def _below_the_limit(cls, high: float | Bytes, earlier: Earlier) -> float | Bytes:
        dirty, capacity = earlier.get("dirty"), earlier.get("capacity")
        if dirty is None or capacity is None or "mark" not in earlier.get("start", ()):
            return high
        if bytes_of(high, capacity) <= bytes_of(dirty, capacity):
            return high
        if isinstance(high, _Usual):  # Nobody wrote it: it follows the limit.
            following: float | Bytes = dirty
            return following
        most = show_share(dirty)
        about = f"{show_share(high)} is above the dirty limit ({most}), which would never be passed"
        raise ValueError(f"{about}; write {most} or less, or a higher 'dirty'")

    @check("low")
    @classmethod
    def _marks_are_in_order(
        cls, low: float | Bytes | None, earlier: Earlier
    ) -> float | Bytes | None:
        high, capacity = earlier.get("high"), earlier.get("capacity")
        if low is None or high is None or capacity is None:
            return low
        if bytes_of(low, capacity) > bytes_of(high, capacity):
            about = f"{show_share(low)} is above the high watermark"
            raise ValueError(f"{about}; write {show_share(high)} or less")
        return low

    @check("expire", "interval")
    @classmethod
    def _not_for_ever(cls, time: Nanoseconds | None, earlier: Earlier) -> Nanoseconds | None:
        del earlier
        if time is not None and time > MOST_TIME:
            raise ValueError("is more than 2**60 ns; write '36 years' of seconds or less")
        return time

    @check("interval")
    @classmethod
    def _some_time(cls, interval: Nanoseconds | None, earlier: Earlier) -> Nanoseconds | None:
        del earlier
        if interval is not None and interval < 1:
            raise ValueError("is no time; write '1 ns' or more")
        return interval

    @check("throttle")
    @classmethod
    def _in_pauses(cls, rate: float | None, earlier: Earlier) -> float | None:
        block = earlier.get("block")
        if rate is not None and block is not None and block / rate * SECOND_NS > LONGEST_NS:
            most = format_size(Bytes(max(1, int(rate * LONGEST_NS / SECOND_NS))))
            about = f"a block of {format_size(block)} takes more than 200 ms at this rate, and"
            raise ValueError(f"{about} writers pause no longer; write blocks of {most} or less")
        return rate

    @property
    def structure(self) -> tuple[object, ...]:
        """Return what the paths of its machine depend on."""
        return self.at, "close" in self.start

    def faults(self) -> list[tuple[str, str]]:
        """Return keys that have no effect, and why."""
        given = self.given
        if self.elastic and self.at is None:
            about = "is for a store that each node has; write 'at:' too"
            return [("elastic", about)]
        if self.elastic and self.capacity // self.block >= 1 << 31:
            about = "makes 2**31 blocks or more, of an elastic store; write larger blocks"
            return [("block", about)]
        if self.write == "back":
            if self.interval is not None and self.expire is None:
                return [("interval", "has no effect if nothing expires; write 'expire:' too")]
            if self.throttle is not None and self._dirty_limit() < 0:
                about = "has no effect without a limit of dirty data; write a lower 'dirty'"
                return [("throttle", about)]
            if "release" in given and self.release != "none" and self.quota is None:
                return [("release", "has no effect without a quota; write 'quota:' too")]
            return []
        about = "has no effect on a store that writes through; leave it out, or write 'write: back'"
        return [(key, about) for key in _ONLY_BACK if key in given]

    def _blocks(self, share: float | Bytes) -> int:
        """Return the whole blocks of a part of the capacity."""
        if isinstance(share, int):
            return share // self.block
        return int(self.capacity // self.block * share + 1e-6)

    def _dirty_limit(self) -> int:
        """Return the dirty blocks at which writers wait; -1 if none do."""
        limit = max(1, self._blocks(self.dirty))
        return limit if self.write == "back" and limit < self.capacity // self.block else -1

    def plan(self, name: str, group: int, first: int, count: int, column: int) -> StorePlan:
        """Return what an engine takes; columns ``column`` (cache) and the next (write-back)."""
        slots = self.capacity // self.block
        back = self.write == "back"
        throttle = self.throttle if back else None
        high = self._blocks(self.high)
        low = high if self.low is None else self._blocks(self.low)
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
            dirty_limit=self._dirty_limit(),
            quota=-1 if self.quota is None else self.quota // self.block,
            release=self.release if back else "none",
            triggers=frozenset(self.start) if back else frozenset(),
            high=high if back else 0,
            low=low if back else 0,
            workers=self.writers if back else 0,
            expire_ns=self.expire if back and self.expire is not None else -1,
            interval_ns=INTERVAL_NS if self.interval is None else self.interval,
            slow_ns=max(1, round(self.block * SECOND_NS / throttle)) if throttle else 0,
            span=max(1, int(SPAN_S * throttle) // self.block) if throttle else 1,
            elastic=self.elastic,
            ahead=0 if self.read_ahead is None else -(-self.read_ahead // self.block),
            cache_column=column,
            writeback_column=column + 1,
        )


MOST_BLOCKS = 1 << 24
"""Blocks of all files of one file system: a mistake in a size is to be found at once."""


class BufferCache(Section):
    """Memory of an I/O node for blocks of files: LRU, write-behind, prefetch."""

    synonyms = {"size": "capacity", "read_ahead": "prefetch", "ahead": "prefetch"}

    naming = {"at": "group"}

    at: Name
    """The group of nodes that have one each: the I/O nodes."""
    capacity: Size
    """Its memory."""
    block: SmallSize = Bytes(65536)
    """What is kept, read and replaced."""
    prefetch: CountOrNone = 0
    """Blocks that are read ahead of a sequential reader."""

    @check("block")
    @classmethod
    def _fits(cls, block: Bytes, earlier: Earlier) -> Bytes:
        _room(block, earlier)
        return block
