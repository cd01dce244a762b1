# cython: infer_types=True
"""What the stores hold: blocks of files in rings, found by their number; without a clock.

All instances of all stores have their blocks in one table, which grows with the blocks that are
there. Blocks of an instance that are clean, dirty, or queued for write-back are in a ring each, and
those of a file that are dirty, or clean and written, in another two. A block, a file of an instance
and an instance are each named by the offset of their row.
"""

from __future__ import annotations

from array import array

from simulator.errors import RefusedError
from simulator.mixing import pick_of
from simulator.native.clock import Clock, grown, lengthened, zeros
from simulator.native.codes import *

GOLDEN = 0x9E3779B1
LOW_HALF = 0xFFFFFFFF
"""Multiples of the golden ratio of a range lie far from each other."""
MOST_CELLS = 1 << 29
FIRST_FILES = 16


def place(f: int, index: int, chains: int) -> int:
    """Where a block's chain begins: those of a file's blocks follow each other in memory."""
    first = ((f >> F_BITS) * GOLDEN & LOW_HALF) * chains >> 32
    return (first + index) & (chains - 1)


class Rings:
    """The blocks of all stores, and how to find them."""

    def __init__(
        self, clock: Clock, instances: array[int], stores: array[int], blocks: int, margin: int
    ) -> None:
        self.clock = clock
        self.inst = instances
        self.store = stores
        self.dirty_sum = 0
        self.margin = margin
        """Blocks that one step may admit at most."""
        self.blocks = 0
        self.free = -1
        self.free_count = 0
        self.used_rows = 0
        """Rows of blocks that have ever been used; those behind them cost no memory yet."""
        self.given = [zeros(0, "i"), zeros(0), zeros(0)]
        """The next three, which grow where they are."""
        self.block = zeros(0, "i")
        self.written = zeros(0, "q")
        """Of each block what only one has that was written: its dirty bytes, and more."""
        self.since = zeros(0, "q")
        """Of each block when it became dirty, plus 1, where that is asked; 0: it did not."""
        self.chain = zeros(0, "i")
        """Where each chain of blocks begins, and one more; 0 for an empty one."""
        self.chains = 0
        self.files = 0
        self.file_count = 0
        self.frow = zeros(0)
        self.file_chain = array("q")
        self.file_chains = 0
        self.grow_blocks(blocks + margin)
        self.grow_files(FIRST_FILES)

    # -- growing --------------------------------------------------------------------------------

    def grow_blocks(self, blocks: int) -> None:
        """Make room for at least so many blocks, between two steps."""
        chains = 1
        while chains < blocks:
            chains *= 2
        if B_ROWS * chains > MOST_CELLS:
            raise RefusedError("the native engine keeps at most 2**26 blocks; write larger ones")
        if len(self.given[0]) > len(self.block):  # Smaller ones were put back (again.py).
            own = memoryview(self.block), memoryview(self.written), memoryview(self.since)
            self.given = [*own]
        self.block = zeros(0, "i")
        self.written = self.since = zeros(0)
        self.block = lengthened(self.given, 0, B_ROWS * chains)
        self.written = lengthened(self.given, 1, B_ROWS * chains)
        self.since = lengthened(self.given, 2, chains)
        self.chain = zeros(chains, "i")
        self.chains = chains
        self.free_count += chains - self.blocks
        self.blocks = chains
        self.chain_blocks()

    def chain_blocks(self) -> None:
        """Let all blocks be found anew."""
        for row in range(self.used_rows):
            b = row * B_ROWS
            if self.block[b + B_STATE] != S_FREE:
                self.remember(b)

    def grow_files(self, files: int) -> None:
        """Make room for at least so many files of instances, between two steps."""
        chains = 1
        while chains < files:
            chains *= 2
        rows = F_ROWS * chains
        self.frow = grown(self.frow, rows)
        self.file_chain = array("q", [-1]) * (2 * chains)
        self.file_chains = 2 * chains
        self.files = chains
        for f in range(0, self.file_count * F_ROWS, F_ROWS):
            self.chain_file(f)

    # -- looking up -----------------------------------------------------------------------------

    def chain_file(self, f: int) -> None:
        """Let a file of an instance be found."""
        number = self.inst[self.frow[f + F_STORE_AT] + I_NUMBER]
        chain = pick_of(self.file_chains, (number << 32) + self.frow[f + F_FILE])
        self.frow[f + F_CHAIN] = self.file_chain[chain]
        self.file_chain[chain] = f

    def known_file(self, at: int, file: int) -> int:
        """The row of a file in the instance at ``at``; -1 if none of its blocks was ever there."""
        number = self.inst[at + I_NUMBER]
        f = self.file_chain[pick_of(self.file_chains, (number << 32) + file)]
        while f >= 0:
            if self.frow[f + F_FILE] == file and self.frow[f + F_STORE_AT] == at:
                return f
            f = self.frow[f + F_CHAIN]
        return -1

    def file_row(self, at: int, file: int) -> int:
        """The row of a file in the instance at ``at``, which begins with the first look.

        A step may make one new row: there is room for no more than a few (``Flat.make_room``).
        """
        f = self.known_file(at, file)
        if f >= 0:
            return f
        f = self.file_count * F_ROWS
        self.file_count += 1
        if self.file_count + 4 > self.files:
            self.clock.short = 1
        self.frow[f + F_STORE_AT] = at
        self.frow[f + F_FILE] = file
        self.frow[f + F_CLEAN] = -1
        self.frow[f + F_CLEAN + 1] = -1
        self.frow[f + F_DIRTY] = -1
        self.frow[f + F_DIRTY + 1] = -1
        self.frow[f + F_ROOM] = -1
        self.frow[f + F_ROOM + 1] = -1
        self.frow[f + F_READER] = -1
        self.frow[f + F_SYNCS] = -1
        self.chain_file(f)
        return f

    def look(self, f: int, index: int) -> int:
        """The row of a block of a file, one that is only remembered too; or -1."""
        b = self.chain[place(f, index, self.chains)] - 1
        while b >= 0 and (self.block[b + B_INDEX] != index or self.block[b + B_FROW] != f):
            b = self.block[b + B_CHAIN]
        return b

    def find(self, f: int, index: int) -> int:
        """The row of a block of a file that is there, or -1."""
        b = self.look(f, index)
        if b >= 0 and self.block[b + B_STATE] >= S_GONE1:
            return -1
        return b

    # -- rows -----------------------------------------------------------------------------------

    def new_block(self, f: int, index: int) -> int:
        """A row for a block, which is found from now on."""
        b = self.free
        if b >= 0:
            self.free = self.block[b + B_CHAIN]
        else:
            b = self.used_rows * B_ROWS
            self.used_rows += 1
        self.free_count -= 1
        if self.free_count < self.margin:
            self.clock.short = 1
        self.block[b + B_FROW] = f
        self.block[b + B_INDEX] = index
        self.remember(b)
        return b

    def remember(self, b: int) -> None:
        """Let a block be found."""
        chain = place(self.block[b + B_FROW], self.block[b + B_INDEX], self.chains)
        self.block[b + B_CHAIN] = self.chain[chain] - 1
        self.chain[chain] = b + 1

    def forget(self, b: int) -> None:
        """Let a block not be found any more; its row is free."""
        chain = place(self.block[b + B_FROW], self.block[b + B_INDEX], self.chains)
        before = self.chain[chain] - 1
        if before == b:
            self.chain[chain] = self.block[b + B_CHAIN] + 1
        else:
            while self.block[before + B_CHAIN] != b:
                before = self.block[before + B_CHAIN]
            self.block[before + B_CHAIN] = self.block[b + B_CHAIN]
        self.block[b + B_STATE] = S_FREE
        self.block[b + B_CHAIN] = self.free
        self.free = b
        self.free_count += 1

    # -- rings ----------------------------------------------------------------------------------

    def append(self, b: int, ring: int) -> None:
        """Put a block at the end of an instance's ring."""
        last = self.inst[ring + 1]
        self.block[b + B_NEXT] = -1
        self.block[b + B_PREV] = last
        if last < 0:
            self.inst[ring] = b
        else:
            self.block[last + B_NEXT] = b
        self.inst[ring + 1] = b

    def put_first(self, b: int, ring: int) -> None:
        """Put a block at the front of an instance's ring."""
        first = self.inst[ring]
        self.block[b + B_PREV] = -1
        self.block[b + B_NEXT] = first
        if first < 0:
            self.inst[ring + 1] = b
        else:
            self.block[first + B_PREV] = b
        self.inst[ring] = b

    def remove(self, b: int, ring: int) -> None:
        """Take a block out of an instance's ring."""
        before = self.block[b + B_PREV]
        after = self.block[b + B_NEXT]
        if before < 0:
            self.inst[ring] = after
        else:
            self.block[before + B_NEXT] = after
        if after < 0:
            self.inst[ring + 1] = before
        else:
            self.block[after + B_PREV] = before

    def join(self, b: int, state: int, first: int) -> None:
        """Put a busy block at the end (or the front) of the ring of a state."""
        self.block[b + B_STATE] = state
        f = self.block[b + B_FROW]
        at = self.frow[f + F_STORE_AT]
        if first:
            self.put_first(b, at + I_CLEAN + 2 * state)
        else:
            self.append(b, at + I_CLEAN + 2 * state)
        if state == S_QUEUED:
            return
        ring = f + F_CLEAN
        if state == S_DIRTY:
            self.inst[at + I_DIRTIES] += 1
            ring = f + F_DIRTY
        else:
            self.inst[at + I_CLEANS] += 1
            self.inst[at + I_AGAINS] += state == S_AGAIN
            if not self.block[b + B_FLAGS] & WRITTEN:
                return
        self.append_to_file(b, ring)

    def append_to_file(self, b: int, ring: int) -> None:
        """Put a block at the end of a ring of its file."""
        last = self.frow[ring + 1]
        self.written[b + B_FILE_NEXT] = -1
        self.written[b + B_FILE_PREV] = last
        if last < 0:
            self.frow[ring] = b
        else:
            self.written[last + B_FILE_NEXT] = b
        self.frow[ring + 1] = b

    def leave(self, b: int) -> None:
        """Take a block out of its ring; it is busy then."""
        state = self.block[b + B_STATE]
        f = self.block[b + B_FROW]
        at = self.frow[f + F_STORE_AT]
        self.remove(b, at + I_CLEAN + 2 * state)
        self.block[b + B_STATE] = S_BUSY
        if state == S_QUEUED:
            return
        ring = f + F_CLEAN
        if state == S_DIRTY:
            self.inst[at + I_DIRTIES] -= 1
            ring = f + F_DIRTY
        else:
            self.inst[at + I_CLEANS] -= 1
            self.inst[at + I_AGAINS] -= state == S_AGAIN
            if not self.block[b + B_FLAGS] & WRITTEN:
                return
        self.remove_from_file(b, ring)

    def remove_from_file(self, b: int, ring: int) -> None:
        """Take a block out of a ring of its file."""
        before = self.written[b + B_FILE_PREV]
        after = self.written[b + B_FILE_NEXT]
        if before < 0:
            self.frow[ring] = after
        else:
            self.written[before + B_FILE_NEXT] = after
        if after < 0:
            self.frow[ring + 1] = before
        else:
            self.written[after + B_FILE_PREV] = before
