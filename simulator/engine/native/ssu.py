"""The SSU with its queues: ``machine/ssu.py`` as steps that an actor takes one by one.

``open_for_read`` and ``open_for_write`` are called again and again by an actor until they
return READY; BLOCKED means that somebody will wake it, and a time that it goes on then.
The rules of the cache itself are those of ``machine/cache.py``, the same code.
"""

from __future__ import annotations

from array import array

from simulator.engine.native.backing import Backing
from simulator.engine.native.clock import Clock
from simulator.engine.native.codes import BLOCKED, READY
from simulator.engine.native.stations import Stations
from simulator.machine.cache import UnitCache

LOOK, FETCH_DISK, FETCH_PATH, UNIT, ROOM, FRESH = 0, 1, 2, 3, 4, 5
HITS, MISSES, FETCHED, READ_BACK, WRITTEN_BACK, RELEASED = 0, 1, 2, 3, 4, 5
REWRITES_WAITED, PRESTAGED, CREATED, EVICTED, ACCEPTED_BYTES, OVERWRITTEN_BYTES = 6, 7, 8, 9, 10, 11
FETCHED_BYTES, READ_BACK_BYTES, WRITTEN_BACK_BYTES, PRESTAGED_BYTES = 12, 13, 14, 15
COUNTS = 16


