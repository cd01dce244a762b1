# cython: infer_types=True
"""The table of locks: those of whole files and of their units, and which nodes have them.

A *lock* is that of a whole file (the first rows, one for each file) or of a unit of one. The nodes
that have it are a chain of *cells*. Rows are never freed; a row of a unit is made when it is first
looked at.
"""

from __future__ import annotations

from array import array

from simulator.mixing import pick_of
from simulator.native.clock import Clock, grown, zeros
from simulator.native.codes import *

FEW = 64
FILE_BITS = 20
"""How far the number of a file stands from that of a unit in what finds a lock."""


class LockTable:
    """The locks of all files, and the nodes that have them."""

    def __init__(self, clock: Clock, files: int, most: int) -> None:
        """``files``: how many have locks; ``most``: units that one grant may comprise."""
        self.clock = clock
        self.margin = most + 4
        """Locks, and cells, that one step may need."""
        self.rows = files
        """Locks that there are."""
        self.cells = 0
        """Cells that were ever used."""
        self.free = -1
        self.lock = zeros(LK_ROWS * max(1, files))
        self.cell = zeros(1)
        self.chain = array("q", [-1])
        self.chains = 1
        for row in range(files):
            self.fresh(row * LK_ROWS, row, -1)
        self.make_room()

    def fresh(self, row: int, file: int, number: int) -> None:
        """Let a lock be one that no node has."""
        self.lock[row + LK_FILE] = file
        self.lock[row + LK_NUMBER] = number
        self.lock[row + LK_EXCLUSIVE] = 0
        self.lock[row + LK_USED] = 0
        self.lock[row + LK_CELLS] = -1
        self.lock[row + LK_HEAD] = -1
        self.lock[row + LK_FIRST] = -1
        self.lock[row + LK_LAST] = -1
        self.lock[row + LK_AWAITED] = 0
        self.lock[row + LK_CHAIN] = 0

    def make_room(self) -> None:
        """Let tables grow that are nearly full, between two steps."""
        most = self.rows + self.margin
        if most * LK_ROWS > len(self.lock):
            self.lock = grown(self.lock, 2 * (most + FEW) * LK_ROWS)
        if self.cells + self.margin > len(self.cell) // CELL_ROWS:
            self.cell = grown(self.cell, 2 * (self.cells + self.margin + FEW) * CELL_ROWS)
        if self.chains * LK_ROWS < len(self.lock):
            while self.chains * LK_ROWS < len(self.lock):
                self.chains *= 2
            self.chain = array("q", [-1]) * self.chains
            for row in range(0, self.rows * LK_ROWS, LK_ROWS):
                if self.lock[row + LK_NUMBER] >= 0:
                    self.chain_unit(row)

    # -- the table ------------------------------------------------------------------------------

    def chain_unit(self, row: int) -> None:
        """Let the lock of a unit be found."""
        key = (self.lock[row + LK_FILE] << FILE_BITS) ^ self.lock[row + LK_NUMBER]
        chain = pick_of(self.chains, key)
        self.lock[row + LK_CHAIN] = self.chain[chain]
        self.chain[chain] = row

    def unit_row(self, file: int, number: int) -> int:
        """The lock of a unit, which begins with the first look."""
        row = self.chain[pick_of(self.chains, (file << FILE_BITS) ^ number)]
        while row >= 0:
            if self.lock[row + LK_NUMBER] == number and self.lock[row + LK_FILE] == file:
                return row
            row = self.lock[row + LK_CHAIN]
        row = self.rows * LK_ROWS
        self.rows += 1
        if (self.rows + self.margin) * LK_ROWS > len(self.lock):
            self.clock.short = 1
        self.fresh(row, file, number)
        self.chain_unit(row)
        return row

    def suits(self, row: int, node: int, exclusive: int) -> bool:
        """Whether a node has a lock in a mode in which it may read, or write."""
        if exclusive and not self.lock[row + LK_EXCLUSIVE]:
            return False
        c = self.lock[row + LK_CELLS]
        while c >= 0:
            if self.cell[c + CELL_NODE] == node:
                return True
            c = self.cell[c + CELL_NEXT]
        return False

    def in_the_way(self, row: int, node: int, exclusive: int) -> int:
        """The cell of the lowest other node whose lock has to be called back, or -1."""
        found = -1
        if exclusive or self.lock[row + LK_EXCLUSIVE]:
            c = self.lock[row + LK_CELLS]
            while c >= 0:
                other = self.cell[c + CELL_NODE]
                if other != node and (found < 0 or other < self.cell[found + CELL_NODE]):
                    found = c
                c = self.cell[c + CELL_NEXT]
        return found

    def grant(self, row: int, node: int, at: int, exclusive: int) -> None:
        """Let a node have a lock, whose store's instance is at ``at``; no other is in the way."""
        had = self.suits(row, node, 0)
        self.lock[row + LK_EXCLUSIVE] = exclusive
        if had:
            return
        c = self.free
        if c >= 0:
            self.free = self.cell[c + CELL_NEXT]
        else:
            c = self.cells * CELL_ROWS
            self.cells += 1
            if (self.cells + self.margin) * CELL_ROWS > len(self.cell):
                self.clock.short = 1
        self.cell[c + CELL_NODE] = node
        self.cell[c + CELL_STORE] = at
        self.cell[c + CELL_NEXT] = self.lock[row + LK_CELLS]
        self.lock[row + LK_CELLS] = c

    def take_from(self, row: int, c: int) -> None:
        """A node has a lock no more."""
        before = self.lock[row + LK_CELLS]
        if before == c:
            self.lock[row + LK_CELLS] = self.cell[c + CELL_NEXT]
        else:
            while self.cell[before + CELL_NEXT] != c:
                before = self.cell[before + CELL_NEXT]
            self.cell[before + CELL_NEXT] = self.cell[c + CELL_NEXT]
        self.cell[c + CELL_NEXT] = self.free
        self.free = c
