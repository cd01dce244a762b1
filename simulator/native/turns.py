# cython: infer_types=True
"""Who waits at a store, for a block, for room or for the limit, and whose turn it is.

The rules are those of docs/composition.md (*Stores*), for any number of instances.
"""

from __future__ import annotations

from array import array

from simulator.native.blocks import Blocks
from simulator.native.codes import *
from simulator.native.tiers import Tiers


class Turns:
    """The actors that wait for the workers of all stores."""

    def __init__(
        self, tiers: Tiers, blocks: Blocks, exists: array[int], workers: array[int]
    ) -> None:
        self.tiers = tiers
        self.frames = tiers.frames
        self.clock = tiers.clock
        self.parts = tiers.parts
        self.blocks = blocks
        self.inst = blocks.inst
        self.store = blocks.store
        self.frame = tiers.frame
        self.actor = tiers.actor
        self.exists = exists
        """For each store, how much there is of each file, here or below; bytes."""
        self.worker = workers

    def call_worker(self, at: int) -> None:
        """Wake the idle worker of the lowest number, if there is one."""
        if not self.inst[at + I_IDLE]:
            return
        store = self.inst[at + I_STORE]
        workers = self.store[store + M_WORKERS]
        first = (self.inst[at + I_NUMBER] - self.store[store + M_FIRST]) * workers
        row = (self.store[store + M_WORKER_ROW] + first) * V_ROWS
        number = self.store[store + M_FIRST_WORKER] + first
        while self.worker[row + V_SLOT]:
            row += V_ROWS
            number += 1
        slot = self.frames.take(WORKER, at, number)
        self.actor[slot * ACTOR + PARENT] = row
        self.worker[row + V_SLOT] = 1
        self.inst[at + I_IDLE] -= 1
        self.clock.wake(slot)

    def queue_oldest(self, at: int, f: int) -> None:
        """Ask for the write-back of the oldest dirty block: of a file, or of any (-1)."""
        b = self.blocks.oldest_dirty(at) if f < 0 else self.blocks.frow[f + F_DIRTY]
        if b >= 0:
            self.blocks.queue(b, 0)
            self.call_worker(at)

    def wait(self, slot: int, request: int, column: int, kind: int) -> int:
        """Let a request wait, for a block (0), room or the limit."""
        self.frame[request + STATE] = WAITING
        self.frame[request + SINCE] = self.clock.now
        self.frame[request + COLUMN] = column
        self.frame[request + OPEN] = kind
        self.actor[slot * ACTOR + AFTER] = -1
        return BLOCKED

    def resume(self, slot: int, request: int) -> None:
        """A request goes on after waiting."""
        waited = self.clock.now - self.frame[request + SINCE]
        self.parts.charge(slot, self.frame[request + COLUMN], waited, 0)
        if self.frame[request + OPEN]:
            self.frame[request + WAITED] = self.frame[request + OPEN]

    def wait_for_block(self, slot: int, request: int, b: int, column: int) -> int:
        """Wait until a block has come, or is below."""
        self.wait(slot, request, column, 0)
        if self.blocks.block[b + B_FLAGS] & AWAITED:
            self.actor[slot * ACTOR + AFTER] = self.blocks.written[b + B_WAITERS]
        self.blocks.block[b + B_FLAGS] |= AWAITED
        self.blocks.written[b + B_WAITERS] = slot
        return BLOCKED

    def wake_block(self, b: int) -> None:
        """Wake all that wait for a block."""
        if not self.blocks.block[b + B_FLAGS] & AWAITED:
            return
        self.blocks.block[b + B_FLAGS] &= ~AWAITED
        slot = self.blocks.written[b + B_WAITERS]
        while slot >= 0:
            self.clock.wake(slot)
            slot = self.actor[slot * ACTOR + AFTER]

    def wake_syncs(self, f: int) -> None:
        """Wake all that wait for a file to be below."""
        slot = self.blocks.frow[f + F_SYNCS]
        self.blocks.frow[f + F_SYNCS] = -1
        while slot >= 0:
            self.clock.wake(slot)
            slot = self.actor[slot * ACTOR + AFTER]

    def wait_for_room(self, slot: int, request: int, at: int, f: int) -> int:
        """Wait until a block can go: of a file, or any (-1)."""
        column = self.store[self.inst[at + I_STORE] + M_BACK_COLUMN]
        self.queue_oldest(at, f)
        again = self.frame[request + WAITED] == ROOM
        self.wait(slot, request, column, ROOM)
        if f < 0:
            self.stand(slot, at + I_ROOM, again)
            return BLOCKED
        first = self.blocks.frow[f + F_ROOM]
        if first < 0:
            self.blocks.frow[f + F_ROOM] = slot
            self.blocks.frow[f + F_ROOM + 1] = slot
        elif again:
            self.actor[slot * ACTOR + AFTER] = first
            self.blocks.frow[f + F_ROOM] = slot
        else:
            self.actor[self.blocks.frow[f + F_ROOM + 1] * ACTOR + AFTER] = slot
            self.blocks.frow[f + F_ROOM + 1] = slot
        return BLOCKED

    def wait_for_limit(self, slot: int, request: int, at: int) -> int:
        """Wait until fewer blocks are dirty."""
        column = self.store[self.inst[at + I_STORE] + M_BACK_COLUMN]
        self.inst[at + C_LIMIT_WAITS] += 1
        self.queue_oldest(at, -1)
        again = self.frame[request + WAITED] == LIMIT
        self.wait(slot, request, column, LIMIT)
        self.stand(slot, at + I_LIMIT, again)
        return BLOCKED

    def stand(self, slot: int, queue: int, again: int) -> None:
        """Stand in a queue of an instance, at its end, or at its front."""
        first = self.inst[queue]
        if first < 0:
            self.inst[queue] = slot
            self.inst[queue + 1] = slot
        elif again:
            self.actor[slot * ACTOR + AFTER] = first
            self.inst[queue] = slot
        else:
            self.actor[self.inst[queue + 1] * ACTOR + AFTER] = slot
            self.inst[queue + 1] = slot

    def pass_turn(self, request: int, at: int, f: int) -> None:
        """One that had its turn has decided: somebody else may use what is left."""
        waited = self.frame[request + WAITED]
        if waited:
            self.frame[request + WAITED] = 0
            if waited == ROOM:
                self.offer_room(f)
            else:
                self.offer_limit(at)

    def offer_room(self, f: int) -> None:
        """Wake one that waits for room, if there is room: for a file, or for any."""
        at = self.blocks.frow[f + F_STORE_AT]
        if self.blocks.frow[f + F_ROOM] >= 0 or self.inst[at + I_ROOM] >= 0:
            self.offer_to(at, f)

    def offer_to(self, at: int, f: int) -> None:
        """Do so where somebody waits for room."""
        first = self.blocks.frow[f + F_ROOM]
        if first >= 0 and (self.is_freed(at, f) or self.blocks.has_room(f, 1)):
            self.blocks.frow[f + F_ROOM] = self.actor[first * ACTOR + AFTER]
            self.clock.wake(first)
        self.offer_any_room(at)

    def is_freed(self, at: int, f: int) -> int:
        """Whether a file's quota holds none up where programs may; one may wait for any room."""
        return self.store[self.inst[at + I_STORE] + M_ELASTIC] and self.blocks.may_write(f)

    def offer_any_room(self, at: int) -> None:
        """Wake one that waits for room of any file, if there is some."""
        first = self.inst[at + I_ROOM]
        if first >= 0 and self.blocks.has_any_room(at):
            self.inst[at + I_ROOM] = self.actor[first * ACTOR + AFTER]
            self.clock.wake(first)

    def offer_limit(self, at: int) -> None:
        """Wake one that waits for the limit, if there are fewer dirty blocks."""
        first = self.inst[at + I_LIMIT]
        if first >= 0 and not self.blocks.is_at_limit(at):
            self.inst[at + I_LIMIT] = self.actor[first * ACTOR + AFTER]
            self.clock.wake(first)
