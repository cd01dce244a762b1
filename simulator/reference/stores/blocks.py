"""Blocks of a store: their states, the dirty ones, and the order of replacement.

Without a clock. A block is *clean* (it may be evicted), *dirty* (changed), *queued* (its write-back
is requested) or *busy* (being fetched, written into or written back).
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.kinds.tiers.store.reference import StoreTier
    from simulator.reference.actor import Actor
    from simulator.reference.curves import StoreRecorder
    from simulator.reference.places import Places
    from simulator.reference.policy import Key, Policy
    from simulator.result.curves import StoreCurve


class State(Enum):
    """State of a block."""

    CLEAN = auto()
    DIRTY = auto()
    QUEUED = auto()
    BUSY = auto()


@dataclass(slots=True, eq=False)
class Block:
    """A resident block. Bytes are counted from its begin."""

    file: StoredFile
    number: int
    key: Key
    """File number and block number."""
    state: State = State.BUSY
    users: int = 0
    """Number of transfers into it under way."""
    fetching: bool = False
    writing: bool = False
    """True while it is written back."""
    written: bool = False
    """True if it counts against its file's quota."""
    whole: bool = False
    """True if one call last wrote it from begin to end."""
    early: bool = False
    """True if it was read ahead and has not been used yet."""
    unread: bool = False
    """True if it was created by a write and has not been read yet."""
    valid: int = 0
    """Valid bytes from its begin."""
    low: int = 0
    """First byte written since the last write-back."""
    high: int = 0
    """End of the bytes written since the last write-back."""
    dirty: int = 0
    """Number of bytes written since the last write-back; 0 if clean."""
    since_ns: int = -1
    """Time at which it became dirty, where needed; -1: not since its last write-back."""
    tier: StoreTier | None = None
    """Tier of its last write."""
    places: Places | None = None
    """Places of the request of its last write."""
    waiting: list[Actor] = field(default_factory=list)

    @property
    def to_move(self) -> int:
        """Bytes that its write-back moves, from ``low`` on."""
        return min(self.dirty, self.high - self.low)

    def overlaps(self, low: int, high: int) -> bool:
        """Return whether a write of [low, high) overwrites bytes that are not on the device."""
        return self.dirty > 0 and low < self.high and high > self.low


@dataclass(slots=True, eq=False)
class StoredFile:
    """State of a file in one instance of a store."""

    number: int
    written: int = 0
    """Blocks that count against its quota."""
    outgrown: bool = False
    """True once it has reached its quota."""
    clean: OrderedDict[Key, Block] = field(default_factory=OrderedDict)
    """Its clean blocks that were written."""
    dirty: OrderedDict[Key, Block] = field(default_factory=OrderedDict)
    changed: set[Key] = field(default_factory=set)
    """Its blocks that are dirty, queued or being written back."""
    waiting: deque[Actor] = field(default_factory=deque)
    """Actors that wait for room in its quota."""
    syncing: list[Actor] = field(default_factory=list)
    """Actors that wait until all of it is written back."""


