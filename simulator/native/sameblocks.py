"""Whether the stores hold the same blocks at two moments, in whatever rows these are.

Blocks are found by their rings: which come first, and what each is. A block that is in no ring is
found by its file and number. Rows of blocks that went are used again in another order each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from simulator.native import codes as c
from simulator.native.moments import DiffersError, Moment, Tables, differing

RINGS = (c.I_CLEAN, c.I_DIRTY, c.I_QUEUED, c.I_AGAIN, c.I_GHOST1, c.I_GHOST2)
FILE_RINGS = (c.F_CLEAN, c.F_DIRTY)
Slot = Callable[[int], int]


@dataclass(frozen=True)
class Names:
    """How actors are named alike by a slot of then and one of now."""

    then: Slot
    now: Slot
    same: bool
    """Whether all have the slots that they had."""


BLOCK = slice(c.B_FROW, c.B_VALID + 1)


class Sides:
    """The blocks of a moment, or those of now."""

    def __init__(
        self,
        block: memoryview[int],
        written: memoryview[int],
        inst: memoryview[int],
        frow: memoryview[int],
    ) -> None:
        self.block = block
        self.written = written
        self.inst = inst
        self.frow = frow

    def ring(self, first: int) -> list[int]:
        """The blocks of a ring of an instance."""
        found, b = [], self.inst[first]
        while b >= 0:
            found.append(b)
            b = self.block[b + c.B_NEXT]
        return found

    def file_ring(self, first: int) -> list[int]:
        """The blocks of a ring of a file."""
        found, b = [], self.frow[first]
        while b >= 0:
            found.append(b)
            b = self.written[b + c.B_FILE_NEXT]
        return found

    def busy(self) -> dict[tuple[int, int], int]:
        """The blocks in no ring, by their files and numbers."""
        states = self.block[c.B_STATE :: c.B_ROWS].tolist()
        rows = (row * c.B_ROWS for row, state in enumerate(states) if state == c.S_BUSY)
        return {(self.block[b + c.B_FROW], self.block[b + c.B_INDEX]): b for b in rows}

    def is_of(self, b: int, slot: Slot) -> tuple[int, ...]:
        """What a block is, but for its place; what it has of a write only if that is used."""
        fields = tuple(self.block[b : b + c.B_ROWS][BLOCK].tolist())
        flags = self.block[b + c.B_FLAGS]
        more = self.written[b : b + c.B_ROWS].tolist()
        if flags & c.WRITTEN:
            fields += (more[c.B_SUM] > 0, more[c.B_USERS])
            if more[c.B_SUM]:
                fields += (more[c.B_LOW], more[c.B_HIGH])
            if more[c.B_SUM] or more[c.B_USERS]:
                fields += (more[c.B_FROM],)
        if flags & c.AWAITED:
            fields += (slot(more[c.B_WAITERS]),)
        return fields


def same_blocks(then: Moment, tables: Tables, names: Names, walk: int) -> list[tuple[int, int]]:
    """Compare all blocks and the files that they are of; ``DiffersError`` if not the same.

    Unless all are in the rows that they were in, at most ``walk`` of them are looked at. Returns
    the cells of ``written`` that grow in each period, and by how much.
    """
    tabled = ("Blocks.block", "Blocks.written", "Blocks.inst", "Blocks.frow")
    one, other = Sides(*map(then.copies.__getitem__, tabled)), Sides(*map(tables.view, tabled))
    _compare_files(one, other, names.then, names.now)
    if names.same and one.block.tobytes() == other.block.tobytes():
        changed = [*differing(one.written, other.written)]
        if all(number % c.B_ROWS == c.B_SUM for number, _, _ in changed):
            pairs = ((number - c.B_SUM, number - c.B_SUM) for number, _, _ in changed)
            return _growing(one, other, pairs)
    if len(one.block) > walk * c.B_ROWS:
        raise DiffersError("many blocks are in other rows")
    paired = _paired(one, other)
    for b, now_b in paired.items():
        if one.is_of(b, names.then) != other.is_of(now_b, names.now):
            raise DiffersError("a block", walked=True)
    for f in range(0, len(one.frow), c.F_ROWS):
        for ring in FILE_RINGS:
            blocks = [paired[b] for b in one.file_ring(f + ring)]
            if blocks != other.file_ring(f + ring):
                raise DiffersError("the order of a file's blocks", walked=True)
    return _growing(one, other, paired.items())


def _growing(one: Sides, other: Sides, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return which blocks were written to again, and by how many bytes.

    Only where none of the store was written back, and such bytes change nothing: there are more of
    them than the block has dirty, from its first to its last.
    """
    found = []
    for b, now in pairs:
        if not other.block[now + c.B_FLAGS] & c.WRITTEN:
            continue
        was, value = one.written[b + c.B_SUM], other.written[now + c.B_SUM]
        if was == value:
            continue
        back = other.frow[other.block[now + c.B_FROW] + c.F_STORE_AT] + c.C_WRITTEN_BACK
        dirty = other.written[now + c.B_HIGH] - other.written[now + c.B_LOW]
        if not dirty <= was < value or one.inst[back] != other.inst[back]:
            raise DiffersError("how often a block was written to")
        found.append((now + c.B_SUM, value - was))
    return found


