"""Stores: caches and memory tiers, such as a page cache, a burst buffer or the NWT's SSU."""

from __future__ import annotations

from typing import Annotated, Literal

from simulator.config.amounts import Groups
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
from simulator.config.section import Called, Section, check, default
from simulator.kinds import names
from simulator.plan.parts import StorePlan
from simulator.plan.throttle import LONGEST_NS, SPAN_S
from simulator.units import Bytes, Nanoseconds, format_size

Replacement = Annotated[str, word("replacement", *names("policies", "reference"))]
WriteMode = Annotated[Literal["back", "through"], Called("write-mode")]
Release = Annotated[Literal["none", "whole", "full"], Called("release")]
Trigger = Literal["mark", "eager", "full", "close", "rewrite"]
Triggers = Annotated[
    tuple[Trigger, ...], words("starts", "mark", "eager", "full", "close", "rewrite")
]

MOST_SLOTS = 1 << 40
MOST_TIME = 1 << 60
"""Nanoseconds after which data expire, at most."""
_ONLY_BACK = (
    *("dirty", "start", "high", "low", "writers", "quota", "release"),
    *("expire", "interval", "throttle"),
)
_LINUX = "Linux kernel documentation, admin-guide/sysctl/vm"
SECOND_NS = 10**9
INTERVAL_NS = 5 * SECOND_NS
"""How often Linux looks for data that are old (dirty_writeback_centisecs)."""
EXTENT = 1 << 20
"""Bytes that a store moves at one time at most, if its file does not say."""


class _Usual(float):
    """A default that follows from another value where it does not fit it."""


_USUAL_HIGH = _Usual(0.1)


def _check_room(size: Bytes, capacity: Bytes) -> None:
    """Raise ValueError if a size is more than the capacity."""
    if size > capacity:
        about = f"{format_size(size)} is more than the capacity"
        raise ValueError(f"{about}; write {format_size(capacity)} or less")


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

    at: Groups | None = None
    """The groups of nodes that have one each; a single one for the whole machine if left out."""
    capacity: Size
    """All its memory."""
    block: Size = default(Bytes(4096), "a page of x86-64")
    """What is kept and replaced."""
    extent: Size | None = None
    """What is moved at one time at most: whole blocks; 1 MiB, or a block that is larger."""
    policy: Replacement = default("lru", "what most caches approximate")
    """Which block is replaced."""
    write: WriteMode = default("back", "what page caches do (POSIX asks no more of write)")
    """Written data stay until they are written back; or go through to the next tier at once."""
    dirty: Share = default(0.2, f"{_LINUX}: dirty_ratio 20")
    """Dirty part of the capacity, or size, at which writers wait."""
    start: Triggers = default(("mark",), f"{_LINUX}: write-back starts at a mark")
    """What starts a write-back: dirty data above the high watermark, each write (eager), a block
    that is full of dirty data, a close, a rewrite of dirty data."""
    high: Share = default(
        _USUAL_HIGH, f"{_LINUX}: dirty_background_ratio 10; not above the dirty limit"
    )
    """High watermark: the dirty part, or size, above which write-back starts, if it starts at a
    mark; 10 %, or ``dirty`` if that is less."""
    low: Share | None = None
    """Low watermark: the dirty part, or size, at which it stops; the high watermark if left out."""
    writers: Count = default(1, "assumed: one thread for each device, as Linux has")
    """Write-backs at one time."""
    throttle: Rate | None = None
    """The rate of write-back, by which writers are slowed down as the dirty part gets near its
    limit, as Linux does (``balance_dirty_pages``); they run freely up to it if left out."""
    expire: Time | None = None
    """Data that have been dirty for so long are written back (Linux: 30 s); never for their age if
    left out."""
    interval: Time | None = None
    """How often data are looked for that expire; every 5 s if left out."""
    elastic: Flag = default(False, "neutral: it has all its capacity")
    """It has what programs of its node leave of the memory: the ``memory`` of jobs is taken from
    its capacity, and from its dirty part and watermarks in proportion."""
    read_ahead: Size | None = None
    """What is read ahead of a sequential reader; nothing if left out."""
    quota: Size | None = None
    """What the written blocks of one file may hold: whole blocks; no limit if left out."""
    release: Release = default("none", "neutral: blocks go when their room is needed")
    """Past the quota, which written blocks of a file are given up once they are clean: none, those
    that one call wrote whole, or all that are full."""

    @check("dirty", "high", "low")
    @staticmethod
    def _part(share: float | Bytes, capacity: Bytes) -> None:
        if isinstance(share, int) and share > capacity:
            about = f"{format_size(share)} is more than the capacity"
            raise ValueError(f"{about}; write {format_size(capacity)} or less, or a percentage")

    @check("quota", "extent")
    @staticmethod
    def _whole_blocks(size: Bytes, block: Bytes) -> None:
        if size % block:
            least = format_size(max(size // block, 1) * block)
            about = f"{format_size(size)} is not a whole number of blocks of {format_size(block)}"
            raise ValueError(f"{about}; write {least}, or change the block")

    _within = check("read_ahead", "quota", "extent", "block")(staticmethod(_check_room))

    @check("block")
    @staticmethod
    def _few(block: Bytes, capacity: Bytes) -> None:
        if capacity // block > MOST_SLOTS:
            raise ValueError(f"{format_size(block)} makes more than 2**40 blocks; write more")

    @check("high", always=True)
    @staticmethod
    def _below_the_limit(
        high: float | Bytes, dirty: float | Bytes, capacity: Bytes, start: tuple[str, ...]
    ) -> float | Bytes | None:
        if "mark" not in start or bytes_of(high, capacity) <= bytes_of(dirty, capacity):
            return None
        if isinstance(high, _Usual):  # Nobody wrote it: it follows the limit.
            return dirty
        most = show_share(dirty)
        about = f"{show_share(high)} is above the dirty limit ({most}), which would never be passed"
        raise ValueError(f"{about}; write {most} or less, or a higher 'dirty'")

    @check("low")
    @staticmethod
    def _in_order(low: float | Bytes, high: float | Bytes, capacity: Bytes) -> None:
        if bytes_of(low, capacity) > bytes_of(high, capacity):
            about = f"{show_share(low)} is above the high watermark"
            raise ValueError(f"{about}; write {show_share(high)} or less")

    @check("expire", "interval")
    @staticmethod
    def _not_for_ever(time: Nanoseconds) -> None:
        if time > MOST_TIME:
            raise ValueError("is more than 2**60 ns; write '36 years' of seconds or less")

    @check("interval")
    @staticmethod
    def _some_time(interval: Nanoseconds) -> None:
        if interval < 1:
            raise ValueError("is no time; write '1 ns' or more")

    @check("throttle")
    @staticmethod
    def _in_pauses(rate: float, block: Bytes) -> None:
        if block / rate * SECOND_NS > LONGEST_NS:
            most = format_size(Bytes(max(1, int(rate * LONGEST_NS / SECOND_NS))))
            about = f"a block of {format_size(block)} takes more than 200 ms at this rate, and"
            raise ValueError(f"{about} writers pause no longer; write blocks of {most} or less")

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of nodes that have one each; none for a single one."""
        return (self.at,) if isinstance(self.at, str) else self.at or ()

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
    block: SmallSize = default(
        Bytes(65536), "assumed: blocks of parallel file systems have 64 KiB and more"
    )
    """What is kept, read and replaced."""
    prefetch: CountOrNone = default(0, "neutral: nothing is read ahead")
    """Blocks that are read ahead of a sequential reader."""

    _within = check("block")(staticmethod(_check_room))
