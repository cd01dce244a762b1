"""Writes to a store: blocks are opened one by one, and a run of them is written at once."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from simulator.reference.part import RequestTimeoutError
from simulator.reference.stores.blocks import Block, State
from simulator.reference.stores.reading import fetch, pass_down

if TYPE_CHECKING:
    from simulator.kinds.tiers.store.reference import StoreTier
    from simulator.reference.actor import Steps
    from simulator.reference.stores.blocks import StoredFile
    from simulator.reference.stores.store import Store
    from simulator.reference.tier import Request


class Obstacle(Enum):
    """Reason for which a block cannot be written at once."""

    LIMIT = auto()
    ROOM = auto()
    READ_BACK = auto()
    BUSY = auto()
    """It is being fetched or written back."""
    REWRITE = auto()


class Writer:
    """One write into a store, of bytes within one extent."""

    def __init__(self, tier: StoreTier, store: Store, request: Request) -> None:
        self.tier = tier
        self.store = store
        self.request = request
        self.actor = request.actor
        self.file: StoredFile = store.blocks.file(request.file)
        self._run: list[tuple[Block, int, int]] = []
        """Open blocks, and the bytes of each to write."""

    def write(self) -> Steps:
        """Perform the write."""
        store, request, size = self.store, self.request, self.store.plan.block
        for number in range(request.low // size, -(-request.high // size)):
            low, high = max(0, request.low - number * size), min(size, request.high - number * size)
            block = store.blocks.find(self.file, number)
            store.count(hit=block is not None)
            if self._obstacle(block, number, low, high) is None:
                self._open(block, number, low, high)
                continue
            if self._run:
                yield from self._flush()
            yield from self._open_later(number, low, high)
        yield from self._flush()

    # -- a run --------------------------------------------------------------------------------

    def _flush(self) -> Steps:
        """Move the bytes of the open blocks, and close these in order."""
        store = self.store
        size = store.plan.block
        (first, low, _), (last, _, high) = self._run[0], self._run[-1]
        bytes_of_run = self.request.part(first.number * size + low, last.number * size + high)
        try:
            yield from pass_down(bytes_of_run)
        except RequestTimeoutError:
            for block, _, _ in self._run:
                store.cancel_write(block)
            raise
        fresh = 0
        for block, low, high in self._run:
            fresh += not block.dirty
            self._close(block, low, high)
        self._run = []
        yield from store.slow_down(self.actor, fresh)

    def _close(self, block: Block, low: int, high: int) -> None:
        store = self.store
        store.blocks.end_write(block, low, high)
        store.counts.accepted_bytes += high - low
        end = block.number * store.plan.block + high
        store.exists[self.file.number] = max(store.exists[self.file.number], end)
        if block.dirty and not block.writing:
            store.apply_triggers(block)

    # -- a block ------------------------------------------------------------------------------

    def _obstacle(self, block: Block | None, number: int, low: int, high: int) -> Obstacle | None:
        """Return the obstacle to opening a block now; an absent one has not been admitted yet."""
        store = self.store
        if block is None:
            if store.at_limit():
                return Obstacle.LIMIT
            if not store.blocks.may_write(self.file):
                self.file.outgrown = True
            if not store.blocks.has_room(self.file, write=True):
                return Obstacle.ROOM
            return None if covers(store, self.file, number, (low, high)) else Obstacle.READ_BACK
        if block.fetching or block.writing:
            return Obstacle.BUSY
        if "rewrite" in store.plan.triggers and block.overlaps(low, high):
            return Obstacle.REWRITE
        return Obstacle.LIMIT if block.state is State.CLEAN and store.at_limit() else None

    def _open(
        self, block: Block | None, number: int, low: int, high: int, turn: Obstacle | None = None
    ) -> None:
        """Dirty a block that is resident or has room; ``turn`` is passed on."""
        blocks = self.store.blocks
        if block is None:
            block = blocks.admit(self.file, number, write=True)
            assert block is not None
            self.store.counts.created += 1
        self._pass_on(turn)
        block.tier, block.places = self.tier, self.request.places
        blocks.begin_write(block)
        self._run.append((block, low, high))

    def _open_later(self, number: int, low: int, high: int) -> Steps:
        """Wait until a block can be opened, and open it."""
        store = self.store
        turn: Obstacle | None = None
        """Obstacle for which the actor has waited, if it has not passed its turn on yet."""
        while True:
            block = store.blocks.find(self.file, number)
            obstacle = self._obstacle(block, number, low, high)
            if obstacle is None:
                break
            if obstacle in (Obstacle.LIMIT, Obstacle.ROOM):
                if turn is Obstacle.ROOM or obstacle is not turn:
                    self._pass_on(turn)  # the offered room may suffice for another actor
                if obstacle is Obstacle.LIMIT:
                    yield from store.wait_for_limit(self.actor, again=turn is obstacle)
                else:
                    short = None if store.blocks.may_write(self.file) else self.file
                    yield from store.wait_for_room(self.actor, short, again=turn is obstacle)
                turn = obstacle
                continue
            if block is None:
                block = store.blocks.admit(self.file, number, write=True)
            assert block is not None
            self._pass_on(turn)
            turn = None
            yield from self._clear(obstacle, block)
        self._open(block, number, low, high, turn)

    def _clear(self, obstacle: Obstacle, block: Block) -> Steps:
        """Wait until a resident block is free, or has been read back."""
        store = self.store
        if obstacle is Obstacle.READ_BACK:
            block.fetching = True
            block.valid = store.valid(self.file, block.number)
            yield from fetch(self.tier, store, self.request, [block])
            store.counts.read_back += 1
            store.counts.read_back_bytes += block.valid
        elif obstacle is Obstacle.BUSY:
            yield from store.wait_for_block(self.actor, block)
        else:
            forced = store.force(block)
            store.counts.rewrites_waited += forced is block
            yield from store.wait_for_block(self.actor, forced)

    def _pass_on(self, turn: Obstacle | None) -> None:
        if turn is Obstacle.ROOM:
            self.store.offer_room(self.file)
        elif turn is Obstacle.LIMIT:
            self.store.offer_limit()


def covers(store: Store, file: StoredFile, number: int, span: tuple[int, int]) -> bool:
    """Return whether a write of a block's bytes covers all of the existing ones."""
    valid = store.valid(file, number)
    return not valid or (span[0] == 0 and span[1] >= valid)


def written_through(store: Store, request: Request) -> None:
    """Update the store after bytes within an extent have reached the tiers below."""
    size = store.plan.block
    file = store.blocks.file(request.file)
    for number in range(request.low // size, -(-request.high // size)):
        start = number * size
        low, high = max(request.low, start) - start, min(request.high, start + size) - start
        block = store.blocks.find(file, number)
        if block is not None and not block.fetching:
            store.use(block, request, write=True)
            block.valid = max(block.valid, high)
        elif block is None and covers(store, file, number, (low, high)):
            block = store.blocks.admit(file, number, write=False)
            if block is not None:
                block.unread = True
                block.valid = high
                store.blocks.settle(block)
                store.counts.created += 1
        store.counts.accepted_bytes += high - low
    store.exists[file.number] = max(store.exists[file.number], request.high)
