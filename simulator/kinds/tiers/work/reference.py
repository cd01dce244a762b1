"""Work of a part or server for each request on its way down."""

from __future__ import annotations

from simulator.plan.codes import METADATA
from simulator.reference.actor import Steps
from simulator.reference.part import take
from simulator.reference.tier import PassThroughTier, Request, TierLatencySum


class Work(PassThroughTier):
    """A request of as many bytes as are read or written."""

    def around(self, request: Request, below: Steps) -> Steps:
        """Work, then pass a request on."""
        cost_ns = self._cost_ns(request)
        asked = self.use(self.plan.down[0], request, request.size, cost_ns=cost_ns)
        yield from take(request.actor, [[asked]])
        yield from below

    def _cost_ns(self, request: Request) -> int:
        """Return what a metadata request takes by its kind; -1: the part's own service."""
        costs = self.plan.costs
        if not costs or request.operation < 0:
            return -1
        place = METADATA.index(request.operation)
        other = request.other and len(costs) > len(METADATA)
        return costs[place + len(METADATA) * other]

    def alone_ns(self, request: Request, alone: TierLatencySum) -> int:
        """Return the work and the time below."""
        part, load = self.use(self.plan.down[0], request, request.size)
        service = part.alone_ns(load, first=part.name not in alone.used)
        alone.used.add(part.name)
        return service + self.below.alone_ns(request, alone)
