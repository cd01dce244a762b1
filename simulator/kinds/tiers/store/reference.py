"""A store on a path: reads find blocks or fetch them, writes stay or go through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simulator.plan.paths import TierPlan
from simulator.reference.actor import Steps
from simulator.reference.machine import Machine
from simulator.reference.places import Places
from simulator.reference.stores.reading import pass_down, pass_up, read_ahead, read_blocks
from simulator.reference.stores.store import Store
from simulator.reference.stores.writing import Writer, written_through
from simulator.reference.tier import PassThroughTier, Request, Tier, TierLatencySum


class StoreTier(PassThroughTier):
    """One tier of a path that leads to the instances of a store."""

    by_extents = True

    def __init__(self, machine: Machine, plan: TierPlan, below: Tier | None) -> None:
        super().__init__(machine, plan, below)
        self._row = machine.plan.stores[plan.row]

    def store_of(self, request: Request) -> Store:
        """Return the instance that a request concerns."""
        store = self.machine.store(self.plan.row, request.places.member(self.plan.slot))
        if request.file not in store.exists:
            length = self.machine.plan.files[request.file].length
            for tier in self.machine.above(self):
                length = tier.longest(length)
            store.exists[request.file] = length
        return store

    def extents(self, request: Request) -> Iterable[Request]:
        """Cut a request at extents."""
        size = self._row.block * self._row.extent
        if 0 < request.high - request.low <= size - request.low % size:
            return (request,)
        return self._cut(request, size)

    def _cut(self, request: Request, size: int) -> Iterator[Request]:
        low = request.low
        while low < request.high:
            high = min(request.high, (low // size + 1) * size)
            yield request.part(low, high)
            low = high

    def read(self, request: Request) -> Steps:
        """Have the blocks here, extent by extent, and bring their bytes up."""
        if request.direct and self.plan.slot == 0:
            yield from self._settled(request)
            yield from self.below.read(request.below(request.low, request.high))
            return
        store = self.store_of(request)
        for piece in self.extents(request):
            yield from read_blocks(self, store, piece)
            if piece.high == request.high and request.sequential and self._row.ahead:
                read_ahead(self, store, piece)
            yield from pass_up(piece)

    def write(self, request: Request) -> Steps:
        """Bring bytes here, extent by extent; and further down unless they may stay."""
        store = self.store_of(request)
        if request.direct and self.plan.slot == 0:
            yield from self._settled(request)
            yield from self.below.write(request.below(request.low, request.high))
            store.write_past(request)
            return
        if self._row.back:
            for piece in self.extents(request):
                yield from Writer(self, store, piece).write()
            return
        for piece in self.extents(request):
            yield from pass_down(piece)
        yield from self.below.write(request.below(request.low, request.high))
        for piece in self.extents(request):
            written_through(store, piece)

    def sync(self, request: Request) -> Steps:
        """Wait until nothing of the file is dirty here, then below."""
        if self._row.back:
            self.store_of(request).counts.syncs += 1
        yield from self._settled(request)
        yield from self.below.sync(request)

    def _settled(self, request: Request) -> Steps:
        """Have all dirty blocks of the file written back."""
        if not self._row.back:
            return
        store = self.store_of(request)
        file = store.blocks.file(request.file)
        store.queue_file(file)
        if file.changed:
            yield from store.wait_for_sync(request.actor, file)

    def close(self, request: Request) -> None:
        """A file that was written is closed."""
        if self._row.back and "close" in self._row.triggers:
            store = self.store_of(request)
            store.queue_file(store.blocks.file(request.file))

    def forget(self, request: Request) -> None:
        """Drop the clean blocks of a file."""
        store = self.store_of(request)
        store.invalidate(store.blocks.file(request.file), 0, 1 << 40)

    def prestage(self, request: Request) -> int:
        """Load as much of a file as fits, outside the clock; return the time it would take."""
        store = self.store_of(request)
        file, size = store.blocks.file(request.file), self._row.block
        loaded = 0
        for number in range(-(-request.high // size)):
            if len(store.blocks.resident) == store.blocks.space:
                break
            block = store.begin_fetch(file, number)
            assert block is not None
            store.end_fetch([block])
            store.counts.prestaged += 1
            loaded += block.valid
        store.counts.prestaged_bytes += loaded
        alone = TierLatencySum()
        pieces = self.extents(request.part(0, loaded))
        return sum(self.below.alone_ns(piece, alone) for piece in pieces)

    def places_of_worker(self, member: int, places: Places) -> Places:
        """Return the places of a write-back from an instance, given those of the last write."""
        if self not in places.known:
            branch = places.undecided().having_branch(self.plan.slot, member)
            places.known[self] = self.machine.deciding(branch, self.below)
        found: Places = places.known[self]
        return found
