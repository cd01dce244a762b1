# cython: infer_types=True
"""The states of blocks: which are clean, dirty, asked for, and in which order they go.

The rules are those of docs/composition.md, for any number of instances, with a
replacement policy and a limit for the blocks that are not clean. No clock, no queues.
"""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.policy import Policies
from simulator.native.rings import Rings


class Blocks(Rings):
    """The blocks of all stores."""

    def follow(self, policies: Policies) -> None:
        """Have these policies decide, from the begin of a run on."""
        self.policies = policies

    def begin_file(self, at: int, file: int) -> int:
        """The row of a file in an instance; as ``file_row``, for those outside the engine."""
        return self.file_row(at, file)

    def store_of(self, f: int) -> int:
        """The row of the store that a file's instance belongs to."""
        return self.inst[self.frow[f + F_STORE_AT] + I_STORE]

    # -- room -----------------------------------------------------------------------------------

    def may_write(self, f: int) -> bool:
        """Whether the file's written blocks are below its quota."""
        quota = self.store[self.store_of(f) + M_QUOTA]
        return quota < 0 or self.frow[f + F_WRITTEN] < quota

    def note_quota(self, f: int) -> None:
        """A write looks for a place in its file's quota; a file without one has outgrown it."""
        if not self.may_write(f):
            self.frow[f + F_OUTGROWN] = 1

    def has_room(self, f: int, write: int) -> bool:
        """Whether :meth:`admit` would find room now."""
        if write and not self.may_write(f):
            return self.frow[f + F_CLEAN] >= 0
        return self.has_any_room(self.frow[f + F_STORE_AT])

    def has_any_room(self, at: int) -> bool:
        """Whether an instance has a slot, or a clean block whose slot may be taken."""
        return self.inst[at + I_USED] - self.inst[at + I_CLEANS] < self.inst[at + I_SPACE]

    def left(self, at: int, blocks: int) -> int:
        """As much of so many blocks as programs leave of all slots of an instance."""
        slots = self.store[self.inst[at + I_STORE] + M_SLOTS]
        return blocks * self.inst[at + I_SPACE] // slots

    def share_out(self, at: int) -> None:
        """Programs leave another number of slots: so much of limit and marks."""
        store = self.inst[at + I_STORE]
        if self.store[store + M_LIMIT] >= 0:
            self.inst[at + I_MOST_DIRTY] = max(1, self.left(at, self.store[store + M_LIMIT]))
        self.inst[at + I_HIGH] = self.left(at, self.store[store + M_HIGH])
        self.inst[at + I_LOW] = self.left(at, self.store[store + M_LOW])

    def is_at_limit(self, at: int) -> bool:
        """Whether no more blocks of an instance may become dirty."""
        return 0 <= self.inst[at + I_MOST_DIRTY] <= self.inst[at + I_HELD]

    def trim(self, at: int) -> None:
        """Let clean blocks go that there is no room for any more."""
        store = self.inst[at + I_STORE]
        while self.inst[at + I_USED] > self.inst[at + I_SPACE] and self.inst[at + I_CLEANS]:
            victim = self.policies.victim(self.store[store + M_POLICY], self, at, 0)
            self.evict(victim, at, store)

    def admit(self, f: int, index: int, write: int) -> int:
        """Take a block in, busy and empty; returns its row, or -1 if nothing can go for it.

        A write takes a place in its file's quota; where that is full, only a clean written block
        of the file itself can go.
        """
        at = self.frow[f + F_STORE_AT]
        store = self.inst[at + I_STORE]
        slots = self.store[store + M_SLOTS]
        victim = -1
        if write and not self.may_write(f):
            self.note_quota(f)
            victim = self.frow[f + F_CLEAN]
            if victim < 0:
                return -1
        elif not self.has_any_room(at):
            return -1
        policy = self.store[store + M_POLICY]
        remembered = self.policies.recall(policy, self, at, f, index, slots)
        if victim >= 0:
            self.evict(victim, at, store)
        else:
            coming = remembered
            while self.inst[at + I_USED] >= self.inst[at + I_SPACE]:
                self.evict(self.policies.victim(policy, self, at, coming), at, store)
                coming = 0  # One has gone for the block that comes in.
        self.inst[at + I_USED] += 1
        b = self.new_block(f, index)
        self.block[b + B_STATE] = S_BUSY
        self.block[b + B_FLAGS] = USED_AGAIN if remembered else 0
        self.block[b + B_VALID] = 0
        if write:
            self.block[b + B_FLAGS] |= UNREAD
            self.count_written(b)
        return b

    def evict(self, b: int, at: int, store: int) -> None:
        """Let a clean block go."""
        self.inst[at + C_EVICTED] += 1
        state = self.block[b + B_STATE]
        self.leave(b)
        self.uncount(b, at)
        slots = self.store[store + M_SLOTS]
        self.policies.keep(self.store[store + M_POLICY], self, at, b, state, slots)

    def invalidate(self, f: int, low: int, high: int) -> int:
        """Drop the clean blocks [low, high) of a file; returns how many there were."""
        at = self.frow[f + F_STORE_AT]
        before = self.inst[at + I_CLEANS]
        if high - low < before:
            for index in range(low, high):
                b = self.find(f, index)
                if b >= 0 and self.block[b + B_STATE] in (S_CLEAN, S_AGAIN):
                    self.drop(b, at)
        else:
            self.invalidate_ring(f, low, high, at + I_CLEAN)
            self.invalidate_ring(f, low, high, at + I_AGAIN)
        gone = before - self.inst[at + I_CLEANS]
        self.inst[at + C_INVALIDATED] += gone
        return gone

    def invalidate_ring(self, f: int, low: int, high: int, ring: int) -> None:
        """Drop the blocks [low, high) of a file that are in a ring of its instance."""
        b = self.inst[ring]
        while b >= 0:
            after = self.block[b + B_NEXT]
            if self.block[b + B_FROW] == f and low <= self.block[b + B_INDEX] < high:
                self.drop(b, self.frow[f + F_STORE_AT])
            b = after

    def drop(self, b: int, at: int) -> None:
        """Let a clean block go, without a trace."""
        self.leave(b)
        self.uncount(b, at)
        self.forget(b)

    def count_written(self, b: int) -> None:
        """A block counts against its file's quota from now on."""
        self.block[b + B_FLAGS] |= WRITTEN
        self.written[b + B_USERS] = 0
        self.written[b + B_SUM] = 0
        self.frow[self.block[b + B_FROW] + F_WRITTEN] += 1

    def uncount(self, b: int, at: int) -> None:
        """A block goes."""
        if self.block[b + B_FLAGS] & WRITTEN:
            self.frow[self.block[b + B_FROW] + F_WRITTEN] -= 1
        self.inst[at + I_USED] -= 1

    # -- using ----------------------------------------------------------------------------------

    def touch(self, b: int, goes_on: int, writes: int) -> None:
        """A block that is there is used; ``goes_on``: by no read that begins in it anew."""
        at = self.frow[self.block[b + B_FROW] + F_STORE_AT]
        state = self.block[b + B_STATE]
        if self.block[b + B_FLAGS] & AHEAD:
            self.block[b + B_FLAGS] -= AHEAD
            self.inst[at + C_USED_AHEAD] += 1
            goes_on = 1
        if self.block[b + B_FLAGS] & UNREAD and not writes:
            self.block[b + B_FLAGS] -= UNREAD
            goes_on = 1
        if self.block[b + B_FLAGS] & WRITTEN and state in (S_CLEAN, S_AGAIN):
            ring = self.block[b + B_FROW] + F_CLEAN
            self.remove_from_file(b, ring)
            self.append_to_file(b, ring)
        policy = self.store[self.inst[at + I_STORE] + M_POLICY]
        if goes_on:
            self.policies.go_on(policy, self, b)
        else:
            self.policies.touch(policy, self, b)

    def settle(self, b: int) -> None:
        """Put a busy block where it belongs, if nobody holds it any more."""
        if self.block[b + B_STATE] != S_BUSY:
            return
        if self.block[b + B_FLAGS] & (WRITING | FETCHED_NOW):
            return
        f = self.block[b + B_FROW]
        written = self.block[b + B_FLAGS] & WRITTEN
        if written and self.written[b + B_SUM]:
            self.frow[f + F_PENDING] += 1
            self.join(b, S_DIRTY, 0)
        elif not written or not self.written[b + B_USERS]:
            policy = self.store[self.store_of(f) + M_POLICY]
            self.join(b, self.policies.ring(policy, self, b), 0)

    def is_clean(self, b: int) -> bool:
        """Whether a block has no data that is not below, and nobody writes into it."""
        flags = self.block[b + B_FLAGS]
        if not flags & WRITTEN:
            return True
        return not self.written[b + B_USERS] and not self.written[b + B_SUM] and not flags & WRITING

    def begin_write(self, b: int, at: int, source: int) -> None:
        """A transfer into a block begins: it cannot go until that has ended."""
        if self.is_clean(b):
            self.inst[at + I_HELD] += 1
        state = self.block[b + B_STATE]
        if state not in (S_BUSY, S_DIRTY, S_QUEUED):
            self.leave(b)
        if not self.block[b + B_FLAGS] & WRITTEN:
            self.count_written(b)
        self.written[b + B_USERS] += 1
        self.written[b + B_FROM] = source

    def end_write(self, b: int, low: int, high: int, size: int) -> None:
        """A transfer into [low, high) of a block has ended: the block is dirty."""
        self.written[b + B_USERS] -= 1
        if self.written[b + B_SUM]:
            self.written[b + B_LOW] = min(low, self.written[b + B_LOW])
            self.written[b + B_HIGH] = max(high, self.written[b + B_HIGH])
        else:
            self.written[b + B_LOW] = low
            self.written[b + B_HIGH] = high
        self.written[b + B_SUM] += high - low
        self.block[b + B_VALID] = max(high, self.block[b + B_VALID])
        if high - low == size:
            self.block[b + B_FLAGS] |= WHOLE
        else:
            self.block[b + B_FLAGS] &= ~WHOLE
        self.settle(b)

    def cancel_write(self, b: int) -> bool:
        """A transfer into a block has failed; returns whether it went, since it has no data."""
        self.written[b + B_USERS] -= 1
        if self.is_clean(b):
            at = self.frow[self.block[b + B_FROW] + F_STORE_AT]
            self.inst[at + I_HELD] -= 1
            if not self.block[b + B_VALID]:
                self.uncount(b, at)
                return True
        self.settle(b)
        return False

    def overlaps_dirty(self, b: int, low: int, high: int) -> bool:
        """Whether a write of [low, high) would go back over bytes not yet below."""
        return (
            (self.block[b + B_FLAGS] & WRITTEN) != 0
            and self.written[b + B_SUM] > 0
            and low < self.written[b + B_HIGH]
            and high > self.written[b + B_LOW]
        )

    # -- writing back ---------------------------------------------------------------------------

    def count_dirty(self, ring: int) -> int:
        """Count the blocks in an instance's ring; their bytes are in ``dirty_sum`` then."""
        count = 0
        self.dirty_sum = 0
        b = self.inst[ring]
        while b >= 0:
            count += 1
            self.dirty_sum += self.written[b + B_SUM]
            b = self.block[b + B_NEXT]
        return count

    def is_full(self, b: int) -> bool:
        """Whether a block holds data up to its end."""
        return (
            self.block[b + B_VALID] >= self.store[self.store_of(self.block[b + B_FROW]) + M_BLOCK]
        )

    def dirty_bytes(self, b: int) -> int:
        """What a write-back of a block alone would move."""
        return min(self.written[b + B_SUM], self.written[b + B_HIGH] - self.written[b + B_LOW])

    def oldest_dirty(self, at: int) -> int:
        """The block of an instance that has been dirty, and not queued, for longest; or -1."""
        return self.inst[at + I_DIRTY]

    def dirty_before(self, b: int) -> int:
        """The oldest other dirty block of the file, or ``b`` if there is none."""
        other = self.frow[self.block[b + B_FROW] + F_DIRTY]
        if other == b:
            other = self.written[other + B_FILE_NEXT]
        return other if other >= 0 else b

    def queue(self, b: int, first: int) -> None:
        """Ask for the write-back of a dirty block; ``first`` goes before the others."""
        self.leave(b)
        self.join(b, S_QUEUED, first)

    def begin_writeback(self, b: int) -> None:
        """Take a dirty block to write it back."""
        self.leave(b)
        self.block[b + B_FLAGS] |= WRITING
        self.written[b + B_SUM] = 0

    def end_writeback(self, b: int) -> bool:
        """A block is below; returns whether it went. It stays dirty if it was written to since."""
        f = self.block[b + B_FROW]
        at = self.frow[f + F_STORE_AT]
        self.block[b + B_FLAGS] -= WRITING
        self.frow[f + F_PENDING] -= 1
        idle = self.written[b + B_SUM] == 0 and self.written[b + B_USERS] == 0
        if idle:
            self.inst[at + I_HELD] -= 1
            if self.frow[f + F_OUTGROWN] and self.is_released(b):
                self.uncount(b, at)
                return True
        self.settle(b)
        return False

    def is_released(self, b: int) -> bool:
        """Whether a block of a file that has outgrown its quota goes once it is clean."""
        release = self.store[self.store_of(self.block[b + B_FROW]) + M_RELEASE]
        if release == RELEASE_WHOLE:
            return (self.block[b + B_FLAGS] & WHOLE) != 0
        return release == RELEASE_FULL and self.is_full(b)
