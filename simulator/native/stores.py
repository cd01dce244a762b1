# cython: infer_types=True
"""The stores as tiers: writing back and through, and syncs; docs/composition.md."""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.reading import Reading


class Stores(Reading):
    """All stores, as the requests of actors see them."""

    def step(self, slot: int, q: int) -> int:
        """Let the request in frame ``q`` act at a store."""
        op = self.frame[q + OP]
        if self.frame[q + STATE] == FRESH:
            self.begin(q)
        if self.frame[q + SEQUENTIAL] & PAST and not self.tier[self.frame[q + TIER] + T_SLOT]:
            return self.go_past(slot, q)
        if op == R_READ:
            return self.read(slot, q)
        if op == R_WRITE:
            if self.store[self.inst[self.frame[q + STORE_AT] + I_STORE] + M_BACK]:
                return self.write(slot, q)
            return self.write_through(slot, q)
        return self.sync(slot, q)

    # -- writing --------------------------------------------------------------------------------

    def write(self, slot: int, q: int) -> int:
        """Bring bytes into a store that writes them back later."""
        at = self.frame[q + STORE_AT]
        store = self.inst[at + I_STORE]
        size = self.store[store + M_BLOCK]
        if self.goes_on_done(slot, q, at, store):
            return GO
        while True:
            if self.frame[q + STATE] != PASSING:
                self.frame[q + STATE] = LOOKING
                while self.frame[q + BLOCK] * size < self.frame[q + STOP]:
                    if self.clock.short:
                        return GO
                    time = self.open_block(slot, q, at, store)
                    if time == CLOSE_RUN:
                        break
                    if time != READY:
                        return time
            low = max(self.frame[q + AT], self.frame[q + RUN] * size)
            high = min(self.frame[q + STOP], self.frame[q + BLOCK] * size)
            time = self.pass_entry(slot, q, low, high)
            if time != GO:
                return time
            self.frame[q + STATE] = LOOKING
            until = self.back.slow_down(at, self.close_run(q, at, store))
            if until:
                self.back.wait(slot, q, self.store[store + M_BACK_COLUMN], 0)
                self.frame[q + STATE] = SLOWED
                return until
            if self.ends_write(slot, q, store):
                return GO

    def goes_on_done(self, slot: int, q: int, at: int, store: int) -> bool:
        """Whether a write that goes on after waiting is done."""
        state = self.frame[q + STATE]
        if state == WAITING:
            self.back.resume(slot, q)
        elif state == FETCHING:
            f = self.frame[q + FROW]
            b = self.blocks.find(f, self.frame[q + BLOCK])
            self.inst[at + C_READ_BACK] += 1
            self.inst[at + C_READ_BACK_BYTES] += self.blocks.block[b + B_VALID]
            self.arrive(f, b)
        elif state == SLOWED:
            self.back.resume(slot, q)
            self.frame[q + STATE] = LOOKING
            return self.ends_write(slot, q, store)
        return False

    def ends_write(self, slot: int, q: int, store: int) -> bool:
        """Whether a write has ended with the run that is there now; it goes on to an extent."""
        if self.frame[q + BLOCK] * self.store[store + M_BLOCK] < self.frame[q + STOP]:
            return False
        if self.next_extent(q, store):
            return False
        self.frames.answer(slot)
        return True

    def open_block(self, slot: int, q: int, at: int, store: int) -> int:
        """Open one block for writing: READY, or CLOSE_RUN if it is not free and a run is open."""
        f = self.frame[q + FROW]
        index = self.frame[q + BLOCK]
        size = self.store[store + M_BLOCK]
        low = max(0, self.frame[q + AT] - index * size)
        high = min(size, self.frame[q + STOP] - index * size)
        run = index > self.frame[q + RUN]
        full = self.blocks.is_at_limit(at)
        b = self.blocks.find(f, index)
        self.count(q, at, index, b)
        if b < 0:
            if full:
                return CLOSE_RUN if run else self.reach_limit(slot, q, at, f)
            valid = self.back.valid_bytes(store, self.frame[q + FILE], index)
            partial = valid > 0 and (low > 0 or high < valid)
            if partial and run:
                self.blocks.note_quota(f)
                return CLOSE_RUN
            b = self.blocks.admit(f, index, 1)
            if b < 0:
                return CLOSE_RUN if run else self.want_room(slot, q, at, f)
            self.back.pass_turn(q, at, f)
            if partial:
                self.begin_fetch(b, store, f, 0, -1)
                self.fetch_below(slot, q, store, f, index, index + 1)
                return GO
            self.inst[at + C_CREATED] += 1
        else:
            time = self.free_block(slot, q, at, store, b, run, low, high)
            if time != READY:
                return time
            if full and self.blocks.is_clean(b):
                return CLOSE_RUN if run else self.reach_limit(slot, q, at, f)
            self.back.pass_turn(q, at, f)
        self.blocks.begin_write(b, at, self.source(q))
        self.frame[q + BLOCK] = index + 1
        return READY

    def source(self, q: int) -> int:
        """Where a write comes from: the tier below the store, and the node."""
        below = self.tier[self.frame[q + TIER] + T_NEXT]
        return below + (self.frame[q + PLACES] << NODE_BITS)

    def free_block(
        self, slot: int, q: int, at: int, store: int, b: int, run: int, low: int, high: int
    ) -> int:
        """Wait for a block that is there until it may be changed; READY if it may be."""
        f = self.frame[q + FROW]
        flags = self.blocks.block[b + B_FLAGS]
        column = self.store[store + M_BACK_COLUMN]
        awaited = b
        if flags & FETCHED_NOW:
            column = self.store[store + M_CACHE_COLUMN]
        elif flags & WRITING:
            pass
        elif self.store[store + M_REWRITE] and self.blocks.overlaps_dirty(b, low, high):
            if run:
                return CLOSE_RUN
            awaited = self.back.on_its_way(at, f, b)
            if awaited < 0:
                awaited = self.blocks.dirty_before(b)
                self.blocks.queue(awaited, 1)
                self.back.pass_turn(q, at, f)
                self.back.call_worker(at)
                self.inst[at + C_REWRITES_WAITED] += awaited == b
        else:
            return READY
        if run:
            return CLOSE_RUN
        self.back.pass_turn(q, at, f)
        return self.back.wait_for_block(slot, q, awaited, column)

    def reach_limit(self, slot: int, q: int, at: int, f: int) -> int:
        """Wait for fewer dirty blocks; a turn for room is passed on."""
        if self.frame[q + WAITED] == ROOM:
            self.back.pass_turn(q, at, f)
        return self.back.wait_for_limit(slot, q, at)

    def want_room(self, slot: int, q: int, at: int, f: int) -> int:
        """Wait for room for a write; what was offered may do for another."""
        if self.frame[q + WAITED] == LIMIT:
            self.back.pass_turn(q, at, f)
        elif self.frame[q + WAITED] == ROOM:
            self.back.offer_room(f)
        return self.back.wait_for_room(slot, q, at, -1 if self.blocks.may_write(f) else f)

    def close_run(self, q: int, at: int, store: int) -> int:
        """The bytes of a run are there: its blocks are dirty.

        Returns how many had not been, where writers are slowed down.
        """
        f = self.frame[q + FROW]
        size = self.store[store + M_BLOCK]
        first = self.frame[q + RUN]
        last = self.frame[q + BLOCK]
        if first == last:
            return 0
        fresh = 0
        counts = self.store[store + M_SLOW]
        file = self.frame[q + FILE]
        exists = self.store[store + M_EXISTS] + file
        start = first * size
        begin = max(self.frame[q + AT], start)
        end = min(self.frame[q + STOP], last * size)
        self.accept(at, file, end - begin)
        self.exists[exists] = max(self.exists[exists], end)
        for index in range(first, last):
            low = max(0, begin - start)
            high = min(size, end - start)
            start += size
            b = self.blocks.look(f, index)  # It is there: it has been opened.
            if counts:
                fresh += self.blocks.written[b + B_SUM] == 0
            self.blocks.end_write(b, low, high, size)
            if self.blocks.written[b + B_SUM] and not self.blocks.block[b + B_FLAGS] & WRITING:
                self.back.ask_for(at, f, b)
        self.frame[q + RUN] = last
        return fresh

    def accept(self, at: int, file: int, size: int) -> None:
        """Count the bytes of a file that an instance takes in."""
        size += self.inst[at + C_ACCEPTED_BYTES]
        self.inst[at + C_ACCEPTED_BYTES] = self.clock.within(size, OF_FILE + OF_BYTES, file)

    # -- direct requests ------------------------------------------------------------------------

    def go_past(self, slot: int, q: int) -> int:
        """Let a direct request go past a store of its process's node."""
        f = self.frame[q + FROW]
        state = self.frame[q + STATE]
        if state == BELOW:
            self.write_past(q, f)
            self.frames.answer(slot)
            return GO
        if state == FRESH and self.store[self.inst[self.frame[q + STORE_AT] + I_STORE] + M_BACK]:
            self.back.queue_all(f)
            if self.blocks.frow[f + F_PENDING]:
                return self.wait_for_sync(slot, q, f)
        elif state == WAITING:
            self.back.resume(slot, q)
        if self.frame[q + OP] == R_READ:
            return self.tiers.go_below(q)
        self.frame[q + STATE] = BELOW
        below = self.tier[self.frame[q + TIER] + T_NEXT]
        self.frames.part_of(slot, q, below, self.frame[q + LOW], self.frame[q + HIGH])
        return GO

    def write_past(self, q: int, f: int) -> None:
        """Bytes have been written below, past the store: clean blocks that they touch go."""
        at = self.frame[q + STORE_AT]
        store = self.inst[at + I_STORE]
        size = self.store[store + M_BLOCK]
        end = self.frame[q + HIGH]
        exists = self.store[store + M_EXISTS] + self.frame[q + FILE]
        self.exists[exists] = max(self.exists[exists], end)
        if self.blocks.invalidate(f, self.frame[q + LOW] // size, (end + size - 1) // size):
            self.back.offer_room(f)

    # -- requests that come back unserved ---------------------------------------------------------

    def fail(self, q: int) -> None:
        """A request at a store comes back: what it fetches does not come, nor what it writes."""
        at = self.frame[q + STORE_AT]
        f = self.frame[q + FROW]
        state = self.frame[q + STATE]
        writes = self.frame[q + OP] == R_WRITE
        if state == FETCHING and writes:
            self.fail_fetch(at, f, self.frame[q + BLOCK])
        elif state == FETCHING:
            for index in range(self.frame[q + RUN], self.frame[q + BLOCK]):
                self.fail_fetch(at, f, index)
        elif state == PASSING and writes and self.store[self.inst[at + I_STORE] + M_BACK]:
            for index in range(self.frame[q + RUN], self.frame[q + BLOCK]):
                self.cancel_write(at, f, index)

    def fail_fetch(self, at: int, f: int, index: int) -> None:
        """Drop a block that does not come; wake what waits for it, or for room."""
        b = self.blocks.find(f, index)
        self.blocks.uncount(b, at)
        self.back.wake_block(b)
        self.blocks.forget(b)
        self.back.offer_room(f)

    def cancel_write(self, at: int, f: int, index: int) -> None:
        """The bytes of a transfer into a block do not come: it is as before, or goes if empty."""
        b = self.blocks.find(f, index)
        if self.blocks.cancel_write(b):
            self.inst[at + C_INVALIDATED] += 1
            self.blocks.forget(b)
        self.back.offer_room(f)
        self.back.offer_limit(at)

    # -- writing through, sync ------------------------------------------------------------------

    def write_through(self, slot: int, q: int) -> int:
        """Bring bytes into a store and to the tiers below it."""
        at = self.frame[q + STORE_AT]
        store = self.inst[at + I_STORE]
        if self.frame[q + STATE] == BELOW:
            self.frame[q + STATE] = UP
            self.frame[q + BLOCK] = self.frame[q + LOW] // self.store[store + M_BLOCK]
        if self.frame[q + STATE] == UP:
            if self.end_through(q, at, store):
                self.frames.answer(slot)
            return GO
        while True:
            time = self.pass_entry(slot, q, self.frame[q + AT], self.frame[q + STOP])
            if time != GO:
                return time
            if not self.next_extent(q, store):
                break
        self.frame[q + STATE] = BELOW
        below = self.tier[self.frame[q + TIER] + T_NEXT]
        self.frames.part_of(slot, q, below, self.frame[q + LOW], self.frame[q + HIGH])
        return GO

    def end_through(self, q: int, at: int, store: int) -> bool:
        """A write is below: the blocks that it covers are there, too; returns whether all are."""
        f = self.frame[q + FROW]
        size = self.store[store + M_BLOCK]
        file = self.frame[q + FILE]
        begin, end = self.frame[q + LOW], self.frame[q + HIGH]
        while self.frame[q + BLOCK] * size < end:
            if self.clock.short:
                return False
            index = self.frame[q + BLOCK]
            self.frame[q + BLOCK] = index + 1
            low = max(0, begin - index * size)
            high = min(size, end - index * size)
            b = self.blocks.find(f, index)
            if b >= 0:
                if not self.blocks.block[b + B_FLAGS] & FETCHED_NOW:
                    self.blocks.touch(b, 1, 1)
                    self.blocks.block[b + B_VALID] = max(high, self.blocks.block[b + B_VALID])
                continue
            valid = self.back.valid_bytes(store, file, index)
            if valid > 0 and (low > 0 or high < valid):
                continue
            b = self.blocks.admit(f, index, 0)
            if b >= 0:
                self.inst[at + C_CREATED] += 1
                self.blocks.block[b + B_FLAGS] |= UNREAD
                self.blocks.block[b + B_VALID] = high
                self.blocks.settle(b)
        self.accept(at, file, end - begin)
        exists = self.store[store + M_EXISTS] + file
        self.exists[exists] = max(self.exists[exists], end)
        return True

    def sync(self, slot: int, q: int) -> int:
        """Wait until a file's dirty blocks are below, and go on; metadata just goes on."""
        at = self.frame[q + STORE_AT]
        f = self.frame[q + FROW]
        count = (self.frame[q + TIER] - self.frame[q + ENTRY]) // T_ROWS
        state = self.frame[q + STATE]
        if state in (FRESH, DOWN):
            self.frame[q + STATE] = DOWN
            time = self.enter(slot, q, 0, 0, count)
            if time != GO:
                return time
            if self.frame[q + OP] == R_SYNC and self.store[self.inst[at + I_STORE] + M_BACK]:
                self.inst[at + C_SYNCS] += 1
                self.back.queue_all(f)
                if self.blocks.frow[f + F_PENDING]:
                    return self.wait_for_sync(slot, q, f)
        elif state == WAITING:
            self.back.resume(slot, q)
        if state != UP:
            if count == 0:
                return self.tiers.go_below(q)
            if state != BELOW:
                self.frame[q + STATE] = BELOW
                self.frames.part_of(slot, q, self.tier[self.frame[q + TIER] + T_NEXT], 0, 0)
                return GO
            self.frame[q + STATE] = UP
        time = self.enter(slot, q, 0, 0, 2 * count)
        if time != GO:
            return time
        self.frames.answer(slot)
        return GO

    def wait_for_sync(self, slot: int, q: int, f: int) -> int:
        """Wait until a file has no dirty block in the instance."""
        store = self.inst[self.frame[q + STORE_AT] + I_STORE]
        self.back.wait(slot, q, self.store[store + M_BACK_COLUMN], 0)
        self.actor[slot * ACTOR + AFTER] = self.blocks.frow[f + F_SYNCS]
        self.blocks.frow[f + F_SYNCS] = slot
        return BLOCKED
