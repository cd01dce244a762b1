"""A RAID unit: disks as one volume, a cache of its own, and the bus in front of it.

Both queues are first come, first served. A request joins the second when the first has served it,
so that when it ends may not be known when it is made: that is a :class:`Moment`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush

from simulator.kinds.parts.raid.spec import RaidSpec
from simulator.plan.errors import within
from simulator.reference.part import Part
from simulator.reference.stores.slots import Moment, Slots, When, known, least_ns
from simulator.result.result import PartResult


@dataclass(slots=True)
class Server:
    """The disks, or the bus."""

    name: str
    free_ns: int = 0
    """When it has served what has joined it,"""
    busy_ns: int = 0
    """and for how long it has served."""


class Raid(Part):
    """The unit belongs to the buffer cache in front of it, which says what its blocks are."""

    def attach(self, block: int, blocks: int) -> None:
        """Serve so many blocks of ``block`` bytes; the cache has no room for more."""
        self.spec: RaidSpec = self.plan.spec
        self.block = block
        self.slots = Slots(min(blocks, self.spec.cache // block))
        self.disks, self.bus = map(Server, self.plan.traits.queues)
        self.reads = self.writes = self.hits = 0
        self.read_bytes = self.written_bytes = 0
        self._head = 0
        self._number = 0
        self._moments: list[Moment] = []
        """Those that are not known yet, as a heap: of equal times, the one asked for first."""

    def read(self, now_ns: int, block: int) -> When:
        """Read a block; return when it has crossed the bus."""
        self.reads += 1
        self.read_bytes += self.block
        self.requests += 1
        slot = self.slots.use(block)
        if slot is not None:
            self.hits += 1
        else:
            slot = self.slots.take(block)
            slot.ready = self._enter(self.disks, now_ns, block, self.block, slot.clean)
            slot.clean = slot.ready
        return self._enter(self.bus, now_ns, block, self.block, slot.ready)

    def write(self, now_ns: int, begin: When, block: int, size: int) -> When:
        """Write bytes of a block that is there at a time; return when the unit's cache has them."""
        self.writes += 1
        self.written_bytes += size
        self.requests += 1
        clean: When = 0
        slot = self.slots.use(block)
        if slot is None:
            slot = self.slots.take(block)
            clean = slot.clean
        slot.ready = self._enter(self.bus, now_ns, block, size, begin, clean)
        slot.clean = self._enter(self.disks, now_ns, block, size, slot.ready)
        return slot.ready

    # -- queues -----------------------------------------------------------------------------------

    def advance(self, now_ns: int) -> None:
        """Queue what joins the disks and the bus up to a time, in the order of these times."""
        while self._moments and self._moments[0].at_ns <= now_ns:
            one = heappop(self._moments)
            was_ns, takes_ns = one.at_ns, one.end_ns - one.at_ns
            one.at_ns = max(was_ns, *map(least_ns, one.after))
            one.end_ns = one.at_ns + takes_ns
            if not all(map(known, one.after)) or (one.serve and one.at_ns > was_ns):
                heappush(self._moments, one)
                continue
            if one.serve is not None:
                one.end_ns = one.serve(was_ns)
            one.known, one.after = True, ()

    def finish(self) -> None:
        """Queue all that was asked for."""
        while self._moments:
            self.advance(self._moments[0].at_ns)

    def later(self, one: When, other: When) -> When:
        """Return the later of two times."""
        least = max(least_ns(one), least_ns(other))
        if known(one) and least_ns(other) == least:
            return other
        if known(other) and least_ns(one) == least:
            return one
        return self._at(least, (one, other))

    def _enter(
        self, server: Server, now_ns: int, block: int, size: int, one: When, other: When = 0
    ) -> When:
        """Have bytes of a block join a server at the later of two times; return when it ends."""
        least = max(now_ns, least_ns(one), least_ns(other))
        serve = partial(self._serve, server, block, size)
        if least == now_ns and known(one) and known(other):
            return serve(now_ns)
        return self._at(least, (one, other), serve, self._service_ns(server, size))

    def _at(
        self,
        least_ns: int,
        after: tuple[When, When],
        serve: Callable[[int], int] | None = None,
        takes_ns: int = 0,
    ) -> Moment:
        """Return a moment after two others, and after serving something, which takes a time."""
        self._number += 1
        end_ns = within(least_ns + takes_ns, self.name)
        moment = Moment(least_ns, self._number, end_ns, after, serve)
        heappush(self._moments, moment)
        return moment

    def _serve(self, server: Server, block: int, size: int, now_ns: int) -> int:
        """Queue a request at the disks or the bus; return when it ends."""
        start = max(now_ns, server.free_ns)
        service = self._service_ns(server, size)
        if server is self.disks:
            continues, paused = block == self._head, start > server.free_ns
            service = self.spec.media_ns(size, continues=continues, paused=paused)
            self._head = block + 1
        server.busy_ns += service
        server.free_ns = within(start + service, self.name)
        self.note(start, service, size, server.name)
        return server.free_ns

    def _service_ns(self, server: Server, size: int) -> int:
        """Return what a request takes at the bus, or at the disks at least."""
        if server is self.bus:
            return self.spec.bus_ns(size)
        return self.spec.media_ns(size, continues=True, paused=False)

    def result(self) -> PartResult:
        """Return what its disks did."""
        if self.requests:
            self.bytes = self.read_bytes + self.written_bytes
            self.busy_ns = self.disks.busy_ns
        return super().result()
