"""The SSU: a semiconductor store used as a cache of front-end files, in units of 8 MB.

Modelled: a limited number of units, LRU replacement, dirty units and workers that write
them back, a share that one file's written data may hold, release and read-back of
written units, two readers of one missing unit costing one fetch, and a unit under
write-back that can't be changed until it is on disk. Transfers to and from the crossbar
take one of the SSU's channels.
Not modelled: bank conflicts of the store, its own failures, prefetching of units that
nobody asked for.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from simulator.machine.actor import Actor, Steps
from simulator.machine.cache import UnitCache

if TYPE_CHECKING:
    from simulator.machine.volumes import Backing

Trigger = Literal["mark", "eager", "close", "rewrite"]
"""What starts a write-back: too many dirty units, any dirty unit, closing the file, or a
write that goes back over dirty data (and then waits until the file's dirty units are on disk,
the oldest first, one after the other; not for those whose write-back others have asked for)."""

CACHE_PART = "ssu.cache"
WRITEBACK_PART = "ssu.writeback"


@dataclass(frozen=True, slots=True)
class SsuSpec:
    """Sizes and rules of the SSU's cache; rates belong to its channels."""

    capacity: int
    """Bytes."""
    unit: int
    """Bytes."""
    share: int
    """Bytes that the written units of one file may hold."""
    release: Literal["none", "whole", "full"]
    """Which written units of a file past its share go once they are on disk: those that one
    call wrote from end to end, all that are full, or none."""
    triggers: frozenset[Trigger]
    workers: int
    high_mark: float
    low_mark: float
    """Fractions of the capacity."""

    @property
    def slots(self) -> int:
        """How many units fit."""
        return self.capacity // self.unit

    def units_at(self, mark: float) -> int:
        """Whole units in a fraction of the capacity (which was given in percent)."""
        return math.floor(round(mark * self.slots, 6))


@dataclass(slots=True)
class CacheCounts:
    """What happened in the cache: lookups, and bytes between it and the disks."""

    hits: int = 0
    misses: int = 0
    fetched: int = 0
    """Units read from disk because a read missed them."""
    read_back: int = 0
    """Units read from disk again because a part of them was to be rewritten."""
    written_back: int = 0
    released: int = 0
    rewrites_waited: int = 0
    """Writes over dirty data that forced a write-back and waited for it."""
    prestaged: int = 0
    created: int = 0
    """Units that came into being here: written whole, or past the end of the file."""
    evicted: int = 0
    accepted_bytes: int = 0
    """Bytes that clients wrote into the cache."""
    overwritten_bytes: int = 0
    """Of those, written over again before they went to disk."""
    fetched_bytes: int = 0
    read_back_bytes: int = 0
    written_back_bytes: int = 0
    prestaged_bytes: int = 0


@dataclass(slots=True)
class CachedFile:
    """A file as the SSU knows it."""

    index: int
    """Its number in the cache."""
    first_block: int
    volume_file: int
    """Its number on the volumes."""
    length: int
    """Bytes that exist, here or on disk."""
    size: int = 0
    """Bytes it may grow to."""
    waiting: deque[Actor] = field(default_factory=deque)
    """Writers that wait for the file's share to have room."""