def _compare_files(one: Sides, other: Sides, slot: Slot, slot_now: Slot) -> None:
    """Compare the rows of files, but for their rings and where they are found, and who waits."""
    for f in range(0, len(one.frow), c.F_ROWS):
        was, now = one.frow[f : f + c.F_ROWS].tolist(), other.frow[f : f + c.F_ROWS].tolist()
        fields = [c.F_STORE_AT, c.F_FILE, c.F_WRITTEN, c.F_OUTGROWN, c.F_PENDING]
        if now[c.F_READER] >= 0:
            fields += [c.F_RUN, c.F_RUN_END]
        slots = [c.F_ROOM, c.F_READER, c.F_SYNCS]
        if now[c.F_ROOM] >= 0:
            slots.append(c.F_ROOM_LAST)
        if any(was[field] != now[field] for field in fields):
            raise DiffersError("a file of a store")
        if any(slot(was[field]) != slot_now(now[field]) for field in slots):
            raise DiffersError("who waits for a file of a store")
    for at in range(0, len(other.inst) - c.I_ROWS + 1, c.I_ROWS):
        for queue in (c.I_ROOM, c.I_LIMIT):
            fields = [at + queue] if other.inst[at + queue] < 0 else [at + queue, at + queue + 1]
            if any(slot(one.inst[field]) != slot_now(other.inst[field]) for field in fields):
                raise DiffersError("who waits for room")


def _paired(one: Sides, other: Sides) -> dict[int, int]:
    """Return for each row of a block the one it is in now, by its ring or else by its number."""
    pairs: dict[int, int] = {}
    for at in range(0, len(one.inst) - c.I_ROWS + 1, c.I_ROWS):
        for ring in RINGS:
            blocks, now = one.ring(at + ring), other.ring(at + ring)
            if len(blocks) != len(now):
                raise DiffersError("how many blocks a ring has", walked=True)
            pairs |= zip(blocks, now, strict=True)
    busy, now_busy = one.busy(), other.busy()
    if busy.keys() != now_busy.keys():
        raise DiffersError("which blocks are busy", walked=True)
    pairs |= ((b, now_busy[key]) for key, b in busy.items())
    there = set(pairs.values())
    for key, b in busy.items():
        following, now_following = one.block[b + c.B_NEXT], other.block[now_busy[key] + c.B_NEXT]
        if pairs.get(following, -1) != (now_following if now_following in there else -1):
            raise DiffersError("which blocks are written or fetched together", walked=True)
    return pairs
