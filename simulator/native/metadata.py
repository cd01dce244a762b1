# cython: infer_types=True
"""Metadata operations of processes: opening, closing, creating, ...; docs/composition.md."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from simulator.native.clock import grown, zeros
from simulator.native.codes import *
from simulator.native.phasetimes import PhaseTimes
from simulator.native.tiers import Tiers
from simulator.native.wide import FEW_BITS
from simulator.native.writeback import WriteBack
from simulator.runtime.streams import RecordStreams

if TYPE_CHECKING:
    from simulator.native.tables import ProcessTables

FIRST_KNOWN = 64
"""Rows of what clients know, at first; a power of 2."""


class Metadata(PhaseTimes):
    """Calls of processes, and those of them that move no data."""

    def __init__(
        self, tiers: Tiers, back: WriteBack, streams: RecordStreams, tables: ProcessTables
    ) -> None:
        super().__init__(tiers, back, streams, tables)
        self.sharing = tiers.sharing
        self.meta_place = tables.meta_place
        """For each operation its place in METADATA, or -1."""
        # What clients know of attributes: rows, found by chains that begin at heads.
        self.version = tables.version
        """Of each file how often it has changed."""
        self.known = zeros(R_ROWS * FIRST_KNOWN)
        self.known_heads = array("q", [-1]) * FIRST_KNOWN
        self.known_count = 0

    def grow_known(self) -> None:
        """Make room for more that clients know."""
        rows = 2 * (len(self.known) // R_ROWS)
        self.known = grown(self.known, R_ROWS * rows)
        self.known_heads = array("q", [-1]) * rows
        for number in range(self.known_count):
            self.chain_known(R_ROWS * number)

    def catch_up(self, slot: int, x: int, place: int) -> int:
        """Let the time pass that a process has spent by itself, in one event."""
        pending = self.process[x + X_PENDING]
        self.process[x + X_PENDING] = 0
        self.process[x + X_PLACE] = place
        if pending and self.process[x + X_CROWDED]:
            cpu = self.process[x + X_CPU]
            self.sharing.begin(slot, cpu, self.process[x + X_INSTANCE], 0, pending)
            return BLOCKED
        return self.clock.now + pending

    def compute(self, slot: int, x: int, time: int, place: int) -> int:
        """Compute for so long; a process on a crowded node shares its cores."""
        self.process[x + X_COMPUTED] += time
        self.process[x + X_PLACE] = place
        if time and self.process[x + X_CROWDED]:
            cpu = self.process[x + X_CPU]
            self.sharing.use_core(slot, cpu, self.process[x + X_INSTANCE], time)
            return BLOCKED
        return self.clock.now + time

    def call(self, slot: int, x: int) -> None:
        """Make a call of the operating system, of which the timeline shows the overhead."""
        instance = self.process[x + X_INSTANCE]
        cpu = self.process[x + X_CPU]
        service = self.parts.spend(slot, cpu, instance, self.parts.spec[cpu + P_CALL], 0)
        if self.parts.timing:
            began = self.clock.now + self.process[x + X_PENDING]
            self.parts.note(instance, began, service, 0)
        self.pend(slot, x, service)

    def has_metadata(self, x: int) -> bool:
        """Whether metadata operations on a process's file cost anything."""
        return self.path[self.process[x + X_PATH] + A_META] >= 0

    def is_free(self, x: int, kind: int) -> bool:
        """Whether an operation takes no time, and others cannot see it."""
        if kind == O_PAUSE:
            return True
        if kind == O_CLOSE or self.meta_place[kind] < 0:
            return False
        return not self.has_metadata(x)

    def call_meta(self, slot: int, x: int, kind: int, after: int) -> int:
        """Make a call of a kind that is answered by the metadata server."""
        self.call(slot, x)
        self.process[x + X_ASKED] = self.meta_place[kind]
        self.process[x + X_AFTER] = after
        return self.catch_up(slot, x, AT_META)

    def ask_meta(self, slot: int, x: int) -> int:
        """Begin the request of a metadata operation, unless the client answers it."""
        path = self.process[x + X_PATH]
        self.process[x + X_PLACE] = self.process[x + X_AFTER]
        if self.path[path + A_REMEMBERS]:
            if self.is_known(x):
                return GO
            self.process[x + X_PLACE] = AT_ANSWERED
        op = R_META + self.process[x + X_ASKED]
        if op != R_META + M_CLOSING and self.is_other(x):
            op += KINDS
        self.request(slot, x, self.path[path + A_META], op, 0, 0)
        return GO

    def is_other(self, x: int) -> bool:
        """Whether a listed operation on names is in its other state."""
        return self.process[x + X_AFTER] == AT_LISTED_ENDED and self.process[x + X_SIZE] != 0

    # -- attributes -----------------------------------------------------------------------------

    def head_of(self, client: int, file: int, name: int) -> int:
        """Where the chain begins of what a client may know."""
        return ((file * 31 + client) * 31 + (name & FEW_BITS)) & (len(self.known_heads) - 1)

    def chain_known(self, row: int) -> None:
        """Put a row into its chain."""
        client, file = self.known[row + R_CLIENT], self.known[row + R_FILE]
        head = self.head_of(client, file, self.known[row + R_NAME])
        self.known[row + R_CHAIN] = self.known_heads[head]
        self.known_heads[head] = row

    def find_known(self, client: int, file: int, name: int) -> int:
        """The row of what a client knows, or -1."""
        row = self.known_heads[self.head_of(client, file, name)]
        while row >= 0:
            if (
                self.known[row + R_FILE] == file
                and self.known[row + R_CLIENT] == client
                and self.known[row + R_NAME] == name
            ):
                return row
            row = self.known[row + R_CHAIN]
        return row

    def name_of(self, x: int) -> int:
        """Which absent name a process looks for, from 1 on; 0 for any other operation."""
        if self.process[x + X_ASKED] != M_LOOKUP:
            return 0
        return self.offset[self.process[x + X_ROW]] + 1

    def is_known(self, x: int) -> bool:
        """Whether the client answers a process's operation itself."""
        asked = self.process[x + X_ASKED]
        if asked not in (M_STAT, M_LOOKUP) and (
            asked != M_OPEN or self.path[self.process[x + X_PATH] + A_OPENING] != OPEN_CACHED
        ):
            return False
        client, file = self.process[x + X_CLIENT], self.process[x + X_FILE]
        row = self.find_known(client, file, self.name_of(x))
        return row >= 0 and self.clock.now < self.known[row + R_UNTIL]

    def answered(self, slot: int, x: int) -> int:
        """Take in the server's answer to a metadata operation."""
        self.process[x + X_PLACE] = self.process[x + X_AFTER]
        asked = self.process[x + X_ASKED]
        if (CHANGING >> asked) & 1:
            self.change(x)
        if asked in (M_OPEN, M_CREATE, M_STAT, M_LOOKUP) and self.learn(x, asked):
            self.tell_store(slot, x, 1)
        return GO

    def learn(self, x: int, asked: int) -> bool:
        """Let a client know a file's attributes; returns whether its clean blocks have to go."""
        path, file = self.process[x + X_PATH], self.process[x + X_FILE]
        client, name = self.process[x + X_CLIENT], self.name_of(x)
        version, usual = self.version[file], self.path[path + A_LIFE]
        row = self.find_known(client, file, name)
        gone = False
        if row < 0:
            row = R_ROWS * self.known_count
            self.known_count += 1
            self.known[row + R_CLIENT] = client
            self.known[row + R_FILE] = file
            self.known[row + R_NAME] = name
            self.known[row + R_LIFE] = usual
            self.chain_known(row)
            if row + 16 * R_ROWS > len(self.known):
                self.clock.short = 1
        elif asked == M_CREATE:
            self.known[row + R_LIFE] = usual
        elif self.known[row + R_VERSION] != version:
            self.known[row + R_LIFE] = usual
            gone = self.path[path + A_OPENING] != OPEN_ASKS and not name
        elif 0 < self.known[row + R_UNTIL] <= self.clock.now:
            twice = 2 * self.known[row + R_LIFE]
            self.known[row + R_LIFE] = min(twice, self.path[path + A_MOST])
        self.known[row + R_VERSION] = version
        self.known[row + R_UNTIL] = self.clock.now + self.known[row + R_LIFE]
        return gone

    def change(self, x: int) -> None:
        """A process has changed its file; its client knows that if it knew the file before."""
        file = self.process[x + X_FILE]
        version = self.version[file]
        self.version[file] = version + 1
        row = self.find_known(self.process[x + X_CLIENT], file, 0)
        if row >= 0 and self.known[row + R_VERSION] == version:
            self.known[row + R_VERSION] = version + 1

    def note_change(self, x: int) -> None:
        """A process has written to its file."""
        if self.path[self.process[x + X_PATH] + A_REMEMBERS]:
            self.change(x)
        row = self.process[x + X_FILE] * STABLE_ROWS + STABLE_JOB
        job = self.process[x + X_JOB] + 1
        if self.tiers.stable[row] != job:
            self.tiers.stable[row] = -1 if self.tiers.stable[row] else job

    # -- opening and closing --------------------------------------------------------------------

    def do_meta(self, slot: int, x: int, row: int, kind: int) -> int:
        """Carry out a listed metadata operation."""
        size = self.size[row]
        if kind == O_CLOSE and size > 0 and self.close_written(slot, x, size, AT_SYNCED_LISTED):
            return GO
        if kind == O_RENAME and size > 0:
            self.replace(slot, x)
        if self.has_metadata(x):
            return self.call_meta(slot, x, kind, AT_LISTED_ENDED)
        return READY

    def replace(self, slot: int, x: int) -> None:
        """A file stands where another one was, emptied or renamed."""
        if self.path[self.process[x + X_PATH] + A_CLOSE] == BY_REPLACED:
            self.tell_store(slot, x, 0)

    def close_written(self, slot: int, x: int, size: int, after: int) -> bool:
        """Do what closing a file means that was written; returns whether that is a request."""
        path = self.process[x + X_PATH]
        close = self.path[path + A_CLOSE]
        if close == BY_QUEUE:
            self.tell_store(slot, x, 0)
        elif size == EMPTIED:
            self.replace(slot, x)
        if close != BY_FLUSH:
            return False
        self.process[x + X_PLACE] = after
        self.request(slot, x, self.path[path + A_TOP], R_SYNC, 0, 0)
        return True

    def tell_store(self, slot: int, x: int, drop: int) -> None:
        """Let the first store on a file's path know that it is closed, or drop its clean blocks."""
        path = self.process[x + X_PATH]
        store = self.path[path + A_STORE]
        if store < 0:
            return
        q = self.request(slot, x, self.path[path + A_TOP], R_WRITE, 0, 0)
        self.tell_below(q, store, self.process[x + X_FILE], drop)
        self.frames.answer(slot)

    def tell_below(self, q: int, store: int, file: int, drop: int) -> None:
        """Go down to the store, at each member of the stripes before it."""
        while self.frame[q + TIER] != store:
            tier = self.frame[q + TIER]
            kind = self.tiers.tier[tier + T_KIND]
            if kind == K_STRIPE:
                for index in range(self.tiers.tier[tier + T_WIDTH]):
                    self.tiers.decide(q, tier, self.tiers.target(q, tier, index))
                    self.frame[q + TIER] = self.tiers.tier[tier + T_NEXT]
                    self.tell_below(q, store, file, drop)
                return
            if kind == K_FORWARD:
                self.tiers.forward(q)
            else:
                self.frame[q + TIER] = self.tiers.tier[tier + T_NEXT]
        row = self.tiers.tier[store + T_ROW]
        member = self.frame[q + PLACES + self.tiers.tier[store + T_SLOT]]
        at = (self.back.store[row + M_FIRST] + member) * I_ROWS
        if drop:
            self.back.drop(at, file)
        else:
            self.back.close(at, file)
