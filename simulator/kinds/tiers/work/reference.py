"""What a part or server does for each request on its way down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.plan.codes import METADATA
from simulator.reference.part import take
from simulator.reference.tier import Alone, Passing, Request

if TYPE_CHECKING:
    from simulator.reference.actor import Steps


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
        yield from self._work(request, self._cost_ns(request))
        yield from self.below.metadata(request)

    def _work(self, request: Request, cost_ns: int = -1) -> Steps:
        asked = self.use(self.plan.down[0], request, request.size, cost_ns=cost_ns)
        yield from take(request.actor, [[asked]])

    def _cost_ns(self, request: Request) -> int:
        """Return what a metadata request takes by its kind; -1: the part's own service."""
        costs = self.plan.costs
        known = costs and request.operation >= 0
        return costs[METADATA.index(request.operation)] if known else -1

    def alone_ns(self, request: Request, alone: Alone) -> int:
        """Return the work and the time below."""
        part, load = self.use(self.plan.down[0], request, request.size)
        service = part.alone_ns(load, first=part.name not in alone.used)
        alone.used.add(part.name)
        return service + self.below.alone_ns(request, alone)