class Blocks:
    """The blocks of one instance; sizes in blocks, except ``size``, the bytes of one."""

    def __init__(self, slots: int, size: int, quota: int, release: str, policy: Policy) -> None:
        """``quota``: -1 for none; ``release``: none, whole or full."""
        self.space = slots
        """Current capacity: all slots, less the memory that programs hold."""
        self.size = size
        self.quota = quota
        self.release = release
        self.policy = policy
        self.resident: dict[Key, Block] = {}
        self.files: dict[int, StoredFile] = {}
        self.dirty: OrderedDict[Key, Block] = OrderedDict()
        self.queued: OrderedDict[Key, Block] = OrderedDict()
        self.changing: set[Key] = set()
        """Blocks that are dirty, queued, being written into or written back."""
        self.clean = 0
        """Number of clean blocks."""
        self.evicted = 0
        self.recorder: StoreRecorder | None = None
        """Recorder of its contents over time, if that was requested."""

    def curve(self, end_ns: int, store: str, slots: int) -> StoreCurve:
        """Return the contents over time, up to the end of the run."""
        assert self.recorder is not None
        left = sum(block.to_move for block in self.resident.values())
        return self.recorder.finish(end_ns, store, slots * self.size, left)

    def file(self, number: int) -> StoredFile:
        """Return the state of a file."""
        if number not in self.files:
            self.files[number] = StoredFile(number)
        return self.files[number]

    def find(self, file: StoredFile, number: int) -> Block | None:
        """Return a block if it is resident."""
        return self.resident.get((file.number, number))

    def may_write(self, file: StoredFile) -> bool:
        """Return whether a file is below its quota."""
        return self.quota < 0 or file.written < self.quota

    def has_room(self, file: StoredFile, *, write: bool) -> bool:
        """Return whether :meth:`admit` would succeed now."""
        if write and not self.may_write(file):
            return bool(file.clean)
        return self.has_any_room()

    def has_any_room(self) -> bool:
        """Return whether there is a free slot, or a clean block to evict."""
        return len(self.resident) - self.clean < self.space

    def is_full(self, block: Block) -> bool:
        """Return whether a block holds data up to its end."""
        return block.valid >= self.size

    def first_dirty(self, file: StoredFile | None = None) -> Block | None:
        """Return the block that has been dirty, and not queued, for longest."""
        dirty = self.dirty if file is None else file.dirty
        return next(iter(dirty.values()), None)

    # -- coming and going ---------------------------------------------------------------------

    def admit(self, file: StoredFile, number: int, *, write: bool) -> Block | None:
        """Admit a block, busy and empty; return None if no block can be evicted for it."""
        if write and not self.may_write(file):
            file.outgrown = True
        if not self.has_room(file, write=write):
            return None
        key = (file.number, number)
        self.policy.admit(key)
        if write and not self.may_write(file):
            self._evict(next(iter(file.clean)))
        else:
            while len(self.resident) >= self.space:
                self._evict(self.policy.victim())
        block = self.resident[key] = Block(file, number, key, unread=write)
        if self.recorder:
            self.recorder.change_used(self.size)
        if write:
            self._count_written(block)
        return block

    def trim(self) -> None:
        """Evict clean blocks beyond the capacity."""
        self.policy.shrink()
        while len(self.resident) > self.space and self.clean:
            self._evict(self.policy.victim())

    def touch(self, block: Block, *, anew: bool) -> None:
        """Use a block; without ``anew`` as :meth:`Policy.go_on` describes."""
        (self.policy.touch if anew else self.policy.go_on)(block.key)
        if block.key in block.file.clean:
            block.file.clean.move_to_end(block.key)

    def settle(self, block: Block) -> None:
        """Move a busy block to the list of its state, if nothing more happens to it."""
        if block.state is not State.BUSY or block.fetching or block.writing:
            return
        if block.dirty:
            block.state = State.DIRTY
            self.dirty[block.key] = block.file.dirty[block.key] = block
        elif not block.users:
            block.state = State.CLEAN
            self.clean += 1
            self.policy.join(block.key)
            if block.written:
                block.file.clean[block.key] = block

    # -- changing -----------------------------------------------------------------------------

    def begin_write(self, block: Block) -> None:
        """Begin a transfer into a block."""
        block.users += 1
        self.changing.add(block.key)
        if block.state is State.CLEAN:
            self.clean -= 1
            self.policy.leave(block.key)
            block.file.clean.pop(block.key, None)
            block.state = State.BUSY
        if not block.written:
            self._count_written(block)

    def end_write(self, block: Block, low: int, high: int) -> None:
        """End a transfer into [low, high) of a block: it is dirty."""
        before = block.to_move
        block.users -= 1
        block.low = min(low, block.low) if block.dirty else low
        block.high = max(high, block.high) if block.dirty else high
        block.dirty += high - low
        if self.recorder:
            self.recorder.change_dirty(block.to_move - before)
        block.valid = max(high, block.valid)
        block.whole = low == 0 and high == self.size
        block.file.changed.add(block.key)
        self.settle(block)

    def cancel_write(self, block: Block) -> bool:
        """Cancel a transfer into a block; return whether it was dropped as empty."""
        block.users -= 1
        if not (block.users or block.dirty or block.writing):
            self.changing.discard(block.key)
            if not block.valid:
                self.drop_empty(block)
                return True
        self.settle(block)
        return False

    def drop_empty(self, block: Block) -> None:
        """Free a busy block without data."""
        self.policy.drop(block.key)
        self._drop(block)

    # -- writing back -------------------------------------------------------------------------

    def queue(self, block: Block, *, first: bool = False) -> None:
        """Request the write-back of a dirty or queued block; ``first``: before all others."""
        self._unlist(block)
        block.state = State.QUEUED
        self.queued[block.key] = block
        if first:
            self.queued.move_to_end(block.key, last=False)

    def next_forced(self, block: Block) -> Block:
        """Return what a rewrite of a block waits for next: others of its file first, then itself.

        Blocks being written back already come first, in the order of their numbers.
        """
        file = block.file
        others = [self.resident[key] for key in file.changed if key != block.key]
        on_their_way = [other for other in others if other.state is not State.DIRTY]
        if on_their_way:
            return min(on_their_way, key=lambda other: other.number)
        return next((other for other in file.dirty.values() if other is not block), block)

    def take_queued(self, extent: int) -> list[Block]:
        """Take the first queued block, and those that are contiguous with it."""
        block = next(iter(self.queued.values()), None)
        taken: list[Block] = []
        while block is not None:
            taken.append(block)
            after = self.find(block.file, block.number + 1)
            follows = (
                after is not None
                and after.state in (State.DIRTY, State.QUEUED)
                and after.number // extent == block.number // extent
                and block.low + block.to_move == self.size
                and after.low == 0
            )
            block = after if follows else None
        return taken

    def begin_writeback(self, block: Block) -> None:
        """Begin the write-back of a block: later writes belong to the next one."""
        self._unlist(block)
        block.state = State.BUSY
        block.writing = True
        block.dirty = 0
        block.since_ns = -1

    def end_writeback(self, block: Block) -> bool:
        """End the write-back of a block; return whether it was evicted."""
        block.writing = False
        if not block.dirty:
            block.file.changed.discard(block.key)
            if not block.users:
                self.changing.discard(block.key)
                if block.file.outgrown and self._is_released(block):
                    self.policy.drop(block.key)
                    self._drop(block)
                    return True
        self.settle(block)
        return False

    def invalidate(self, file: StoredFile, low: int, high: int) -> int:
        """Drop the clean blocks of a file with numbers [low, high); return their number."""
        if high - low < self.clean:
            found = [self.find(file, number) for number in range(low, high)]
        else:
            found = [block for block in self.resident.values() if block.file is file]
        gone = [
            block
            for block in found
            if block and block.state is State.CLEAN and low <= block.number < high
        ]
        for block in gone:
            self.clean -= 1
            self.policy.leave(block.key)
            self.policy.drop(block.key)
            file.clean.pop(block.key, None)
            self._drop(block)
        return len(gone)

    def _is_released(self, block: Block) -> bool:
        return {"none": False, "whole": block.whole, "full": self.is_full(block)}[self.release]

    # -- lists --------------------------------------------------------------------------------

    def _unlist(self, block: Block) -> None:
        """Remove a dirty or queued block from its list."""
        if block.state is State.DIRTY:
            del self.dirty[block.key], block.file.dirty[block.key]
        else:
            del self.queued[block.key]

    def _count_written(self, block: Block) -> None:
        block.written = True
        block.file.written += 1

    def _evict(self, key: Key) -> None:
        block = self.resident[key]
        self.evicted += 1
        self.clean -= 1
        self.policy.evict(key)
        block.file.clean.pop(key, None)
        self._drop(block)

    def _drop(self, block: Block) -> None:
        if block.written:
            block.file.written -= 1
        del self.resident[block.key]
        if self.recorder:
            self.recorder.change_used(-self.size)
