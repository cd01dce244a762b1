"""One instance of a store: its queues of waiting actors, and its write-back workers."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from simulator.kinds import kind_class
from simulator.plan.throttle import CREDIT_NS, period_ns, position_ratio
from simulator.reference.actor import Actor
from simulator.reference.policy import Policy
from simulator.reference.stores.blocks import Block, Blocks, State, StoredFile
from simulator.reference.tier import Request
from simulator.result.result import StoreResult

if TYPE_CHECKING:
    from simulator.plan.parts import StorePlan
    from simulator.reference.actor import Clock, Steps


@dataclass(slots=True)
class Counts:
    """Counters of a store; see docs/composition.md."""

    hits: int = 0
    misses: int = 0
    fetched: int = 0
    read_back: int = 0
    written_back: int = 0
    released: int = 0
    rewrites_waited: int = 0
    prestaged: int = 0
    created: int = 0
    evicted: int = 0
    accepted_bytes: int = 0
    overwritten_bytes: int = 0
    fetched_bytes: int = 0
    read_back_bytes: int = 0
    written_back_bytes: int = 0
    prestaged_bytes: int = 0
    read_ahead: int = 0
    used_ahead: int = 0
    limit_waits: int = 0
    syncs: int = 0
    invalidated: int = 0
    called_back: int = 0
    resident: int = 0
    dirty: int = 0
    dirty_bytes: int = 0


class Store:
    """An instance with its blocks, its queues and its workers."""

    def __init__(
        self, clock: Clock, plan: StorePlan, member: int, name: str, exists: dict[int, int]
    ) -> None:
        """``exists``: bytes of each file here or below, for all instances."""
        self.clock = clock
        self.plan = plan
        self.member, self.name = member, name
        self.exists = exists
        self.counts = Counts()
        policy = kind_class("policies", plan.policy, "reference", Policy)(plan.slots)  # type: ignore[type-abstract]
        policy.block = plan.block
        self.blocks = Blocks(plan.slots, plan.block, plan.quota, plan.release, policy)
        self.reading_ahead: set[int] = set()
        """Files with an active reader."""
        self._room_waiters: deque[Actor] = deque()
        self._limit_waiters: deque[Actor] = deque()
        first = plan.first_worker + member * plan.workers
        self._workers = [
            Actor(clock, first + i, f"{name}.writeback{i}") for i in range(plan.workers)
        ]
        self._idle: dict[int, Actor] = {}
        for worker in self._workers:
            worker.begin(self._work(worker))
        self._flusher = None
        if plan.flushers:
            number = plan.first_worker + plan.workers * plan.count + member
            self._flusher = Actor(clock, number, f"{name}.flusher")
            self._flusher.begin(self._flush_old(self._flusher))
        self._looks = False
        """True while the flusher is active: blocks have become dirty since its last pass."""
        self._slowed_ns = 0
        """Time by which all blocks made dirty by throttled writers should have become dirty."""
        self._held_bytes = 0
        """Memory that programs hold."""

    # -- arithmetic ---------------------------------------------------------------------------

    def valid(self, file: StoredFile, number: int) -> int:
        """Return the number of existing bytes of a block."""
        start = number * self.plan.block
        return max(0, min(self.plan.block, self.exists[file.number] - start))

    def at_limit(self) -> bool:
        """Return whether no more blocks may become dirty."""
        return self.plan.dirty_limit >= 0 and self._limit() <= len(self.blocks.changing)

    def _limit(self) -> int:
        """Return the dirty limit, scaled to the memory that programs leave."""
        return max(1, self._left(self.plan.dirty_limit))

    def _left(self, blocks: int) -> int:
        """Return a number of blocks, scaled to the memory that programs leave."""
        return blocks * self.blocks.space // self.plan.slots

    def hold(self, size: int) -> None:
        """Add memory that a program holds; negative if it releases some."""
        self._held_bytes += size
        held = -(-self._held_bytes // self.plan.block)
        self.blocks.space = max(1, self.plan.slots - held)
        self.blocks.trim()
        if self.plan.back:
            self._apply_watermarks()
            self.offer_limit()
        self._offer_any_room()

    def count(self, *, hit: bool) -> None:
        """Count a lookup of a block."""
        self.counts.hits += hit
        self.counts.misses += not hit

    def use(self, block: Block, request: Request, *, write: bool = False) -> None:
        """Use a resident block."""
        goes_on = request.sequential and block.number * self.plan.block < request.low
        self.blocks.touch(block, anew=not (write or block.early or block.unread or goes_on))
        self.counts.used_ahead += block.early
        block.early = False
        block.unread &= write

    # -- blocks come in -----------------------------------------------------------------------

    def begin_fetch(self, file: StoredFile, number: int) -> Block | None:
        """Admit a block in order to fetch it; None without room."""
        block = self.blocks.admit(file, number, write=False)
        if block is not None:
            block.fetching = True
            block.valid = self.valid(file, number)
        return block

    def end_fetch(self, row: list[Block]) -> None:
        """Complete fetched blocks, in order; wake actors that wait for them, or for room."""
        for block in row:
            block.fetching = False
            self.blocks.settle(block)
            self._wake(block.waiting)
            self.offer_room(block.file)

    def fail_fetch(self, row: list[Block]) -> None:
        """Drop blocks whose fetch failed, in order; wake actors that wait for them, or for room."""
        for block in row:
            block.fetching = False
            self.blocks.drop_empty(block)
            self._wake(block.waiting)
            self.offer_room(block.file)

    def cancel_write(self, block: Block) -> None:
        """Cancel a transfer into a block: it is as before, or is dropped if empty."""
        self.counts.invalidated += self.blocks.cancel_write(block)
        self.offer_room(block.file)
        self.offer_limit()

    def write_past(self, request: Request) -> None:
        """Drop clean blocks that a write below the store has touched."""
        file, size = self.blocks.file(request.file), self.plan.block
        self.exists[file.number] = max(self.exists[file.number], request.high)
        self.invalidate(file, request.low // size, -(-request.high // size))

    # -- write-back ---------------------------------------------------------------------------

    def _work(self, worker: Actor) -> Steps:
        """Write back queued blocks, for ever."""
        while True:
            row = self.blocks.take_queued(self.plan.extent)
            if not row:
                self._idle[worker.number] = worker
                yield worker.blocked(lambda: "dirty blocks to write back")
                continue
            yield from self._write_back(worker, row)

    def _write_back(self, worker: Actor, row: list[Block]) -> Steps:
        first, last = row[0], row[-1]
        assert first.tier is not None
        assert first.places is not None
        low = first.number * self.plan.block + first.low
        high = last.number * self.plan.block + last.low + last.to_move
        for block in row:
            self.counts.overwritten_bytes += block.dirty - block.to_move
            self.blocks.begin_writeback(block)
        places = first.tier.places_of_worker(self.member, first.places)
        request = Request(worker, first.file.number, low, high, places)
        yield from first.tier.below.write(request)
        self.counts.written_back += len(row)
        self.counts.written_back_bytes += high - low
        if self.blocks.recorder:
            self.blocks.recorder.change_dirty(low - high)
        for block in row:
            self._written_back(block)

    def _written_back(self, block: Block) -> None:
        file = block.file
        gone = self.blocks.end_writeback(block)
        self.counts.released += gone
        self._wake(block.waiting)
        if not gone and block.dirty:
            self.apply_triggers(block)
            return
        if file.waiting and not self.blocks.has_room(file, write=True):
            # It was released, but the file still is at its quota: rewriting blocks that were there
            # had brought it past that.
            self.queue_oldest(file)
        if self.plan.elastic:
            self._queue_more()
        if not file.changed:
            self._wake(file.syncing)
        self.offer_room(file)
        self.offer_limit()

    def _queue_more(self) -> None:
        """Queue another block if a waiting actor is still blocked, as programs hold more memory."""
        if self._room_waiters and not self.blocks.has_any_room():
            self.queue_oldest()
        if self._limit_waiters and self.at_limit():
            self.queue_oldest()

    def apply_triggers(self, block: Block) -> None:
        """Apply the write-back triggers to a block that has become dirty."""
        blocks, file, triggers = self.blocks, block.file, self.plan.triggers
        awaited = file.waiting or file.syncing or self._room_waiters or self._limit_waiters
        full = "full" in triggers and block.to_move >= blocks.size
        full |= file.outgrown and blocks.is_full(block)
        if block.state is State.DIRTY and ("eager" in triggers or full or awaited):
            self._queue(block)
        self._apply_watermarks()
        if self._flusher is not None and block.state is State.DIRTY and block.since_ns < 0:
            block.since_ns = self.clock.now
            if not self._looks:
                self._looks = True
                self._flusher.wake()

    def _apply_watermarks(self) -> None:
        """Queue the oldest dirty blocks down to the low watermark, above the high one."""
        dirty = self.blocks.dirty
        if "mark" in self.plan.triggers and len(dirty) > self._left(self.plan.high):
            while len(dirty) > self._left(self.plan.low):
                self.queue_oldest()

    def _flush_old(self, flusher: Actor) -> Steps:
        """Queue blocks that have expired, at multiples of an interval, for ever."""
        while True:
            oldest = self.blocks.first_dirty()
            if oldest is None:
                self._looks = False
                yield flusher.blocked(lambda: "dirty blocks to expire")
                continue
            due = oldest.since_ns + self.plan.expire_ns
            due = -(-due // self.plan.interval_ns) * self.plan.interval_ns
            if due > flusher.now:
                yield flusher.until(due)
            else:
                self.queue_oldest()

    def slow_down(self, actor: Actor, blocks: int) -> Steps:
        """Throttle a writer that has made a number of blocks dirty; see ``plan/throttle.py``."""
        dirty, limit = len(self.blocks.changing), self._limit()
        since, slow_ns = actor.now, self.plan.slow_ns
        if not blocks or not slow_ns:
            return
        free = (limit + self._left(self.plan.high)) // 2
        if dirty <= free:
            self._slowed_ns = max(since, self._slowed_ns)
            return
        ratio = position_ratio(dirty, free, limit, self.plan.span)
        begun = max(since - CREDIT_NS, self._slowed_ns)
        self._slowed_ns = begun + period_ns(blocks, slow_ns, ratio)
        if self._slowed_ns <= since:
            return
        self.counts.limit_waits += 1
        yield actor.until(self._slowed_ns)
        actor.charge(self.plan.writeback_column, actor.now - since, 0)

    def queue_file(self, file: StoredFile) -> None:
        """Queue all dirty blocks of a file, the oldest first."""
        while file.dirty:
            self.queue_oldest(file)

    def queue_blocks(self, file: StoredFile, low: int, high: int) -> None:
        """Queue the dirty blocks of a file with numbers [low, high), in order."""
        for number in range(low, high):
            block = self.blocks.find(file, number)
            if block is not None and block.state is State.DIRTY:
                self._queue(block)

    def queue_oldest(self, file: StoredFile | None = None) -> None:
        """Queue the block that has been dirty for longest: of all, or of a file."""
        block = self.blocks.first_dirty(file)
        if block is not None:
            self._queue(block)

    def force(self, block: Block) -> Block:
        """Return the block for which a rewrite waits next; queue it before all others.

        Another block that is queued already, or being written back, is left unchanged.
        """
        forced = self.blocks.next_forced(block)
        if forced is block or forced.state is State.DIRTY:
            self._queue(forced, first=True)
        return forced

    def invalidate(self, file: StoredFile, low: int, high: int) -> None:
        """Drop the clean blocks of a file with numbers [low, high), and offer their room."""
        gone = self.blocks.invalidate(file, low, high)
        self.counts.invalidated += gone
        if gone:
            self.offer_room(file)

    def _queue(self, block: Block, *, first: bool = False) -> None:
        self.blocks.queue(block, first=first)
        if self._idle:
            self._idle.pop(min(self._idle)).wake()

    # -- waiting ------------------------------------------------------------------------------

    def wait_for_block(self, actor: Actor, block: Block) -> Steps:
        """Wait until a block is fetched, or written back."""
        column = self.plan.writeback_column
        what = "the write-back of a block"
        if block.fetching:
            column, what = self.plan.cache_column, "a block that another actor fetches"
        since = actor.now
        block.waiting.append(actor)
        yield actor.blocked(lambda: f"{what} in {self.name}")
        actor.charge(column, actor.now - since, 0)

    def wait_for_room(self, actor: Actor, file: StoredFile | None, *, again: bool) -> Steps:
        """Wait until a block can be evicted: any, or one of ``file``; in front if ``again``."""
        self.queue_oldest(file)
        what = "room" if file is None else "room in the quota of a file"
        queue = self._room_waiters if file is None else file.waiting
        return self._queue_up(actor, queue, what, again=again)

    def wait_for_limit(self, actor: Actor, *, again: bool) -> Steps:
        """Wait until another block may become dirty; in front if ``again``."""
        self.counts.limit_waits += 1
        self.queue_oldest()
        return self._queue_up(actor, self._limit_waiters, "the dirty limit", again=again)

    def wait_for_sync(self, actor: Actor, file: StoredFile) -> Steps:
        """Wait until a file has no dirty blocks."""
        file.syncing.append(actor)
        return self._charged(actor, "the write-back of a file")

    def _queue_up(self, actor: Actor, queue: deque[Actor], what: str, *, again: bool) -> Steps:
        if again:
            queue.appendleft(actor)
        else:
            queue.append(actor)
        return self._charged(actor, what)

    def _charged(self, actor: Actor, what: str) -> Steps:
        """Block an actor, and charge the time to write-back."""
        since = actor.now
        yield actor.blocked(lambda: f"{what} in {self.name}")
        actor.charge(self.plan.writeback_column, actor.now - since, 0)

    def offer_room(self, file: StoredFile) -> None:
        """Wake an actor that waits for room, if there is room: for a file, or for any."""
        freed = self.plan.elastic and self.blocks.may_write(file)  # Any room suffices.
        if file.waiting and (freed or self.blocks.has_room(file, write=True)):
            file.waiting.popleft().wake()
        self._offer_any_room()

    def _offer_any_room(self) -> None:
        """Wake the first actor that waits for room of any file, if there is some."""
        if self._room_waiters and self.blocks.has_any_room():
            self._room_waiters.popleft().wake()

    def offer_limit(self) -> None:
        """Wake the first actor that waits for the dirty limit, if the store is below it."""
        if self._limit_waiters and not self.at_limit():
            self._limit_waiters.popleft().wake()

    @staticmethod
    def _wake(actors: list[Actor]) -> None:
        for actor in actors:
            actor.wake()
        actors.clear()

    # -- what it did --------------------------------------------------------------------------

    def result(self) -> StoreResult:
        """Return the counters of the instance."""
        counts, blocks = self.counts, self.blocks
        counts.evicted, counts.resident = blocks.evicted, len(blocks.resident)
        counts.dirty = len(blocks.dirty) + len(blocks.queued)
        counts.dirty_bytes = sum(block.dirty for block in blocks.resident.values())
        return StoreResult(self.plan.name, asdict(self.counts))
