"""What the SSU holds: units of files, which are dirty, and in which order they go.

A policy without a clock and without bytes. Every unit that is resident lies in a *slot*,
and a slot is in one of these states:

- *clean*: may be given away; the one used longest ago goes first (LRU);
- *dirty*: changed, and nobody has asked for its write-back yet; oldest change first;
- *queued*: its write-back has been asked for (first come, first served; forced ones first);
- *busy*: being fetched, being written to, or under write-back.

The bytes to write back are those written since the last write-back, at most the range
that they span. A file whose written units have reached its share has *outgrown* it: from
then on its full units are queued at once, and some are given away when they are on disk.

All state is in flat integer arrays, so that the same file can be compiled.
"""

from __future__ import annotations

from array import array

from simulator.machine.mixing import pick_of
from simulator.machine.slots import (
    BUSY,
    CLEAN,
    DIRTY,
    FREE,
    QUEUED,
    RELEASE_FULL,
    RELEASE_WHOLE,
)


def _ints(count: int, value: int) -> array[int]:
    return array("q", [value]) * count


class UnitCache:
    """The slots of the SSU.

    Parameters: ``slots``, how many units fit; ``unit``, bytes; ``share``, units that the
    written data of one file may hold; ``files``, how many there are; ``release``, which
    units of a file that has outgrown its share go when they are on disk. A *block* is the
    number of a unit among all files.
    """

    def __init__(
        self,
        *,
        slots: int,
        unit: int,
        share: int,
        files: int,
        release: int = RELEASE_WHOLE,
    ) -> None:
        if slots < 1 or share < 1:
            raise ValueError(f"need room for a unit, got slots={slots}, share={share}")
        self.slots = slots
        self.unit = unit
        self.share = share
        self.release = release
        self.used = 0
        self.block_of = _ints(slots, -1)
        # Where a block is: slots in chains, as many of them as are a power of two.
        self._chains = 2
        while self._chains < 2 * slots:
            self._chains *= 2
        self._chain = _ints(self._chains, -1)
        self._along = _ints(slots, -1)
        self.file_of = _ints(slots, -1)
        self.state = _ints(slots, FREE)
        self.users = _ints(slots, 0)  # transfers into the slot that are under way
        self.writing = _ints(slots, 0)  # under write-back
        self.fetching = _ints(slots, 0)
        self.written = _ints(slots, 0)  # counts against its file's share
        self.valid = _ints(slots, 0)  # bytes from the unit's start that hold data
        self.whole = _ints(slots, 0)  # last written from end to end by one call
        self.dirty_low = _ints(slots, 0)
        self.dirty_high = _ints(slots, 0)
        self.dirty_sum = _ints(slots, 0)
        self.file_written = _ints(files, 0)  # resident written units of a file
        self.file_outgrown = _ints(files, 0)
        # Two rings for each slot: among all units, and among the units of its file. The
        # heads of the rings come after the slots.
        self._next = _ints(slots + 3, 0)
        self._prev = _ints(slots + 3, 0)
        self._file_next = _ints(slots + 2 * files, 0)
        self._file_prev = _ints(slots + 2 * files, 0)
        for head in range(slots, slots + 3):
            self._next[head] = self._prev[head] = head
        for head in range(slots, slots + 2 * files):
            self._file_next[head] = self._file_prev[head] = head
        self.dirty_count = 0
        self.queued_count = 0
        self.evicted = 0
        self._free = _ints(slots, 0)
        for slot in range(slots):
            self._free[slot] = slots - 1 - slot

    # -- looking up -----------------------------------------------------------------

    def find(self, block: int) -> int:
        """The slot of a block, or -1."""
        slot = self._chain[pick_of(self._chains, block)]
        while slot >= 0 and self.block_of[slot] != block:
            slot = self._along[slot]
        return slot

    def touch(self, slot: int) -> None:
        """Use a unit: it is now the last to go."""
        if self.state[slot] == CLEAN:
            self._leave(slot)
            self._join(slot, CLEAN, False)

    def may_write(self, file: int) -> bool:
        """Whether the file's written units are below its share."""
        return self.file_written[file] < self.share

    def is_full(self, slot: int) -> bool:
        """Whether the unit holds data up to its end."""
        return self.valid[slot] >= self.unit

    def is_dirty(self, slot: int) -> bool:
        """Whether the unit is dirty and nobody has asked for its write-back yet."""
        return self.state[slot] == DIRTY

    def overlaps_dirty(self, slot: int, low: int, high: int) -> bool:
        """Whether a write of [low, high) would go back over bytes not yet on disk."""
        return (
            self.dirty_sum[slot] > 0 and low < self.dirty_high[slot] and high > self.dirty_low[slot]
        )

    def has_room(self, file: int, write: bool) -> bool:
        """Whether :meth:`admit` would find a slot now."""
        if write and not self.may_write(file):
            return self._file_next[self._file_head(file, CLEAN)] < self.slots
        return self.used < self.slots or self._next[self.slots + CLEAN] < self.slots

    # -- coming and going -----------------------------------------------------------

    def admit(self, block: int, file: int, write: bool) -> int:
        """Give a block a slot, busy and empty; -1 if nothing can be given away for it.

        A write takes a place in its file's share; where the share is full, only a clean
        unit of the file itself can go.
        """
        if write and not self.may_write(file):
            self.file_outgrown[file] = 1
            victim = self._file_next[self._file_head(file, CLEAN)]
            if victim >= self.slots:
                return -1
            self._evict(victim)
        elif self.used == self.slots:
            victim = self._next[self.slots + CLEAN]
            if victim >= self.slots:
                return -1
            self._evict(victim)
        slot = self._free[self.slots - 1 - self.used]
        self.used += 1
        self._remember(slot, block)
        self.file_of[slot] = file
        self.state[slot] = BUSY
        self.users[slot] = self.valid[slot] = self.dirty_sum[slot] = 0
        self.whole[slot] = 0
        self.written[slot] = 0
        if write:
            self._count_written(slot)
        return slot

    def settle(self, slot: int) -> None:
        """Put a busy slot where it belongs, if nobody holds it any more."""
        if self.state[slot] != BUSY or self.fetching[slot] or self.writing[slot]:
            return
        if self.dirty_sum[slot]:
            self._join(slot, DIRTY, False)
        elif not self.users[slot]:
            self._join(slot, CLEAN, False)

    # -- changing -------------------------------------------------------------------

    def begin_write(self, slot: int) -> None:
        """A transfer into the slot begins: it cannot be given away until it has ended."""
        self.users[slot] += 1
        if self.state[slot] == CLEAN:
            self._leave(slot)
        if not self.written[slot]:
            self._count_written(slot)

    def end_write(self, slot: int, low: int, high: int) -> None:
        """A transfer into [low, high) of the slot has ended: the unit is dirty."""
        self.users[slot] -= 1
        if self.dirty_sum[slot]:
            self.dirty_low[slot] = min(low, self.dirty_low[slot])
            self.dirty_high[slot] = max(high, self.dirty_high[slot])
        else:
            self.dirty_low[slot] = low
            self.dirty_high[slot] = high
        self.dirty_sum[slot] += high - low
        self.valid[slot] = max(high, self.valid[slot])
        self.whole[slot] = low == 0 and high == self.unit
        self.settle(slot)

    # -- writing back ---------------------------------------------------------------

    def dirty_bytes(self, slot: int) -> int:
        """What a write-back of the unit would move."""
        return min(self.dirty_sum[slot], self.dirty_high[slot] - self.dirty_low[slot])

    def oldest_dirty(self, file: int = -1) -> int:
        """The unit that has been dirty, and not queued, for longest; -1 for none."""
        if file < 0:
            slot = self._next[self.slots + DIRTY]
        else:
            slot = self._file_next[self._file_head(file, DIRTY)]
        return slot if slot < self.slots else -1

    def dirty_before(self, slot: int) -> int:
        """The unit that a forced write-back of ``slot`` takes next.

        The oldest other dirty one of its file, or ``slot`` itself when there is none.
        """
        head = self._file_head(self.file_of[slot], DIRTY)
        other = self._file_next[head]
        if other == slot:
            other = self._file_next[other]
        return other if other < self.slots else slot

    def queue(self, slot: int, first: bool = False) -> None:
        """Ask for the write-back of a dirty unit; ``first`` goes before the others."""
        self._leave(slot)
        self._join(slot, QUEUED, first)

    def next_queued(self) -> int:
        """The unit to write back next, or -1."""
        slot = self._next[self.slots + QUEUED]
        return slot if slot < self.slots else -1

    def begin_writeback(self, slot: int) -> int:
        """Take a queued unit to write it back; returns the bytes to move."""
        size = self.dirty_bytes(slot)
        self._leave(slot)
        self.writing[slot] = 1
        self.dirty_sum[slot] = 0
        return size

    def end_writeback(self, slot: int) -> bool:
        """The unit is on disk; returns whether it was given away.

        It stays dirty if it was written to meanwhile.
        """
        self.writing[slot] = 0
        idle = self.dirty_sum[slot] == 0 and self.users[slot] == 0
        if idle and self.file_outgrown[self.file_of[slot]] and self._is_released(slot):
            self._drop(slot)
            return True
        self.settle(slot)
        return False

    def _is_released(self, slot: int) -> bool:
        if self.release == RELEASE_WHOLE:
            return self.whole[slot] == 1
        return self.release == RELEASE_FULL and self.is_full(slot)

    # -- rings ----------------------------------------------------------------------

    def _file_head(self, file: int, ring: int) -> int:
        return self.slots + 2 * file + ring

    def _count_written(self, slot: int) -> None:
        self.written[slot] = 1
        self.file_written[self.file_of[slot]] += 1

    def _evict(self, slot: int) -> None:
        self.evicted += 1
        self._leave(slot)
        self._drop(slot)

    def _drop(self, slot: int) -> None:
        """Give a busy slot back."""
        if self.written[slot]:
            self.file_written[self.file_of[slot]] -= 1
        self._forget(slot)
        self.state[slot] = FREE
        self.used -= 1
        self._free[self.slots - 1 - self.used] = slot

    def _remember(self, slot: int, block: int) -> None:
        """Let a block be found in a slot."""
        chain = pick_of(self._chains, block)
        self.block_of[slot] = block
        self._along[slot] = self._chain[chain]
        self._chain[chain] = slot

    def _forget(self, slot: int) -> None:
        """Let a slot's block not be found any more."""
        chain = pick_of(self._chains, self.block_of[slot])
        before = self._chain[chain]
        if before == slot:
            self._chain[chain] = self._along[slot]
            return
        while self._along[before] != slot:
            before = self._along[before]
        self._along[before] = self._along[slot]

    def _join(self, slot: int, ring: int, first: bool) -> None:
        """Put a busy slot at the end (or the front) of a ring."""
        self.state[slot] = ring
        head = self.slots + ring
        before = head if first else self._prev[head]
        after = self._next[before]
        self._next[before] = self._prev[after] = slot
        self._prev[slot] = before
        self._next[slot] = after
        if ring == QUEUED:
            self.queued_count += 1
            return
        if ring == DIRTY:
            self.dirty_count += 1
        elif not self.written[slot]:
            return
        file_head = self._file_head(self.file_of[slot], ring)
        last = self._file_prev[file_head]
        self._file_next[last] = self._file_prev[file_head] = slot
        self._file_prev[slot] = last
        self._file_next[slot] = file_head

    def _leave(self, slot: int) -> None:
        """Take a slot out of its ring; it is busy then."""
        ring = self.state[slot]
        self._next[self._prev[slot]] = self._next[slot]
        self._prev[self._next[slot]] = self._prev[slot]
        self.state[slot] = BUSY
        if ring == QUEUED:
            self.queued_count -= 1
            return
        if ring == DIRTY:
            self.dirty_count -= 1
        elif not self.written[slot]:
            return
        self._file_next[self._file_prev[slot]] = self._file_next[slot]
        self._file_prev[self._file_next[slot]] = self._file_prev[slot]
