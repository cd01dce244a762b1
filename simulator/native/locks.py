# cython: infer_types=True
"""Locks of files and their units: requests take, use and give them back, or call them back.

See composition.md. Functions give what those of ``stages.py`` give, and READY to go on at once.
"""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.filelocks import FileLocks


class Locks(FileLocks):
    """The locks of all files, as requests take them."""

    def step(self, slot: int, q: int) -> int:
        """Let the request in frame ``q`` take locks, or give them back when it is answered."""
        state = self.frame[q + STATE]
        if state == FRESH:
            if self.frame[q + OP] > R_WRITE or self.frame[q + LOW] == self.frame[q + HIGH]:
                return self.tiers.go_below(q)
            unit = self.tier[self.frame[q + TIER] + T_SIZE]
            self.frame[q + AT] = self.frame[q + LOW] // unit
            self.frame[q + STOP] = (self.frame[q + HIGH] - 1) // unit + 1
            self.frame[q + RUN] = 0
            self.frame[q + STEP] = LOCK_WHOLE
        elif state == BELOW:
            self.give_back(q)
            self.frames.answer(slot)
            return GO
        elif state == WAITING:
            self.back.resume(slot, q)
        self.frame[q + STATE] = LOOKING
        while not self.clock.short:
            time = self.take(slot, q)
            if time != READY:
                return time
        return GO

    def take(self, slot: int, q: int) -> int:
        """Do what is next until all locks are there."""
        step = self.frame[q + STEP]
        if step == LOCK_WHOLE:
            return self.take_whole(slot, q)
        if step == LOCK_UNITS:
            return self.take_unit(slot, q)
        if step == LOCK_FIRST:
            return self.first_in_line(slot, q)
        if step == LOCK_BACK:
            return self.call_back(slot, q)
        if step == LOCK_DIVIDE:
            return self.divide(slot, q)
        return self.end_file(q)

    def give_back(self, q: int) -> None:
        """A request is answered: it uses its locks no more."""
        file = self.frame[q + FILE]
        if not self.frame[q + COUNTED]:
            self.end_use(file * LK_ROWS)
            return
        unit = self.tier[self.frame[q + TIER] + T_SIZE]
        for number in range(self.frame[q + LOW] // unit, self.frame[q + STOP]):
            self.end_use(self.unit_row(file, number))

    # -- units ----------------------------------------------------------------------------------

    def take_unit(self, slot: int, q: int) -> int:
        """Have the lock of the unit at ``AT``."""
        if self.frame[q + AT] == self.frame[q + STOP]:
            return self.go_below(slot, q, 1)
        row = self.unit_row(self.frame[q + FILE], self.frame[q + AT])
        node = self.node(q)
        exclusive = self.frame[q + OP] == R_WRITE
        free = self.lock[row + LK_HEAD] < 0
        if free and self.suits(row, node, exclusive):
            self.use(q, row)
            return READY
        if not self.frame[q + RUN]:
            return self.ask(slot, q)
        if free and self.in_the_way(row, node, exclusive) < 0:
            self.grant_units(q, row)
            self.use(q, row)
            return READY
        self.frame[q + FROW] = row
        self.frame[q + STEP] = LOCK_FIRST
        if not free:
            return self.stand(slot, q, row)
        self.lock[row + LK_HEAD] = slot
        return READY

    def use(self, q: int, row: int) -> None:
        """Use the lock of a unit; the next one is wanted."""
        self.lock[row + LK_USED] += 1
        self.frame[q + AT] += 1

    def grant_units(self, q: int, row: int) -> None:
        """Grant a unit, and those behind it as far as they are free."""
        node = self.node(q)
        at = self.store_at(q)
        exclusive = self.frame[q + OP] == R_WRITE
        self.grant(row, node, at, exclusive)
        more = self.tier[self.frame[q + TIER] + T_GROW] - 1
        file, number = self.lock[row + LK_FILE], self.lock[row + LK_NUMBER]
        for behind in range(number + 1, number + 1 + more):
            row = self.unit_row(file, behind)
            if self.lock[row + LK_HEAD] >= 0 or self.in_the_way(row, node, exclusive) >= 0:
                return
            if not self.suits(row, node, exclusive):
                self.grant(row, node, at, exclusive)

    def first_in_line(self, slot: int, q: int) -> int:
        """Have a lock, or begin to call back the one of the lowest node that is in the way."""
        row = self.frame[q + FROW]
        c = self.in_the_way(row, self.node(q), self.frame[q + OP] == R_WRITE)
        if c < 0:
            self.grant_units(q, row)
            self.next_in_line(row)
            self.use(q, row)
            self.frame[q + STEP] = LOCK_UNITS
            return READY
        if self.lock[row + LK_USED]:
            return self.wait_for_use(slot, q, row)
        at = self.cell[c + CELL_STORE]
        if at < 0:
            self.take_from(row, c)
            return READY
        self.inst[at + C_CALLED_BACK] += 1
        f = self.blocks.known_file(at, self.frame[q + FILE])
        if f < 0:
            self.take_from(row, c)
            return READY
        first = self.first_block(q, at, 0)
        if self.blocks.frow[f + F_PENDING]:
            for index in range(first, self.first_block(q, at, 1)):
                b = self.blocks.find(f, index)
                if b >= 0 and self.blocks.block[b + B_STATE] == S_DIRTY:
                    self.blocks.queue(b, 0)
                    self.back.call_worker(at)
        self.frame[q + STORE_AT] = at
        self.frame[q + BLOCK] = first
        self.frame[q + STEP] = LOCK_BACK
        return READY

    def next_in_line(self, row: int) -> None:
        """The first in line has its lock: it is the turn of the next one."""
        slot = self.lock[row + LK_FIRST]
        self.lock[row + LK_HEAD] = slot
        if slot >= 0:
            self.lock[row + LK_FIRST] = self.actor[slot * ACTOR + AFTER]
            self.clock.wake(slot)

    def first_block(self, q: int, at: int, further: int) -> int:
        """The first block, in an instance, of the unit at ``AT``, or of one further on."""
        size = self.store[self.inst[at + I_STORE] + M_BLOCK]
        unit = self.tier[self.frame[q + TIER] + T_SIZE]
        return (self.frame[q + AT] + further) * unit // size

    def call_back(self, slot: int, q: int) -> int:
        """Wait until the blocks of a unit are written back at a node, and drop them there."""
        at = self.frame[q + STORE_AT]
        f = self.blocks.known_file(at, self.frame[q + FILE])
        end = self.first_block(q, at, 1)
        while self.frame[q + BLOCK] < end and self.blocks.frow[f + F_PENDING]:
            b = self.blocks.find(f, self.frame[q + BLOCK])
            if b >= 0 and self.is_changed(b):
                if self.blocks.block[b + B_STATE] == S_DIRTY:
                    self.blocks.queue(b, 0)
                    self.back.call_worker(at)
                column = self.tier[self.frame[q + TIER] + T_COLUMN]
                return self.back.wait_for_block(slot, q, b, column)
            self.frame[q + BLOCK] += 1
        self.drop(f, self.first_block(q, at, 0), end)
        row = self.frame[q + FROW]
        self.take_from(row, self.in_the_way(row, self.node(q), self.frame[q + OP] == R_WRITE))
        self.frame[q + STEP] = LOCK_FIRST
        return READY

    def is_changed(self, b: int) -> bool:
        """Whether a block has data that are not below."""
        flags = self.blocks.block[b + B_FLAGS]
        return flags & WRITTEN != 0 and (self.blocks.written[b + B_SUM] > 0 or flags & WRITING != 0)
