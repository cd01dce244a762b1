"""What a store holds: blocks of files, which of them are dirty, and in which order they go.

Without a clock. A block is *clean* (it may be given away), *dirty* (changed), *queued* (its
write-back is asked for) or *busy* (being fetched, written into or written back).
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.kinds.tiers.store.reference import StoreTier
    from simulator.reference.actor import Actor
    from simulator.reference.places import Places
    from simulator.reference.policy import Key, Policy


class State(Enum):
    """Where a block is."""

    CLEAN = auto()
    DIRTY = auto()
    QUEUED = auto()
    BUSY = auto()


@dataclass(slots=True, eq=False)
class Block:
    """A block that has a slot. Bytes are counted from its begin."""

    file: StoredFile
    number: int
    key: Key
    """Its file's number and its own."""
    state: State = State.BUSY
    users: int = 0
    """Transfers into it that are under way."""
    fetching: bool = False
    writing: bool = False
    """It is being written back."""
    written: bool = False
    """It counts against its file's quota."""
    whole: bool = False
    """It was last written from end to end by one call."""
    early: bool = False
    """It was read ahead, and has not been used yet."""
    unread: bool = False
    """It came by a write, and has not been read yet."""
    valid: int = 0
    """Bytes from its begin that hold data."""
    low: int = 0
    """Begin and"""
    high: int = 0
    """end of the bytes written since the last write-back,"""
    dirty: int = 0
    """and how many bytes were written; 0 if none."""
    since_ns: int = -1
    """When it became dirty, where that is asked; -1: not since its last write-back."""
    tier: StoreTier | None = None
    """Through which it was written last,"""
    places: Places | None = None
    """and the places of that request."""
    waiting: list[Actor] = field(default_factory=list)

    @property
    def to_move(self) -> int:
        """The bytes that its write-back moves, from ``low`` on."""
        return min(self.dirty, self.high - self.low)

    def overlaps(self, low: int, high: int) -> bool:
        """Return whether a write of [low, high) goes over bytes that are not on the device."""
        return self.dirty > 0 and low < self.high and high > self.low


@dataclass(slots=True, eq=False)
class StoredFile:
    """What one instance of a store knows of a file."""

    number: int
    written: int = 0
    """Blocks that count against its quota."""
    outgrown: bool = False
    """Whether it has come up against its quota."""
    clean: OrderedDict[Key, Block] = field(default_factory=OrderedDict)
    """Its clean blocks that were written."""
    dirty: OrderedDict[Key, Block] = field(default_factory=OrderedDict)
    changed: set[Key] = field(default_factory=set)
    """Its blocks that are dirty, queued or being written back."""
    waiting: deque[Actor] = field(default_factory=deque)
    """Actors that wait for room in its quota."""
    syncing: list[Actor] = field(default_factory=list)
    """Actors that wait for all of it to be written back."""


class Blocks:
    """The blocks of one instance; sizes in blocks, but ``size``, the bytes of one."""

    def __init__(self, slots: int, size: int, quota: int, release: str, policy: Policy) -> None:
        """``quota`` is -1 for none; ``release`` is none, whole or full."""
        self.space = slots
        """Blocks that there may be now: the slots, less what programs hold."""
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
        """How many blocks are clean."""
        self.evicted = 0

    def file(self, number: int) -> StoredFile:
        """Return what is known of a file."""
        if number not in self.files:
            self.files[number] = StoredFile(number)
        return self.files[number]

    def find(self, file: StoredFile, number: int) -> Block | None:
        """Return a block if it has a slot."""
        return self.resident.get((file.number, number))

    def may_write(self, file: StoredFile) -> bool:
        """Return whether a file is below its quota."""
        return self.quota < 0 or file.written < self.quota

    def has_room(self, file: StoredFile, *, write: bool) -> bool:
        """Return whether :meth:`admit` would find a slot now."""
        if write and not self.may_write(file):
            return bool(file.clean)
        return self.has_any_room()

    def has_any_room(self) -> bool:
        """Return whether there is a slot, or a clean block whose slot may be taken."""
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
        """Assign a slot to a block, busy and empty; None if no block can go for it."""
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
        if write:
            self._count_written(block)
        return block

    def trim(self) -> None:
        """Evict clean blocks that there is no room for any more."""
        self.policy.shrink()
        while len(self.resident) > self.space and self.clean:
            self._evict(self.policy.victim())

    def touch(self, block: Block, *, anew: bool) -> None:
        """Use a block; not ``anew``: as :meth:`Policy.go_on` says."""
        (self.policy.touch if anew else self.policy.go_on)(block.key)
        if block.key in block.file.clean:
            block.file.clean.move_to_end(block.key)

    def settle(self, block: Block) -> None:
        """Put a busy block where it belongs, if nothing happens to it any more."""
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
        """A transfer into a block begins."""
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
        """A transfer into [low, high) of a block has ended: it is dirty."""
        block.users -= 1
        block.low = min(low, block.low) if block.dirty else low
        block.high = max(high, block.high) if block.dirty else high
        block.dirty += high - low
        block.valid = max(high, block.valid)
        block.whole = low == 0 and high == self.size
        block.file.changed.add(block.key)
        self.settle(block)

    def cancel_write(self, block: Block) -> bool:
        """A transfer into a block has failed; return whether it went, since it has no data."""
        block.users -= 1
        if not (block.users or block.dirty or block.writing):
            self.changing.discard(block.key)
            if not block.valid:
                self.drop_empty(block)
                return True
        self.settle(block)
        return False

    def drop_empty(self, block: Block) -> None:
        """Free a busy block to which nothing has come."""
        self.policy.drop(block.key)
        self._drop(block)

    # -- writing back -------------------------------------------------------------------------

    def queue(self, block: Block, *, first: bool = False) -> None:
        """Ask for the write-back of a dirty or queued block; ``first``: before all others."""
        self._unlist(block)
        block.state = State.QUEUED
        self.queued[block.key] = block
        if first:
            self.queued.move_to_end(block.key, last=False)

    def next_forced(self, block: Block) -> Block:
        """Return what a rewrite of a block waits for next: others of its file first, then itself.

        Those that are on their way already come first, the lowest number of them at the head.
        """
        file = block.file
        others = [self.resident[key] for key in file.changed if key != block.key]
        on_their_way = [other for other in others if other.state is not State.DIRTY]
        if on_their_way:
            return min(on_their_way, key=lambda other: other.number)
        return next((other for other in file.dirty.values() if other is not block), block)

    def take_queued(self, extent: int) -> list[Block]:
        """Take the first queued block, and those that go with it as one range of bytes."""
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
        """The write-back of a block begins: what is written from now on comes after it."""
        self._unlist(block)
        block.state = State.BUSY
        block.writing = True
        block.dirty = 0
        block.since_ns = -1

    def end_writeback(self, block: Block) -> bool:
        """A block is on the device; return whether it was given away."""
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
        """Drop the clean blocks of a file with numbers [low, high); return how many there were."""
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
        """Take a dirty or queued block out of its list."""
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
