# cython: infer_types=True
"""Which blocks buffer caches and their RAID units have had, and those in their slots, by last use.

All units share the tables, which grow with the blocks that are used. A *cell* is a block of a unit
that some request has wanted; it says in which slot of the buffer cache and of the RAID unit's cache
the block is. Slots are numbered as they are first used. Cells, slots and units are named by the
offsets of their rows.
"""

from __future__ import annotations

from array import array

from simulator.native.clock import grown, zeros
from simulator.native.codes import *
from simulator.native.parts import Parts

GOLDEN = 0x9E3779B1
LOW_HALF = 0xFFFFFFFF
HALF = 32
"""Multiples of the golden ratio of a range lie far from each other."""
FIRST_CELLS = 64


class Slots:
    """The blocks of all units, and the slots that hold some of them."""

    def __init__(
        self,
        parts: Parts,
        units: array[int],
        rates: array[float],
        stored: array[int],
        extents: tuple[array[int], array[int], array[int]],
        margin: int,
        askers: int,
    ) -> None:
        """``rates``: of each unit the ns that copying, the disks and the bus take for a byte.

        ``extents``: block, low and high of each. ``askers``: the places of all units in ``ends``.
        """
        self.parts = parts
        self.clock = parts.clock
        self.rate = rates
        self.of, self.low, self.high = extents
        self.ends = array("q", [-1]) * askers
        """Where each process's last request at a unit ended; -1 for none."""
        self.unit = units
        self.stored = stored
        """Runs of blocks that are on the disks at the start: first and end of each."""
        self.margin = margin
        """Cells that one step may take at most."""
        self.cells = 0
        self.cell_count = 0
        self.slot_count = 0
        self.cell = zeros(1)
        self.chain = array("q", [-1])
        self.chains = 1
        self.slot = zeros(1)
        # Rows of RAID units' moments: how many, those that are free, and how many were made.
        self.moment = zeros(1)
        self.moments = 0
        self.moments_left = 0
        self.moment_free = -1
        self.moments_made = 0

    def grow(self) -> None:
        """Make room for at least twice as many cells, between two steps."""
        wanted = 2 * self.cells + self.margin + FIRST_CELLS
        chains = 1
        while chains < wanted:
            chains *= 2
        self.cell = grown(self.cell, E_ROWS * chains)
        self.slot = grown(self.slot, 2 * J_ROWS * chains)  # one in each cache for every cell
        self.chain = array("q", [-1]) * chains
        self.chains = chains
        self.cells = chains
        self.chain_cells()

    def chain_cells(self) -> None:
        """Let all cells be found anew."""
        for number in range(self.cell_count):
            self.remember(number * E_ROWS)

    # -- cells ----------------------------------------------------------------------------------

    def place(self, u: int, block: int) -> int:
        """Where a block's chain begins: those of neighbours follow each other in memory."""
        first = (u // U_ROWS * GOLDEN & LOW_HALF) * self.chains >> HALF
        return (first + block) & (self.chains - 1)

    def remember(self, e: int) -> None:
        """Let a cell be found."""
        chain = self.place(self.cell[e + E_UNIT], self.cell[e + E_BLOCK])
        self.cell[e + E_CHAIN] = self.chain[chain]
        self.chain[chain] = e

    def find(self, u: int, block: int) -> int:
        """The cell of a unit's block; -1 if no request has wanted it yet."""
        e = self.chain[self.place(u, block)]
        while e >= 0 and (self.cell[e + E_BLOCK] != block or self.cell[e + E_UNIT] != u):
            e = self.cell[e + E_CHAIN]
        return e

    def cell_of(self, u: int, block: int) -> int:
        """The cell of a unit's block, a new one if need be."""
        e = self.find(u, block)
        if e >= 0:
            return e
        e = self.cell_count * E_ROWS
        self.cell_count += 1
        if self.cell_count + self.margin > self.cells:
            self.clock.short = 1
        self.cell[e + E_UNIT] = u
        self.cell[e + E_BLOCK] = block
        self.cell[e + E_STORED] = self.is_stored(u, block)
        self.cell[e + E_SLOT] = -1
        self.cell[e + E_DISK_SLOT] = -1
        self.remember(e)
        return e

    def is_stored(self, u: int, block: int) -> bool:
        """Whether a block is on the disks at the start."""
        run = self.unit[u + U_STORED]
        while run < self.unit[u + U_STORED_END]:
            if self.stored[run] <= block < self.stored[run + 1]:
                return True
            run += 2
        return False

    # -- slots of one cache, whose list begins at a place of its unit's row -----------------------

    def take(self, at: int) -> int:
        """Return a slot that was never used, or the one that was used longest ago; last in use."""
        if self.unit[at + RING_COUNT] == self.unit[at + RING_MOST]:
            s = self.unit[at]
            self.touch(s, at)
            return s
        s = self.slot_count * J_ROWS
        self.slot_count += 1
        self.unit[at + RING_COUNT] += 1
        self.slot[s + J_CELL] = -1
        self.append(s, at)
        return s

    def append(self, s: int, at: int) -> None:
        """Make a slot the last to go."""
        last = self.unit[at + RING_LAST]
        self.slot[s + J_NEXT] = -1
        self.slot[s + J_PREV] = last
        if last < 0:
            self.unit[at] = s
        else:
            self.slot[last + J_NEXT] = s
        self.unit[at + RING_LAST] = s

    def touch(self, s: int, at: int) -> None:
        """Use a slot: it is now the last to go."""
        after = self.slot[s + J_NEXT]
        if after < 0:
            return
        before = self.slot[s + J_PREV]
        self.slot[after + J_PREV] = before
        if before < 0:
            self.unit[at] = after
        else:
            self.slot[before + J_NEXT] = after
        self.append(s, at)
