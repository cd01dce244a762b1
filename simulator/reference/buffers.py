"""The buffer cache of an I/O node, and its processor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.kinds.parts.queue.reference import Queue
from simulator.kinds.parts.raid.reference import Raid
from simulator.reference.part import Load
from simulator.reference.stores.buffercache import BufferCache, Extent
from simulator.result.result import StoreResult

if TYPE_CHECKING:
    from simulator.plan.jobs import AskedPlan
    from simulator.plan.parts import BuffersPlan
    from simulator.plan.plan import Plan
    from simulator.reference.actor import Actor, Steps
    from simulator.reference.part import Part
    from simulator.reference.stores.slots import When


class Buffers:
    """One instance; its requests are rows of the plan's asked requests."""

    def __init__(self, plan: Plan, row: BuffersPlan, member: int, raid: Part) -> None:
        assert isinstance(raid, Raid)
        self.row = row
        self.name = plan.store_name(row, member)
        self.merging_column = plan.merging_column
        self._asked = plan.asked
        raid.attach(row.block, row.blocks[member])
        self._cache = BufferCache(row, member, raid)
        self._gathered: dict[int, list[Actor]] = {}

    @property
    def asked(self) -> AskedPlan:
        """Rows of the requests that can arrive."""
        assert self._asked is not None
        return self._asked

    def serve(
        self, actor: Actor, processor: Part, number: int, asker: int, *, write: bool
    ) -> Steps:
        """Serve a request at the node."""
        assert isinstance(processor, Queue)
        rows = self.asked.requests
        handling = self.row.request_ns + rows.pieces[number] * self.row.piece_ns
        if rows.group[number] >= 0:
            yield from _work(actor, processor, handling)
            yield from self._merge(actor, processor, rows.group[number], write=write)
            return
        span = self._extents(rows.first[number], rows.count[number])
        copying = self.row.copy.service_ns(rows.size[number])
        yield from self._access(actor, processor, span, handling + copying, asker, write=write)

    def call(
        self,
        actor: Actor,
        processor: Part,
        span: tuple[int, int],
        asker: int,
        *,
        write: bool,
    ) -> Steps:
        """Serve a read or write of contiguous bytes on the member."""
        assert isinstance(processor, Queue)
        extents = self._blocks_of(*span)
        handling = self.row.request_ns + len(extents) * self.row.piece_ns
        copying = self.row.copy.service_ns(span[1] - span[0])
        yield from self._access(actor, processor, extents, handling + copying, asker, write=write)

    def sync(self, actor: Actor, processor: Part, own: tuple[int, int]) -> Steps:
        """Write back a file's dirty bytes on the member; wait until they are durable."""
        assert isinstance(processor, Queue)
        yield from _work(actor, processor, self.row.request_ns)
        blocks = range(own[0] // self.row.block, -(-own[1] // self.row.block))
        yield from self._await(actor, self._cache.sync(actor.now, blocks))

    def _blocks_of(self, low: int, high: int) -> list[Extent]:
        """Return the blocks of a byte range, and the bytes of each."""
        size = self.row.block
        return [
            (block, max(0, low - block * size), min(size, high - block * size))
            for block in range(low // size, -(-high // size))
        ]

    def _await(self, actor: Actor, ready: When) -> Steps:
        """Wait for the cache, or the unit behind it; poll again while the end is unknown."""
        while (until_ns := self._cache.poll_ns(actor.now, ready)) > actor.now:
            actor.charge(self.row.column, until_ns - actor.now, 0)
            yield actor.until(until_ns)

    def _merge(self, actor: Actor, processor: Queue, group: int, *, write: bool) -> Steps:
        """Wait for the other members; the last of them serves the request for all."""
        rows, here = self.asked.groups, self._gathered.setdefault(group, [])
        if len(here) + 1 < rows.members[group]:
            began = actor.now
            here.append(actor)
            yield actor.blocked(lambda: f"requests to merge with at {self.name}")
            actor.charge(self.merging_column, actor.now - began, 0)
            return
        del self._gathered[group]
        span = self._extents(rows.first[group], rows.count[group])
        work = self.row.copy.service_ns(rows.size[group]) + rows.more[group]
        yield from self._access(actor, processor, span, work, -1, write=write)
        for other in here:
            other.wake()

    def _access(
        self,
        actor: Actor,
        processor: Queue,
        extents: list[Extent],
        work_ns: int,
        asker: int,
        *,
        write: bool,
    ) -> Steps:
        """Request blocks; when they are available, charge the processor for the rest."""
        ready = self._cache.access(actor.now, extents, write=write, asker=asker)
        yield from self._await(actor, ready)
        yield from _work(actor, processor, work_ns)
        if write:
            self._cache.written(actor.now, extents)

    def _extents(self, first: int, count: int) -> list[Extent]:
        """Return rows of the plan's extents."""
        rows = self.asked.extents
        return [(rows.block[i], rows.low[i], rows.high[i]) for i in range(first, first + count)]

    @property
    def safe_ns(self) -> int:
        """Time at which the last block written back is durable in the RAID unit."""
        return self._cache.safe_ns

    def drain(self, now_ns: int) -> int:
        """Write dirty blocks at the end of the run; return when the RAID unit is idle."""
        return self._cache.drain(now_ns)

    def result(self) -> StoreResult:
        """Return the counters of the cache and its unit."""
        return StoreResult(self.row.name, self._cache.counts())


def _work(actor: Actor, processor: Queue, service_ns: int) -> Steps:
    """Charge work to a processor."""
    start = max(actor.now, processor.free_ns())
    end = processor.serve(Load(0, cost_ns=service_ns), start)
    actor.charge(processor.column, start - actor.now, end - start)
    yield actor.until(end)