class Ssu:
    """The cache, who waits for what in it, and the workers that write back."""

    def __init__(
        self,
        clock: Clock,
        stations: Stations,
        backing: Backing,
        cache: UnitCache,
        actors: int,
        files: int,
    ) -> None:
        self.clock = clock
        self.stations = stations
        self.backing = backing
        self.cache = cache
        self.unit = 0
        self.on_mark = 0
        self.eager = 0
        self.on_close = 0
        self.on_rewrite = 0
        self.high = 0
        self.low = 0
        self.cache_part = 0
        self.writeback_part = 0
        self.counts = array("q", [0]) * COUNTS
        # Files.
        self.first_block = array("q", [0]) * max(1, files)
        self.volume_file = array("q", [0]) * max(1, files)
        self.length = array("q", [0]) * max(1, files)
        # What an actor is about.
        self.stage = array("q", [FRESH]) * actors
        self.slot = array("q", [-1]) * actors
        self.waited = array("q", [0]) * actors
        self.since = array("q", [0]) * actors
        self.waits_at = array("q", [0]) * actors
        # Queues of actors: for units, for room in a file's share, for room at all (last).
        self.after = array("q", [-1]) * actors
        self.unit_first = array("q", [-1]) * self.cache.slots
        self.unit_last = array("q", [-1]) * self.cache.slots
        self.room_first = array("q", [-1]) * (files + 1)
        self.room_last = array("q", [-1]) * (files + 1)
        self.files = files
        # Workers.
        self.first_worker = 0
        self.workers = 0
        self.idle = array("q", [0]) * max(1, actors)
        self.worker_slot = array("q", [-1]) * actors
        self.worker_size = array("q", [0]) * actors

    # -- clients --------------------------------------------------------------------------

    def prestage(self, file: int) -> int:
        """Load as much of a file as fits, outside the clock; returns the bytes loaded."""
        loaded = 0
        for index in range((self.length[file] + self.unit - 1) // self.unit):
            if self.cache.used == self.cache.slots:
                break
            slot = self.cache.admit(self.first_block[file] + index, file, False)
            self.cache.valid[slot] = self.valid_bytes(file, index)
            loaded += self.cache.valid[slot]
            self.cache.settle(slot)
            self.counts[PRESTAGED] += 1
        self.counts[PRESTAGED_BYTES] += loaded
        return loaded

    def open_for_read(self, actor: int, file: int, index: int) -> int:
        """Have a unit resident; see ``machine/ssu.py``."""
        block = self.first_block[file] + index
        self.resume(actor, block)
        while True:
            slot = self.slot[actor]
            stage = self.stage[actor]
            if stage == FETCH_DISK:
                return self.fetch_path(actor, file, index)
            if stage == FETCH_PATH:
                self.end_fetch(actor, file, index)
                self.counts[FETCHED] += 1
                self.counts[FETCHED_BYTES] += self.cache.valid[slot]
                self.stage[actor] = LOOK
            elif slot < 0:
                slot = self.cache.admit(block, file, False)
                self.slot[actor] = slot
                if slot < 0:
                    return self.wait_for_room(actor, self.files, -1)
                self.offer_if_waited(actor, file)
                time = self.fetch_disk(actor, file, index)
                if time != READY:
                    return time
            elif self.cache.fetching[slot]:
                self.offer_if_waited(actor, file)
                return self.wait_for_unit(actor, slot, self.cache_part)
            else:
                self.offer_if_waited(actor, file)
                self.cache.touch(slot)
                self.stage[actor] = FRESH
                return READY

    def open_for_write(self, actor: int, file: int, index: int, low: int, high: int) -> int:
        """Have a unit resident and free to be changed; see ``machine/ssu.py``."""
        block = self.first_block[file] + index
        self.resume(actor, block)
        while True:
            slot = self.slot[actor]
            stage = self.stage[actor]
            if stage == FETCH_DISK:
                return self.fetch_path(actor, file, index)
            if stage == FETCH_PATH:
                self.end_fetch(actor, file, index)
                self.counts[READ_BACK] += 1
                self.counts[READ_BACK_BYTES] += self.cache.valid[slot]
                self.stage[actor] = LOOK
                self.slot[actor] = self.cache.find(block)
            elif slot < 0:
                slot = self.cache.admit(block, file, True)
                self.slot[actor] = slot
                if slot < 0:
                    if self.waited[actor]:
                        self.offer_room(file)  # what was offered may do for somebody else
                    if self.cache.may_write(file):
                        return self.wait_for_room(actor, self.files, -1)
                    return self.wait_for_room(actor, file, file)
                self.offer_if_waited(actor, file)
                valid = self.valid_bytes(file, index)
                if valid and (low > 0 or high < valid):
                    return self.fetch_disk(actor, file, index)
                self.counts[CREATED] += 1
            else:
                self.offer_if_waited(actor, file)
                if self.cache.fetching[slot]:
                    return self.wait_for_unit(actor, slot, self.cache_part)
                if self.cache.writing[slot]:
                    return self.wait_for_unit(actor, slot, self.writeback_part)
                if self.on_rewrite and self.cache.overlaps_dirty(slot, low, high):
                    forced = self.cache.dirty_before(slot)
                    self.cache.queue(forced, True)
                    self.call_worker()
                    self.counts[REWRITES_WAITED] += forced == slot
                    return self.wait_for_unit(actor, forced, self.writeback_part)
                self.cache.begin_write(slot)
                self.stage[actor] = FRESH
                return READY

    def close_write(self, file: int, index: int, low: int, high: int) -> None:
        """The transfer into [low, high) of a unit has ended."""
        slot = self.cache.find(self.first_block[file] + index)
        self.cache.end_write(slot, low, high)
        self.counts[ACCEPTED_BYTES] += high - low
        self.length[file] = max(self.length[file], index * self.unit + high)
        if self.cache.dirty_sum[slot] and not self.cache.writing[slot]:
            self.ask_for(slot, file)

    def close(self, file: int) -> None:
        """A client closes a file that it wrote."""
        if self.on_close:
            slot = self.cache.oldest_dirty(file)
            while slot >= 0:
                self.cache.queue(slot, False)
                self.call_worker()
                slot = self.cache.oldest_dirty(file)

    # -- workers --------------------------------------------------------------------------

    def work(self, worker: int) -> int:
        """One step of a worker; BLOCKED, or the time it goes on."""
        stage = self.stage[worker]
        if stage == FETCH_PATH:  # the bytes have passed a path: now the disk
            slot = self.worker_slot[worker]
            file = self.cache.file_of[slot]
            self.stage[worker] = FETCH_DISK
            return self.backing.on_disks(
                worker, self.volume_file[file], self.since[worker], self.worker_size[worker]
            )
        if stage == FETCH_DISK:
            self.counts[WRITTEN_BACK] += 1
            self.counts[WRITTEN_BACK_BYTES] += self.worker_size[worker]
            self.stage[worker] = FRESH
            self.written_back(self.worker_slot[worker])
        slot = self.cache.next_queued()
        if slot < 0:
            self.idle[worker] = 1
            return BLOCKED
        file = self.cache.file_of[slot]
        offset = (self.cache.block_of[slot] - self.first_block[file]) * self.unit
        self.since[worker] = offset + self.cache.dirty_low[slot]
        self.counts[OVERWRITTEN_BYTES] += self.cache.dirty_sum[slot] - self.cache.dirty_bytes(slot)
        size = self.cache.begin_writeback(slot)
        self.worker_slot[worker] = slot
        self.worker_size[worker] = size
        self.stage[worker] = FETCH_PATH
        return self.backing.on_paths(worker, self.volume_file[file], size)

    def written_back(self, slot: int) -> None:
        """A unit is on disk."""
        file = self.cache.file_of[slot]
        gone = self.cache.end_writeback(slot)
        self.counts[RELEASED] += gone
        self.wake_unit(slot)
        if not gone and self.cache.dirty_sum[slot]:
            self.ask_for(slot, file)
            return
        if self.room_first[file] >= 0 and not self.cache.has_room(file, True):
            self.queue_oldest(file)  # released, but the file still is past its share
        self.offer_room(file)

    def ask_for(self, slot: int, file: int) -> None:
        """A unit has become dirty: queue it, or others, if a rule says so."""
        if self.cache.is_dirty(slot) and (
            self.eager
            or (self.cache.file_outgrown[file] and self.cache.is_full(slot))
            or self.room_first[file] >= 0
            or self.room_first[self.files] >= 0
        ):
            self.cache.queue(slot, False)
            self.call_worker()
        if self.on_mark and self.cache.dirty_count > self.high:
            while self.cache.dirty_count > self.low:
                self.cache.queue(self.cache.oldest_dirty(-1), False)
                self.call_worker()

    def queue_oldest(self, file: int) -> None:
        """Ask for the write-back of the oldest dirty unit: of a file, or of any (-1)."""
        slot = self.cache.oldest_dirty(file)
        if slot >= 0:
            self.cache.queue(slot, False)
            self.call_worker()

    def call_worker(self) -> None:
        """Wake the idle worker of the lowest number, if there is one."""
        for worker in range(self.first_worker, self.first_worker + self.workers):
            if self.idle[worker]:
                self.idle[worker] = 0
                self.clock.wake(worker)
                return

    # -- waiting --------------------------------------------------------------------------

    def resume(self, actor: int, block: int) -> None:
        """Begin looking for a block, or go on after waiting for a unit or for room."""
        stage = self.stage[actor]
        if stage == FRESH:
            slot = self.cache.find(block)
            self.slot[actor] = slot
            if slot >= 0:
                self.counts[HITS] += 1
            else:
                self.counts[MISSES] += 1
            self.waited[actor] = 0
            self.stage[actor] = LOOK
        elif stage in (UNIT, ROOM):
            wait = self.clock.now - self.since[actor]
            self.stations.accounts.charge(actor, self.waits_at[actor], wait, 0)
            if stage == ROOM:
                self.waited[actor] = 1
            self.slot[actor] = self.cache.find(block)
            self.stage[actor] = LOOK

    def offer_if_waited(self, actor: int, file: int) -> None:
        """One that was woken for room has decided: somebody else may use what is left."""
        if self.waited[actor]:
            self.waited[actor] = 0
            self.offer_room(file)

    def fetch_disk(self, actor: int, file: int, index: int) -> int:
        """Begin to fetch a unit; returns when it has left the disks, or READY for an empty one."""
        self.cache.fetching[self.slot[actor]] = 1
        self.stage[actor] = FETCH_DISK
        size = self.valid_bytes(file, index)
        self.waits_at[actor] = size
        if not size:  # it is read before anybody has written it: nothing is on disk
            self.stage[actor] = FETCH_PATH
            return READY
        return self.backing.on_disks(actor, self.volume_file[file], index * self.unit, size)

    def fetch_path(self, actor: int, file: int, index: int) -> int:
        """Go on fetching a unit; returns the time it has come."""
        self.stage[actor] = FETCH_PATH
        return self.backing.on_paths(actor, self.volume_file[file], self.waits_at[actor])

    def end_fetch(self, actor: int, file: int, index: int) -> None:
        """A unit has come."""
        slot = self.slot[actor]
        self.cache.fetching[slot] = 0
        self.cache.valid[slot] = self.waits_at[actor]
        self.cache.settle(slot)
        self.wake_unit(slot)
        self.offer_room(file)

    def wait_for_unit(self, actor: int, slot: int, part: int) -> int:
        """Wait until a unit has come, or is on disk."""
        self.stage[actor] = UNIT
        self.since[actor] = self.clock.now
        self.waits_at[actor] = part
        self.after[actor] = -1
        if self.unit_first[slot] < 0:
            self.unit_first[slot] = actor
        else:
            self.after[self.unit_last[slot]] = actor
        self.unit_last[slot] = actor
        return BLOCKED

    def wake_unit(self, slot: int) -> None:
        """Wake all that wait for a unit."""
        actor = self.unit_first[slot]
        self.unit_first[slot] = -1
        while actor >= 0:
            self.clock.wake(actor)
            actor = self.after[actor]

    def wait_for_room(self, actor: int, queue: int, file: int) -> int:
        """Wait until a unit can be given away: of ``file``, or any (-1)."""
        self.queue_oldest(file)
        self.stage[actor] = ROOM
        self.since[actor] = self.clock.now
        self.waits_at[actor] = self.writeback_part
        self.after[actor] = -1
        first = self.room_first[queue]
        if first < 0:
            self.room_first[queue] = actor
            self.room_last[queue] = actor
        elif self.waited[actor]:
            self.after[actor] = first
            self.room_first[queue] = actor
        else:
            self.after[self.room_last[queue]] = actor
            self.room_last[queue] = actor
        return BLOCKED

    def offer_room(self, file: int) -> None:
        """Wake one who waits for room, if there is room: for a file, or for any."""
        if self.room_first[file] >= 0 and self.cache.has_room(file, True):
            self.wake_room(file)
        if self.room_first[self.files] >= 0 and self.cache.has_room(file, False):
            self.wake_room(self.files)

    def wake_room(self, queue: int) -> None:
        """Wake the first in a queue for room."""
        actor = self.room_first[queue]
        self.room_first[queue] = self.after[actor]
        self.clock.wake(actor)

    def valid_bytes(self, file: int, index: int) -> int:
        """Bytes of data that a unit of a file has."""
        return max(0, min(self.unit, self.length[file] - index * self.unit))