class Ssu:
    """The cache with its queues: who waits for which unit, and who writes back."""

    def __init__(self, spec: SsuSpec, backing: Backing, files: list[CachedFile]) -> None:
        self.spec = spec
        self.backing = backing
        self.files = files
        self.counts = CacheCounts()
        self.cache = UnitCache(
            slots=spec.slots,
            unit=spec.unit,
            share=max(1, spec.share // spec.unit),
            files=len(files),
            release=("none", "whole", "full").index(spec.release),
        )
        self._high = spec.units_at(spec.high_mark)
        self._low = spec.units_at(spec.low_mark)
        self._unit_waiters: dict[int, list[Actor]] = {}
        self._room_waiters: deque[Actor] = deque()
        self._idle_workers: list[Actor] = []

    # -- before the clock starts ------------------------------------------------------

    def prestage(self, file: CachedFile) -> int:
        """Load as much of a file as fits, outside the clock; returns the bytes loaded."""
        loaded = 0
        for index in range(-(-file.length // self.spec.unit)):
            if self.cache.used == self.cache.slots:
                break
            slot = self.cache.admit(file.first_block + index, file.index, write=False)
            self.cache.valid[slot] = self._valid(file, index)
            loaded += self.cache.valid[slot]
            self.cache.settle(slot)
            self.counts.prestaged += 1
        self.counts.prestaged_bytes += loaded
        return loaded

    # -- what clients do --------------------------------------------------------------

    def open_for_read(self, actor: Actor, file: CachedFile, index: int) -> Steps:
        """Have unit ``index`` of a file resident, fetching it if nobody else is."""
        block = file.first_block + index
        cache = self.cache
        slot = cache.find(block)
        self._count(hit=slot >= 0)
        waited = False
        while slot < 0 or cache.fetching[slot]:
            fetch = False
            if slot < 0:
                slot = cache.admit(block, file.index, write=False)
                if slot < 0:
                    yield from self._wait_for_room(actor, None, again=waited)
                    waited = True
                    slot = cache.find(block)
                    continue
                fetch = True
            if waited:
                waited = False
                self._offer_room(file)
            if fetch:
                yield from self._fetch(actor, file, index, slot)
                self.counts.fetched += 1
                self.counts.fetched_bytes += cache.valid[slot]
            else:
                yield from self._wait_for_unit(actor, slot, CACHE_PART)
                slot = cache.find(block)
        if waited:
            self._offer_room(file)
        cache.touch(slot)

    def open_for_write(
        self, actor: Actor, file: CachedFile, index: int, low: int, high: int
    ) -> Steps:
        """Have unit ``index`` resident and free to be changed in [low, high) of it."""
        block = file.first_block + index
        cache = self.cache
        slot = cache.find(block)
        self._count(hit=slot >= 0)
        waited = False
        while True:
            admitted = False
            if slot < 0:
                slot = cache.admit(block, file.index, write=True)
                if slot < 0:
                    if waited:
                        self._offer_room(file)  # what was offered may do for somebody else
                    short = None if cache.may_write(file.index) else file
                    yield from self._wait_for_room(actor, short, again=waited)
                    waited = True
                    slot = cache.find(block)
                    continue
                admitted = True
            if waited:
                waited = False
                self._offer_room(file)
            if admitted:
                yield from self._read_back(actor, file, index, slot, (low, high))
            elif cache.fetching[slot]:
                yield from self._wait_for_unit(actor, slot, CACHE_PART)
            elif cache.writing[slot]:
                yield from self._wait_for_unit(actor, slot, WRITEBACK_PART)
            elif "rewrite" in self.spec.triggers and cache.overlaps_dirty(slot, low, high):
                forced = cache.dirty_before(slot)
                cache.queue(forced, first=True)
                self._call_worker()
                self.counts.rewrites_waited += forced == slot
                yield from self._wait_for_unit(actor, forced, WRITEBACK_PART)
            else:
                break
            slot = cache.find(block)
        cache.begin_write(slot)

    def close_write(self, file: CachedFile, index: int, low: int, high: int) -> None:
        """The transfer into [low, high) of the unit has ended."""
        cache = self.cache
        slot = cache.find(file.first_block + index)
        cache.end_write(slot, low, high)
        self.counts.accepted_bytes += high - low
        file.length = max(file.length, index * self.spec.unit + high)
        if cache.dirty_sum[slot] and not cache.writing[slot]:
            self._ask_for(slot, file)

    def close(self, file: CachedFile) -> None:
        """A client closes a file that it wrote."""
        if "close" in self.spec.triggers:
            self._queue_all(file)

    # -- write-back -------------------------------------------------------------------

    def work(self, worker: Actor) -> Steps:
        """The life of a write-back worker."""
        cache = self.cache
        while True:
            slot = cache.next_queued()
            if slot < 0:
                self._idle_workers.append(worker)
                yield worker.blocked()
                continue
            file = self.files[cache.file_of[slot]]
            offset = (cache.block_of[slot] - file.first_block) * self.spec.unit
            offset += cache.dirty_low[slot]
            self.counts.overwritten_bytes += cache.dirty_sum[slot] - cache.dirty_bytes(slot)
            size = cache.begin_writeback(slot)
            yield from self.backing.write(worker, file.volume_file, offset, size)
            self.counts.written_back += 1
            self.counts.written_back_bytes += size
            self._written_back(slot, file)

    def _written_back(self, slot: int, file: CachedFile) -> None:
        gone = self.cache.end_writeback(slot)
        self.counts.released += gone
        for actor in self._unit_waiters.pop(slot, ()):
            actor.wake()
        if not gone and self.cache.dirty_sum[slot]:
            self._ask_for(slot, file)
            return
        if file.waiting and not self.cache.has_room(file.index, write=True):
            # It was released, but the file still is at its share: rewriting units that
            # were resident had brought it past that.
            self._queue_oldest(file)
        self._offer_room(file)

    def _ask_for(self, slot: int, file: CachedFile) -> None:
        """A unit has become dirty: queue it, or others, if a rule says so."""
        cache = self.cache
        if cache.is_dirty(slot) and (
            "eager" in self.spec.triggers
            or (cache.file_outgrown[file.index] and cache.is_full(slot))
            or file.waiting
            or self._room_waiters
        ):
            cache.queue(slot)
            self._call_worker()
        if "mark" in self.spec.triggers and cache.dirty_count > self._high:
            while cache.dirty_count > self._low:
                cache.queue(cache.oldest_dirty())
                self._call_worker()

    def _queue_all(self, file: CachedFile) -> None:
        while (slot := self.cache.oldest_dirty(file.index)) >= 0:
            self.cache.queue(slot)
            self._call_worker()

    def _queue_oldest(self, file: CachedFile | None) -> None:
        slot = self.cache.oldest_dirty(-1 if file is None else file.index)
        if slot >= 0:
            self.cache.queue(slot)
            self._call_worker()

    def _call_worker(self) -> None:
        if self._idle_workers:
            worker = min(self._idle_workers, key=lambda one: one.number)
            self._idle_workers.remove(worker)
            worker.wake()

    # -- waiting ----------------------------------------------------------------------

    def _read_back(
        self, actor: Actor, file: CachedFile, index: int, slot: int, span: tuple[int, int]
    ) -> Steps:
        """Fetch a unit that has just been admitted, unless the write covers all its data."""
        valid = self._valid(file, index)
        if valid and (span[0] > 0 or span[1] < valid):
            yield from self._fetch(actor, file, index, slot)
            self.counts.read_back += 1
            self.counts.read_back_bytes += valid
        else:
            self.counts.created += 1

    def _fetch(self, actor: Actor, file: CachedFile, index: int, slot: int) -> Steps:
        self.cache.fetching[slot] = 1
        size = self._valid(file, index)
        if size:  # else it is read before anybody has written it: nothing is on disk
            yield from self.backing.read(actor, file.volume_file, index * self.spec.unit, size)
        self.cache.fetching[slot] = 0
        self.cache.valid[slot] = size
        self.cache.settle(slot)
        for waiter in self._unit_waiters.pop(slot, ()):
            waiter.wake()
        self._offer_room(file)

    def _wait_for_unit(self, actor: Actor, slot: int, part: str) -> Steps:
        since = actor.now
        self._unit_waiters.setdefault(slot, []).append(actor)
        yield actor.blocked()
        actor.charge(part, actor.now - since, 0)

    def _wait_for_room(self, actor: Actor, file: CachedFile | None, *, again: bool) -> Steps:
        """Wait until a unit can be given away: any, or one of ``file``."""
        self._queue_oldest(file)
        waiting = self._room_waiters if file is None else file.waiting
        if again:
            waiting.appendleft(actor)
        else:
            waiting.append(actor)
        since = actor.now
        yield actor.blocked()
        actor.charge(WRITEBACK_PART, actor.now - since, 0)

    def _offer_room(self, file: CachedFile) -> None:
        """Wake one who waits for room, if there is room: for ``file``, or for any."""
        cache = self.cache
        if file.waiting and cache.has_room(file.index, write=True):
            file.waiting.popleft().wake()
        if self._room_waiters and cache.has_room(file.index, write=False):
            self._room_waiters.popleft().wake()

    # -- arithmetic -------------------------------------------------------------------

    def _valid(self, file: CachedFile, index: int) -> int:
        """Bytes of data that unit ``index`` of a file has."""
        return max(0, min(self.spec.unit, file.length - index * self.spec.unit))

    def _count(self, *, hit: bool) -> None:
        if hit:
            self.counts.hits += 1
        else:
            self.counts.misses += 1
