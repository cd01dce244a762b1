# cython: infer_types=True
"""Reading at the stores: extents, what is fetched for a read, and what is read ahead.

As in ``stages.py``, each function lets a request act until it has to wait. A request at a store
goes from extent to extent, and within one from block to block: ``AT`` and ``STOP`` are the extent's
bytes, ``BLOCK`` the block that it looks at, and [``RUN``, ``BLOCK``) those that it has just
fetched, or opened for writing.
"""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.tiers import Tiers
from simulator.native.writeback import WriteBack


class Reading:
    """All stores, as requests that read see them."""

    def __init__(self, tiers: Tiers, back: WriteBack, first_reader: int, files: int) -> None:
        self.tiers = tiers
        self.tier = tiers.tier
        self.frames = tiers.frames
        self.clock = tiers.clock
        self.back = back
        self.blocks = back.blocks
        self.inst = back.inst
        self.store = back.store
        self.exists = back.exists
        self.frame = tiers.frame
        self.actor = tiers.actor
        self.first_reader = first_reader
        self.files = files

    # -- extents --------------------------------------------------------------------------------

    def begin(self, q: int) -> None:
        """A request has come to a store: which instance, which file of it, where it begins."""
        tier = self.frame[q + TIER]
        store = self.tier[tier + T_ROW]
        member = self.frame[q + PLACES + self.tier[tier + T_SLOT]]
        at = (self.store[store + M_FIRST] + member) * I_ROWS
        self.frame[q + STORE_AT] = at
        self.frame[q + FROW] = self.blocks.file_row(at, self.frame[q + FILE])
        self.frame[q + WAITED] = 0
        self.frame[q + COUNTED] = -1
        self.frame[q + STEP] = 0
        self.frame[q + AT] = self.frame[q + LOW]
        self.first_block(q, store)

    def first_block(self, q: int, store: int) -> None:
        """Begin with the extent at ``AT``."""
        low = self.frame[q + AT]
        shift = self.store[store + M_SHIFT]
        block = low >> shift if shift >= 0 else low // self.store[store + M_BLOCK]
        extent = self.store[store + M_EXTENT]
        self.frame[q + BLOCK] = block
        self.frame[q + RUN] = block
        if extent == self.store[store + M_BLOCK]:
            stop = (block + 1) * extent
        else:
            stop = (low // extent + 1) * extent
        self.frame[q + STOP] = min(stop, self.frame[q + HIGH])

    def next_extent(self, q: int, store: int) -> bool:
        """Go on to the next extent of a request; returns whether there is one."""
        low = self.frame[q + STOP]
        if low >= self.frame[q + HIGH]:
            return False
        self.frame[q + AT] = low
        self.frame[q + STOP] = min(low + self.store[store + M_EXTENT], self.frame[q + HIGH])
        self.frame[q + RUN] = self.frame[q + BLOCK]
        return True

    def enter(self, slot: int, q: int, low: int, high: int, until: int) -> int:
        """Pass the stages directly above a store, down and then up, up to step ``until``."""
        tier = self.frame[q + TIER]
        count = (tier - self.frame[q + ENTRY]) // T_ROWS
        op = self.frame[q + OP]
        while self.frame[q + STEP] < until:
            step = self.frame[q + STEP]
            self.frame[q + STEP] = step + 1
            down = step < count
            stage = self.frame[q + ENTRY] + T_ROWS * (step if down else 2 * count - 1 - step)
            passed = self.tier[stage + T_HEADER]
            if op == (R_WRITE if down else R_READ):
                passed += high - low
            time = self.tiers.way(slot, q, stage, down, passed, low, high)
            if time != GO:
                return time
        return GO

    def pass_entry(self, slot: int, q: int, low: int, high: int) -> int:
        """Pass all stages of the entry with bytes [low, high); GO when that is done."""
        tier = self.frame[q + TIER]
        entry = self.frame[q + ENTRY]
        if tier == entry:
            return GO
        self.frame[q + STATE] = PASSING
        if tier - entry == T_ROWS and not self.tier[entry + T_HEADER]:  # one stage, one way
            if self.frame[q + STEP]:
                self.frame[q + STEP] = 0
                return GO
            down = self.frame[q + OP] == R_WRITE
            time = self.tiers.way(slot, q, entry, down, high - low, low, high)
            self.frame[q + STEP] = time != GO
            return time
        time = self.enter(slot, q, low, high, 2 * ((tier - self.frame[q + ENTRY]) // T_ROWS))
        if time == GO:
            self.frame[q + STEP] = 0
        return time

    # -- reading --------------------------------------------------------------------------------

    def read(self, slot: int, q: int) -> int:
        """Have a request's blocks there, and bring its bytes up."""
        at = self.frame[q + STORE_AT]
        store = self.inst[at + I_STORE]
        state = self.frame[q + STATE]
        if state == WAITING:
            self.back.resume(slot, q)
        elif state == FETCHING:
            self.end_read(q, at)
        elif state == PASSING:
            time = self.pass_entry(slot, q, self.frame[q + AT], self.frame[q + STOP])
            if time != GO:
                return time
            if not self.next_extent(q, store):
                self.frames.answer(slot)
                return GO
        self.frame[q + STATE] = LOOKING
        size = self.store[store + M_BLOCK]
        while True:
            while self.frame[q + BLOCK] * size < self.frame[q + STOP]:
                if self.clock.short:
                    return GO
                time = self.look(slot, q, at, store)
                if time != READY:
                    return time
            last = self.frame[q + STOP] == self.frame[q + HIGH]
            if last and self.frame[q + SEQUENTIAL] & IN_ORDER:
                self.read_ahead(q, at, store)
            time = self.pass_entry(slot, q, self.frame[q + AT], self.frame[q + STOP])
            if time != GO:
                return time
            if not self.next_extent(q, store):
                self.frames.answer(slot)
                return GO

    def look(self, slot: int, q: int, at: int, store: int) -> int:
        """Have one block there; READY if it is, or is empty."""
        f = self.frame[q + FROW]
        index = self.frame[q + BLOCK]
        b = self.blocks.find(f, index)
        self.count(q, at, index, b)
        if b < 0:
            return self.fetch_row(slot, q, at, store)
        self.back.pass_turn(q, at, f)
        if self.blocks.block[b + B_FLAGS] & FETCHED_NOW:
            return self.back.wait_for_block(slot, q, b, self.store[store + M_CACHE_COLUMN])
        self.blocks.touch(b, self.goes_on(q, index, store), 0)
        self.frame[q + BLOCK] = index + 1
        return READY

    def goes_on(self, q: int, index: int, store: int) -> int:
        """Whether a request goes on in a block in which the process's last one has ended."""
        if not self.frame[q + SEQUENTIAL] & IN_ORDER:
            return 0
        return index * self.store[store + M_BLOCK] < self.frame[q + LOW]

    def count(self, q: int, at: int, index: int, b: int) -> None:
        """Count the first look at a block."""
        if self.frame[q + COUNTED] != index:
            self.frame[q + COUNTED] = index
            if b >= 0:
                self.inst[at + C_HITS] += 1
            else:
                self.inst[at + C_MISSES] += 1

    def fetch_row(self, slot: int, q: int, at: int, store: int) -> int:
        """Fetch the absent blocks in a row from ``BLOCK`` on that can be admitted now."""
        f = self.frame[q + FROW]
        first = self.frame[q + BLOCK]
        b = self.blocks.admit(f, first, 0)
        if b < 0:
            return self.back.wait_for_room(slot, q, at, -1)
        self.begin_fetch(b, store, f, 0, -1)
        size = self.store[store + M_BLOCK]
        index = first + 1
        while index * size < self.frame[q + STOP] and self.blocks.find(f, index) < 0:
            before = b
            b = self.blocks.admit(f, index, 0)
            if b < 0:
                break
            self.count(q, at, index, -1)
            self.begin_fetch(b, store, f, 0, before)
            index += 1
        self.back.pass_turn(q, at, f)
        self.frame[q + RUN] = first
        self.frame[q + BLOCK] = index
        if self.fetch_below(slot, q, store, f, first, index):
            return GO
        self.end_read(q, at)
        return READY

    def begin_fetch(self, b: int, store: int, f: int, flags: int, before: int) -> None:
        """A block that has been admitted is fetched, and so is the one before it, or none (-1)."""
        if before >= 0:  # Neither is in a ring.
            self.blocks.block[before + B_NEXT] = b
        self.blocks.block[b + B_FLAGS] |= FETCHED_NOW | flags
        index = self.blocks.block[b + B_INDEX]
        self.blocks.block[b + B_VALID] = self.back.valid_bytes(
            store, self.blocks.frow[f + F_FILE], index
        )

    def fetch_below(self, slot: int, q: int, store: int, f: int, first: int, last: int) -> bool:
        """Ask the tiers below for what there is of some blocks; returns whether there is any."""
        size = self.store[store + M_BLOCK]
        file = self.blocks.frow[f + F_FILE]
        low = first * size
        high = min(last * size, self.exists[self.store[store + M_EXISTS] + file])
        if high <= low:
            return False
        self.frame[q + STATE] = FETCHING
        below = self.tier[self.frame[q + TIER] + T_NEXT]
        request = self.frames.part_of(slot, q, below, low, high)
        self.frame[request + OP] = R_READ
        self.frame[request + SEQUENTIAL] &= IN_ORDER | PAST | WAITS
        return True

    def end_read(self, q: int, at: int) -> None:
        """What a read has fetched has come."""
        self.end_fetch(at, self.frame[q + FROW], self.frame[q + RUN], self.frame[q + BLOCK])

    def end_fetch(self, at: int, f: int, first: int, last: int) -> None:
        """Some blocks have come because a read missed them, or for one to come."""
        b = self.blocks.find(f, first)
        for _ in range(first, last):
            after = self.blocks.block[b + B_NEXT]
            self.inst[at + C_FETCHED] += 1
            self.inst[at + C_FETCHED_BYTES] += self.blocks.block[b + B_VALID]
            self.arrive(f, b)
            b = after

    def arrive(self, f: int, b: int) -> None:
        """A block has come."""
        self.blocks.block[b + B_FLAGS] &= ~FETCHED_NOW
        self.blocks.settle(b)
        self.back.wake_block(b)
        self.back.offer_room(f)

    # -- reading ahead --------------------------------------------------------------------------

    def read_ahead(self, q: int, at: int, store: int) -> None:
        """Let a reader fetch absent blocks behind those of a sequential read."""
        ahead = self.store[store + M_AHEAD]
        f = self.frame[q + FROW]
        if not ahead or self.blocks.frow[f + F_READER] >= 0:
            return
        size = self.store[store + M_BLOCK]
        file = self.frame[q + FILE]
        there = self.exists[self.store[store + M_EXISTS] + file]
        index = self.frame[q + BLOCK]
        last = min(index + ahead, (there + size - 1) // size)
        while index < last and self.blocks.find(f, index) >= 0:
            index += 1
        first = index
        before = -1
        while index < last and self.blocks.find(f, index) < 0:
            b = self.blocks.admit(f, index, 0)
            if b < 0:
                break
            self.begin_fetch(b, store, f, AHEAD, before)
            before = b
            index += 1
        if index == first:
            return
        self.inst[at + C_READ_AHEAD] += index - first
        number = self.first_reader + self.inst[at + I_NUMBER] * self.files + file
        reader = self.frames.take(READER, f, number)
        self.blocks.frow[f + F_READER] = reader
        self.blocks.frow[f + F_RUN] = first
        self.blocks.frow[f + F_RUN_END] = index
        below = self.tier[self.frame[q + TIER] + T_NEXT]
        request = self.frames.part_of(reader, q, below, first * size, min(index * size, there))
        self.frame[request + SEQUENTIAL] &= IN_ORDER | PAST
        self.frame[request + SEQUENTIAL] |= WAITS
        self.clock.wake(reader)

    def end_reader(self, slot: int) -> int:
        """What a reader has fetched has come."""
        f = self.actor[slot * ACTOR + INDEX]
        at = self.blocks.frow[f + F_STORE_AT]
        self.end_fetch(at, f, self.blocks.frow[f + F_RUN], self.blocks.frow[f + F_RUN_END])
        self.blocks.frow[f + F_READER] = -1
        self.frames.give(slot)
        return BLOCKED
