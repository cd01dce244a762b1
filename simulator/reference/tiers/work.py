"""Work that a part does for each request on its way down, such as that of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.part import Load
from simulator.reference.tiers.taking import take
from simulator.reference.tiers.tier import Alone, Passing, Request

if TYPE_CHECKING:
    from simulator.reference.actor import Steps
    from simulator.reference.part import Part


class Work(Passing):
    """A request of as many bytes as are read or written."""

    def read(self, request: Request) -> Steps:
        """Work, then pass the read on."""
        yield from self._work(request)
        yield from self.below.read(request)

    def write(self, request: Request) -> Steps:
        """Work, then pass the write on."""
        yield from self._work(request)
        yield from self.below.write(request)

    def sync(self, request: Request) -> Steps:
        """Work, then pass the sync on."""
        yield from self._work(request)
        yield from self.below.sync(request)

    def metadata(self, request: Request) -> Steps:
        """Work, then pass the metadata request on."""
        yield from self._work(request)
        yield from self.below.metadata(request)

    def _work(self, request: Request) -> Steps:
        yield from take(request.actor, [([self._part(request)], self._load(request))])

    def _part(self, request: Request) -> Part:
        return self.part_of(self.plan.down[0], request)

    def _load(self, request: Request) -> Load:
        base = self.machine.plan.files[request.file].base if request.file >= 0 else 0
        return Load(request.size, request.file, (base + request.low, base + request.high))

    def alone_ns(self, request: Request, alone: Alone) -> int:
        """Return the work and the time below."""
        part = self._part(request)
        service = part.alone_ns(self._load(request), first=part.name not in alone.used)
        alone.used.add(part.name)
        return service + self.below.alone_ns(request, alone)
