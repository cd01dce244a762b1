# cython: infer_types=True
"""Writing back: the workers of the stores, what is old, and writers that are slowed down.

The rules are those of docs/composition.md (*Stores*), for any number of instances.
"""

from __future__ import annotations

from simulator.native.clock import NEVER
from simulator.native.codes import *
from simulator.native.turns import Turns

ONE, MOST_WORK, LONGEST_NS, CREDIT_NS = 1 << 10, 1 << 50, 200_000_000, 1_000_000_000
"""As in ``simulator/plan/throttle.py``."""


class WriteBack(Turns):
    """The workers of all stores."""

    def valid_bytes(self, store: int, file: int, index: int) -> int:
        """Bytes of data that a block of a file has."""
        size = self.store[store + M_BLOCK]
        there = self.exists[self.store[store + M_EXISTS] + file] - index * size
        return max(0, min(size, there))

    def work(self, slot: int) -> int:
        """A worker has nothing under way: it ends what it had, and takes what is queued."""
        at = self.actor[slot * ACTOR + INDEX]
        row = self.actor[slot * ACTOR + PARENT]
        if self.worker[row + V_COUNT]:
            self.end_run(at, row)
        b = self.inst[at + I_QUEUED]
        if b < 0:
            self.worker[row + V_SLOT] = 0
            self.inst[at + I_IDLE] += 1
            self.frames.give(slot)
            return BLOCKED
        self.begin_run(slot, at, row, b)
        return GO

    def begin_run(self, slot: int, at: int, row: int, b: int) -> None:
        """Write back a block, and those that follow it without a gap in their dirty bytes."""
        store = self.inst[at + I_STORE]
        size = self.store[store + M_BLOCK]
        f = self.blocks.block[b + B_FROW]
        file = self.blocks.frow[f + F_FILE]
        index = self.blocks.block[b + B_INDEX]
        source = self.blocks.written[b + B_FROM]
        low = index * size + self.blocks.written[b + B_LOW]
        high = low
        count = 0
        expires = self.store[store + M_EXPIRE] >= 0
        while b >= 0:
            moved = self.blocks.dirty_bytes(b)
            self.inst[at + C_OVERWRITTEN_BYTES] += self.blocks.written[b + B_SUM] - moved
            self.blocks.begin_writeback(b)
            if expires:
                self.blocks.since[b // B_ROWS] = 0
            high += moved
            count += 1
            before = b
            b = self.next_of_run(store, f, index + count, high)
            self.blocks.block[before + B_NEXT] = b  # Neither is in a ring until they are below.
        self.worker[row + V_FROW] = f
        self.worker[row + V_INDEX] = index
        self.worker[row + V_COUNT] = count
        self.worker[row + V_SIZE] = high - low
        below = source & ((1 << NODE_BITS) - 1)
        request = self.frames.call(slot, below, R_WRITE, file, low, high)
        self.frame[request + SEQUENTIAL] = WAITS
        self.tiers.place(request, self.tiers.tier[below + T_PATH], source >> NODE_BITS)
        member = self.inst[at + I_NUMBER] - self.store[store + M_FIRST]
        self.tiers.decide(request, below - T_ROWS, member)

    def next_of_run(self, store: int, f: int, index: int, end: int) -> int:
        """The block that is written back together with those before, whose bytes go to ``end``."""
        if end != index * self.store[store + M_BLOCK]:
            return -1
        if index % self.store[store + M_EXTENT_BLOCKS] == 0:
            return -1
        b = self.blocks.find(f, index)
        if b < 0:
            return -1
        state = self.blocks.block[b + B_STATE]
        if state not in (S_DIRTY, S_QUEUED) or self.blocks.written[b + B_LOW]:
            return -1
        return b

    def end_run(self, at: int, row: int) -> None:
        """The blocks of a worker are below."""
        f = self.worker[row + V_FROW]
        count = self.worker[row + V_COUNT]
        b = self.blocks.find(f, self.worker[row + V_INDEX])
        self.worker[row + V_COUNT] = 0
        self.inst[at + C_WRITTEN_BACK] += count
        self.inst[at + C_WRITTEN_BACK_BYTES] += self.worker[row + V_SIZE]
        while b >= 0:
            after = self.blocks.block[b + B_NEXT]
            self.written_back(at, f, b)
            b = after

    def written_back(self, at: int, f: int, b: int) -> None:
        """A block is below."""
        gone = self.blocks.end_writeback(b)
        self.wake_block(b)
        if self.blocks.frow[f + F_PENDING] == 0:
            self.wake_syncs(f)
        if gone:
            self.inst[at + C_RELEASED] += 1
            self.blocks.forget(b)
        elif self.blocks.written[b + B_SUM]:
            self.ask_for(at, f, b)
            return
        if self.blocks.frow[f + F_ROOM] >= 0 and not self.blocks.has_room(f, 1):
            self.queue_oldest(at, f)  # released, but the file still is past its quota
        if self.inst[at + I_ROOM] >= 0 or self.inst[at + I_LIMIT] >= 0:
            self.queue_more(at)
        self.offer_room(f)
        self.offer_limit(at)

    def queue_more(self, at: int) -> None:
        """Queue another block if one that waits still cannot go on: programs hold more now."""
        if not self.store[self.inst[at + I_STORE] + M_ELASTIC]:
            return
        if self.inst[at + I_ROOM] >= 0 and not self.blocks.has_any_room(at):
            self.queue_oldest(at, -1)
        if self.inst[at + I_LIMIT] >= 0 and self.blocks.is_at_limit(at):
            self.queue_oldest(at, -1)

    def ask_for(self, at: int, f: int, b: int) -> None:
        """A block has become dirty: queue it, or others, if a rule says so."""
        store = self.inst[at + I_STORE]
        if self.blocks.block[b + B_STATE] == S_DIRTY and self.is_wanted(store, at, f, b):
            self.blocks.queue(b, 0)
            self.call_worker(at)
        self.look_at_marks(store, at)
        if self.store[store + M_EXPIRE] >= 0 and self.blocks.block[b + B_STATE] == S_DIRTY:
            self.grow_old(at, b)

    def is_wanted(self, store: int, at: int, f: int, b: int) -> bool:
        """Whether a dirty block is written back at once."""
        return (
            self.store[store + M_EAGER] != 0
            or (self.blocks.frow[f + F_OUTGROWN] != 0 and self.blocks.is_full(b))
            or self.blocks.frow[f + F_ROOM] >= 0
            or self.blocks.frow[f + F_SYNCS] >= 0
            or self.inst[at + I_ROOM] >= 0
            or self.inst[at + I_LIMIT] >= 0
        )

    def look_at_marks(self, store: int, at: int) -> None:
        """Queue the oldest dirty blocks of an instance down to its low mark, above its high one."""
        if not self.store[store + M_MARK]:
            return
        if self.inst[at + I_DIRTIES] <= self.inst[at + I_HIGH]:
            return
        while self.inst[at + I_DIRTIES] > self.inst[at + I_LOW]:
            self.blocks.queue(self.blocks.oldest_dirty(at), 0)
            self.call_worker(at)

    def grow_old(self, at: int, b: int) -> None:
        """A block is dirty from now on, if it was not: the flusher of its instance looks."""
        if self.blocks.since[b // B_ROWS]:
            return
        self.blocks.since[b // B_ROWS] = self.clock.now + 1
        if self.inst[at + I_LOOKS]:
            return
        self.inst[at + I_LOOKS] = 1
        store = self.inst[at + I_STORE]
        member = self.inst[at + I_NUMBER] - self.store[store + M_FIRST]
        self.clock.wake(self.frames.take(FLUSHER, at, self.store[store + M_FLUSHER] + member))

    def flush_old(self, slot: int) -> int:
        """Queue blocks that are old now; returns when the next one will be, or BLOCKED."""
        at = self.actor[slot * ACTOR + INDEX]
        store = self.inst[at + I_STORE]
        interval = self.store[store + M_INTERVAL]
        while True:
            b = self.blocks.oldest_dirty(at)
            if b < 0:
                self.inst[at + I_LOOKS] = 0
                self.frames.give(slot)
                return BLOCKED
            due = self.blocks.since[b // B_ROWS] - 1 + self.store[store + M_EXPIRE]
            if due < NEVER:  # else the run ends here
                due = (due + interval - 1) // interval * interval
            if due > self.clock.now:
                return due
            self.queue_oldest(at, -1)

    def slow_down(self, at: int, fresh: int) -> int:
        """Until when a writer pauses that has made so many blocks dirty, or 0: it does not."""
        store = self.inst[at + I_STORE]
        slow = self.store[store + M_SLOW]
        if not fresh or not slow:
            return 0
        dirty = self.inst[at + I_HELD]
        limit = self.inst[at + I_MOST_DIRTY]
        free = (limit + self.inst[at + I_HIGH]) // 2
        now = self.clock.now
        if dirty <= free:
            self.inst[at + I_SLOWED] = max(now, self.inst[at + I_SLOWED])
            return 0
        ratio = self.position_ratio(dirty, free, limit, self.store[store + M_SPAN])
        work = MOST_WORK if slow > MOST_WORK // fresh else fresh * slow
        until = max(now - CREDIT_NS, self.inst[at + I_SLOWED])
        until += min(LONGEST_NS, work * ONE // ratio)
        self.inst[at + I_SLOWED] = until
        if until <= now:
            return 0
        self.inst[at + C_LIMIT_WAITS] += 1
        return until

    def position_ratio(self, dirty: int, free: int, limit: int, span: int) -> int:
        """The ratio of ``simulator/plan/throttle.py``."""
        setpoint = (free + limit) // 2
        distance = setpoint - dirty if dirty <= setpoint else dirty - setpoint
        distance = min(ONE, (distance << 10) // max(1, limit - setpoint))
        cube = ((distance * distance >> 10) * distance) >> 10
        ratio = ONE + cube if dirty <= setpoint else ONE - cube
        left = setpoint + span - dirty
        ratio = ratio * left // span if 4 * left > span else ratio // 4
        return max(1, ratio)

    def hold(self, group: int, node: int, nodes: int, size: int) -> None:
        """A process on some nodes of a group holds so many more bytes, or fewer if negative."""
        store = 0
        while store + M_ROWS <= len(self.store):
            if self.store[store + M_ELASTIC] and self.store[store + M_GROUP] == group:
                for member in range(node, node + nodes):
                    self.hold_in((self.store[store + M_FIRST] + member) * I_ROWS, size)
            store += M_ROWS

    def hold_in(self, at: int, size: int) -> None:
        """Programs on the node of an instance hold so many more bytes."""
        store = self.inst[at + I_STORE]
        block = self.store[store + M_BLOCK]
        self.inst[at + I_HOLDS] += size
        held = (self.inst[at + I_HOLDS] + block - 1) // block
        self.inst[at + I_SPACE] = max(1, self.store[store + M_SLOTS] - held)
        self.blocks.share_out(at)
        self.blocks.trim(at)
        if self.store[store + M_BACK]:
            self.look_at_marks(store, at)
            self.offer_limit(at)
        self.offer_any_room(at)

    def queue_all(self, f: int) -> None:
        """Ask for the write-back of all dirty blocks of a file, the oldest first."""
        at = self.blocks.frow[f + F_STORE_AT]
        while self.blocks.frow[f + F_DIRTY] >= 0:
            self.queue_oldest(at, f)

    def close(self, at: int, file: int) -> None:
        """A process closes a file that it wrote, whose store is the one at ``at``."""
        if self.store[self.inst[at + I_STORE] + M_CLOSE]:
            f = self.blocks.known_file(at, file)
            if f >= 0:
                self.queue_all(f)

    def drop(self, at: int, file: int) -> None:
        """A file has changed elsewhere: its clean blocks in the instance at ``at`` go."""
        f = self.blocks.known_file(at, file)
        if f >= 0 and self.blocks.invalidate(f, 0, 1 << 40):
            self.offer_room(f)

    def on_its_way(self, at: int, f: int, b: int) -> int:
        """Another block of the file that is queued or being written back, the lowest; or -1."""
        if self.blocks.frow[f + F_PENDING] == 1:
            return -1
        lowest = -1
        other = self.inst[at + I_QUEUED]
        while other >= 0:
            if other != b and self.blocks.block[other + B_FROW] == f:
                lowest = self.lower(lowest, self.blocks.block[other + B_INDEX])
            other = self.blocks.block[other + B_NEXT]
        store = self.inst[at + I_STORE]
        workers = self.store[store + M_WORKERS]
        first = (self.inst[at + I_NUMBER] - self.store[store + M_FIRST]) * workers
        row = (self.store[store + M_WORKER_ROW] + first) * V_ROWS
        for _ in range(workers):
            if self.worker[row + V_COUNT] and self.worker[row + V_FROW] == f:
                lowest = self.lower(lowest, self.worker[row + V_INDEX])
            row += V_ROWS
        return self.blocks.find(f, lowest) if lowest >= 0 else -1

    def lower(self, lowest: int, index: int) -> int:
        """The lower of two numbers of blocks, of which the first may be -1 for none."""
        return index if lowest < 0 or index < lowest else lowest
