# cython: infer_types=True
"""Asked requests: all of a call at once, a branch for each, and what a buffer cache does for one.

Functions give what those of ``stages.py`` give. A call is a frame of its process at a tier of its
own (``K_ASK``), whose range is that of its rows.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from simulator.native.buffers import Buffers
from simulator.native.codes import *
from simulator.native.tiers import Tiers
from simulator.native.wide import times

if TYPE_CHECKING:
    from simulator.native.tables import AskedTables

NO_DATA = -1
"""The size of what is done without copying any data."""


class Asking:
    """Processes that ask, and the nodes that answer."""

    def __init__(self, tiers: Tiers, buffers: Buffers, tables: AskedTables) -> None:
        self.tiers = tiers
        self.frames = tiers.frames
        self.clock = tiers.clock
        self.parts = tiers.parts
        self.frame = tiers.frame
        self.actor = tiers.actor
        self.buffers = buffers
        self.node = tables.node
        self.size = tables.size
        self.pieces = tables.pieces
        self.group = tables.group
        self.first = tables.first
        self.count = tables.count
        self.members = tables.members
        self.group_size = tables.group_size
        self.more = tables.more
        self.group_first = tables.group_first
        self.group_count = tables.group_count
        self.merging_column = tables.merging_column
        self.come = array("q", bytes(8 * len(tables.members)))
        """How many members of each group wait at its node,"""
        self.latest = array("q", [-1]) * len(tables.members)
        """and the one that came last; those before it follow in a chain."""

    def step(self, slot: int, at: int, kind: int) -> int:
        """Let a process ask, or a request be served at its node."""
        if kind == K_ASK:
            return self.ask(slot, at)
        if self.frame[at + FILE] <= FIRST_ASKED:
            return self.serve(slot, at)
        if self.frame[at + OP] == R_SYNC:
            return self.sync(slot, at)
        return self.call(slot, at)

    # -- asking ---------------------------------------------------------------------------------

    def ask(self, slot: int, at: int) -> int:
        """Send requests to nodes, and wait for the last answer."""
        if self.frame[at + STATE] == FORKED:
            self.frames.answer(slot)
            return GO
        self.frame[at + STATE] = FORKED
        self.frame[at + OPEN] = 0
        op = self.frame[at + OP]
        path = self.tiers.file[self.frame[at + FILE] * L_ROWS + L_PATH]
        top = self.tiers.path[path + A_ASKED]
        first, count = self.tiers.path[path + A_PLACES], self.tiers.path[path + A_PLACE_COUNT]
        for row in range(self.frame[at + LOW], self.frame[at + HIGH]):
            branch = self.tiers.branch(slot, at, self.node[row])
            q = self.frames.call(branch, top, op, FIRST_ASKED - row, 0, self.size[row])
            self.frame[q + SEQUENTIAL] = WAITS
            self.tiers.place_two(q, first, count, self.frame[at + PLACES], self.node[row])
        return BLOCKED

    # -- at a node ------------------------------------------------------------------------------

    def serve(self, slot: int, at: int) -> int:
        """Carry out a request: the processor handles it, the cache finds or brings its blocks."""
        u = self.unit_of(at)
        row = FIRST_ASKED - self.frame[at + FILE]
        group = self.group[row]
        write = self.frame[at + OP] == R_WRITE
        state = self.frame[at + STATE]
        if state == WAITING:
            waited = self.clock.now - self.frame[at + SINCE]
            self.parts.charge(slot, self.merging_column, waited, 0)
            self.frames.answer(slot)
            return GO
        if state == FRESH and group >= 0:
            self.frame[at + STATE] = LOOKING
            return self.work(slot, at, self.handling(slot, u, self.pieces[row]), NO_DATA)
        first, count = self.first[row], self.count[row]
        if group >= 0:
            first, count = self.group_first[group], self.group_count[group]
        if state in (FRESH, LOOKING):
            asker = self.actor[slot * ACTOR + PARENT_SLOT]
            if group >= 0:
                if not self.gather(slot, at, group):
                    return BLOCKED
                asker = -1
            self.frame[at + STATE] = state = FETCHING
            ready = self.buffers.access(u, first, count, write, asker)
            self.frame[at + SINCE] = self.buffers.refer(ready)
        if state == FETCHING:
            time = self.await_cache(slot, at, u)
            if time != GO:
                return time
            self.frame[at + STATE] = PASSING
            if group >= 0:
                return self.work(slot, at, self.more[group], self.group_size[group])
            handling = self.handling(slot, u, self.pieces[row])
            return self.work(slot, at, handling, self.size[row])
        if write:
            self.buffers.written(u, first, count)
        if group >= 0:
            self.dismiss(at)
        self.frames.answer(slot)
        return GO

    def unit_of(self, at: int) -> int:
        """The unit that a request has come to."""
        tier = self.frame[at + TIER]
        member = self.frame[at + PLACES + self.tiers.tier[tier + T_SLOT]]
        return self.tiers.tier[tier + T_ROW] + member * U_ROWS

    def call(self, slot: int, at: int) -> int:
        """Carry out a read or write of bytes that follow each other on the member."""
        u = self.unit_of(at)
        base = self.tiers.file[self.frame[at + FILE] * L_ROWS + L_BASE]
        low, high = base + self.frame[at + LOW], base + self.frame[at + HIGH]
        write = self.frame[at + OP] == R_WRITE
        state = self.frame[at + STATE]
        if state == FRESH:
            self.frame[at + STATE] = state = FETCHING
            ready = self.buffers.move(u, low, high, write, self.process_of(slot))
            self.frame[at + SINCE] = self.buffers.refer(ready)
        if state == FETCHING:
            time = self.await_cache(slot, at, u)
            if time != GO:
                return time
            self.frame[at + STATE] = PASSING
            size = self.buffers.unit[u + U_BLOCK]
            pieces = (high - 1) // size - low // size + 1
            return self.work(slot, at, self.handling(slot, u, pieces), high - low)
        if write:
            self.buffers.moved(u, low, high)
        self.frames.answer(slot)
        return GO

    def sync(self, slot: int, at: int) -> int:
        """Write back what is dirty of a file, and wait until all is safe."""
        u = self.unit_of(at)
        if self.frame[at + STATE] == FRESH:
            self.frame[at + STATE] = LOOKING
            return self.work(slot, at, self.buffers.unit[u + U_REQUEST_NS], NO_DATA)
        if self.frame[at + STATE] == LOOKING:
            self.frame[at + STATE] = FETCHING
            file = self.frame[at + FILE] * L_ROWS
            base, size = self.tiers.file[file + L_BASE], self.buffers.unit[u + U_BLOCK]
            end = (base + self.tiers.file[file + L_ROOM] + size - 1) // size
            ready = self.buffers.sync(u, base // size, end)
            self.frame[at + SINCE] = self.buffers.refer(ready)
        time = self.await_cache(slot, at, u)
        if time != GO:
            return time
        self.frames.answer(slot)
        return GO

    def await_cache(self, slot: int, at: int, u: int) -> int:
        """Wait for the cache, or the unit behind it, until SINCE; look again until that is known.

        GO if nothing is left to wait for.
        """
        ready = self.frame[at + SINCE]
        until = self.buffers.look(u, ready)
        now = self.clock.now
        if until > now:
            self.parts.charge(slot, self.buffers.unit[u + U_COLUMN], until - now, 0)
            return until
        self.buffers.drop(ready)
        return GO

    def process_of(self, slot: int) -> int:
        """The process whose request it is."""
        while self.actor[slot * ACTOR + ROLE] == BRANCH:
            slot = self.actor[slot * ACTOR + PARENT_SLOT]
        return slot

    def handling(self, slot: int, u: int, pieces: int) -> int:
        """Processor time for a request of so many pieces, without its data; ns."""
        unit = self.buffers.unit
        more = unit[u + U_REQUEST_NS] + times(pieces, unit[u + U_PIECE_NS])
        return self.clock.within(more, OF_ACTOR, slot)

    def work(self, slot: int, at: int, service: int, size: int) -> int:
        """Have the node's processor do something and copy data; returns when it has ended."""
        hold = self.tiers.tier[self.frame[at + TIER] + T_DOWN]
        part = self.tiers.hold_part[hold]
        instance = self.tiers.instance(at, hold)
        if size != NO_DATA:
            u = self.unit_of(at)
            rate = self.buffers.rate[self.buffers.unit[u + U_RATES]]
            copying = self.buffers.unit[u + U_COPY_NS]
            copying = self.clock.transfer(copying, size, rate, OF_PART, part)
            service = self.clock.within(service + copying, OF_PART, part)
        end = self.parts.queue(part, instance, 0, self.parts.stretch(part, instance, service))
        start = self.parts.started
        column = self.parts.spec[part + P_COLUMN]
        self.parts.charge(slot, column, start - self.clock.now, end - start)
        return end

    def gather(self, slot: int, at: int, group: int) -> bool:
        """Come to the other members of a group; returns whether all are there now."""
        if self.come[group] + 1 < self.members[group]:
            self.come[group] += 1
            self.actor[slot * ACTOR + AFTER] = self.latest[group]
            self.latest[group] = slot
            self.frame[at + SINCE] = self.clock.now
            self.frame[at + STATE] = WAITING
            return False
        self.frame[at + AT] = self.latest[group]
        self.come[group] = 0
        self.latest[group] = -1
        return True

    def dismiss(self, at: int) -> None:
        """Let the other members of a group go on: the last of them has done the work for all."""
        other = self.frame[at + AT]
        while other >= 0:
            after = self.actor[other * ACTOR + AFTER]
            self.clock.wake(other)
            other = after
