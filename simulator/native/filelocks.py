# cython: infer_types=True
"""Locks of whole files: requests take and use them, until a second node wants one; composition.md.

Then the file is divided into units, whose locks are in ``locks.py``. Functions give what those of
``stages.py`` give, and READY to go on at once.
"""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.locktable import LockTable
from simulator.native.writeback import WriteBack


class FileLocks(LockTable):
    """Requests that take locks: what all have in common, and the locks of whole files."""

    def __init__(self, back: WriteBack, files: int, most: int) -> None:
        super().__init__(back.clock, files, most)
        self.tiers = back.tiers
        self.tier = back.tiers.tier
        self.frames = back.frames
        self.back = back
        self.blocks = back.blocks
        self.inst = back.inst
        self.store = back.store
        self.frame = back.frame
        self.actor = back.actor

    # -- requests -------------------------------------------------------------------------------

    def node(self, q: int) -> int:
        """The number of the node that a request comes from."""
        return self.tier[self.frame[q + TIER] + T_COUNT] + self.frame[q + PLACES]

    def store_at(self, q: int) -> int:
        """The instance that keeps what the locks of a request's node protect, or -1."""
        store = self.tier[self.frame[q + TIER] + T_ROW]
        if store < 0:
            return -1
        return (self.store[store + M_FIRST] + self.frame[q + PLACES]) * I_ROWS

    def ask(self, slot: int, q: int) -> int:
        """Ask the server for locks, from the unit at ``AT`` on."""
        tier = self.frame[q + TIER]
        self.frame[q + RUN] = 1
        self.frame[q + STATE] = DOWN
        begin = self.frame[q + AT] * self.tier[tier + T_SIZE]
        below = self.tier[tier + T_ASK]
        request = self.frames.call(slot, below, R_META, self.frame[q + FILE], begin, begin)
        self.frame[request + SEQUENTIAL] = WAITS
        self.tiers.place(request, self.tier[below + T_PATH], self.frame[q + PLACES])
        return GO

    def go_below(self, slot: int, q: int, units: int) -> int:
        """All locks are there: the request goes on."""
        self.frame[q + COUNTED] = units
        self.frame[q + STATE] = BELOW
        low, high = self.frame[q + LOW], self.frame[q + HIGH]
        self.frames.part_of(slot, q, self.tier[self.frame[q + TIER] + T_NEXT], low, high)
        return GO

    def end_use(self, row: int) -> None:
        """A request uses a lock no more; wake the one that waits for the last."""
        self.lock[row + LK_USED] -= 1
        if not self.lock[row + LK_USED] and self.lock[row + LK_AWAITED]:
            self.lock[row + LK_AWAITED] = 0
            self.clock.wake(self.lock[row + LK_HEAD])

    # -- waiting --------------------------------------------------------------------------------

    def wait(self, slot: int, q: int) -> int:
        """Wait until another actor wakes this one; the time is that of locks."""
        return self.back.wait(slot, q, self.tier[self.frame[q + TIER] + T_COLUMN], 0)

    def wait_for_use(self, slot: int, q: int, row: int) -> int:
        """Wait until no request uses a lock, as the first that wants it."""
        self.lock[row + LK_AWAITED] = 1
        return self.wait(slot, q)

    def stand(self, slot: int, q: int, row: int) -> int:
        """Stand in line for a lock."""
        self.wait(slot, q)
        last = self.lock[row + LK_LAST]
        if self.lock[row + LK_FIRST] < 0:
            self.lock[row + LK_FIRST] = slot
        else:
            self.actor[last * ACTOR + AFTER] = slot
        self.lock[row + LK_LAST] = slot
        return BLOCKED

    # -- a whole file ---------------------------------------------------------------------------

    def take_whole(self, slot: int, q: int) -> int:
        """Have the lock of a whole file, unless it is divided."""
        row = self.frame[q + FILE] * LK_ROWS
        if self.lock[row + LK_CHAIN] == IS_DIVIDED:
            self.frame[q + STEP] = LOCK_UNITS
            return READY
        if self.lock[row + LK_CHAIN] == IS_DIVIDING:
            return self.stand(slot, q, row)
        node = self.node(q)
        exclusive = self.frame[q + OP] == R_WRITE
        if self.suits(row, node, exclusive):
            self.lock[row + LK_USED] += 1
            return self.go_below(slot, q, 0)
        if not self.frame[q + RUN]:
            return self.ask(slot, q)
        if self.in_the_way(row, node, exclusive) < 0:
            self.grant(row, node, self.store_at(q), exclusive)
            return READY
        self.lock[row + LK_CHAIN] = IS_DIVIDING
        self.lock[row + LK_HEAD] = slot
        self.frame[q + STEP] = LOCK_DIVIDE
        return self.wait_for_use(slot, q, row) if self.lock[row + LK_USED] else READY

    def divide(self, slot: int, q: int) -> int:
        """Call back the lock of the lowest other node; if there is none, the file is divided."""
        file = self.frame[q + FILE]
        row = file * LK_ROWS
        c = self.in_the_way(row, self.node(q), 1)
        if c < 0:
            self.end_dividing(row)
            self.frame[q + STEP] = LOCK_UNITS
            return READY
        at = self.cell[c + CELL_STORE]
        if at < 0:
            self.take_from(row, c)
            return READY
        self.inst[at + C_CALLED_BACK] += 1
        f = self.blocks.known_file(at, file)
        if f < 0:
            self.take_from(row, c)
            return READY
        self.back.queue_all(f)
        self.frame[q + STORE_AT] = at
        self.frame[q + FROW] = f
        self.frame[q + STEP] = LOCK_SYNCED
        if not self.blocks.frow[f + F_PENDING]:
            return READY
        self.wait(slot, q)
        self.actor[slot * ACTOR + AFTER] = self.blocks.frow[f + F_SYNCS]
        self.blocks.frow[f + F_SYNCS] = slot
        return BLOCKED

    def end_file(self, q: int) -> int:
        """Drop the blocks of a file at a node that loses its lock."""
        at = self.frame[q + STORE_AT]
        file = self.frame[q + FILE]
        store = self.inst[at + I_STORE]
        there = self.back.exists[self.store[store + M_EXISTS] + file]
        size = self.store[store + M_BLOCK]
        self.drop(self.frame[q + FROW], 0, (there + size - 1) // size)
        row = file * LK_ROWS
        self.take_from(row, self.in_the_way(row, self.node(q), 1))
        self.frame[q + STEP] = LOCK_DIVIDE
        return READY

    def drop(self, f: int, low: int, high: int) -> None:
        """Drop the clean blocks [low, high) of a file, and offer their room."""
        if self.blocks.invalidate(f, low, high):
            self.back.offer_room(f)

    def end_dividing(self, row: int) -> None:
        """There are no locks of the whole file any more; wake all that wait for that."""
        while self.lock[row + LK_CELLS] >= 0:
            self.take_from(row, self.lock[row + LK_CELLS])
        self.lock[row + LK_CHAIN] = IS_DIVIDED
        slot = self.lock[row + LK_FIRST]
        while slot >= 0:
            self.clock.wake(slot)
            slot = self.actor[slot * ACTOR + AFTER]
