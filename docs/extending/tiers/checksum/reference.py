"""Checksums: the part works before what is written goes on, and after what is read has come."""

from simulator.reference.actor import Steps
from simulator.reference.part import take
from simulator.reference.tier import PassThroughTier, Request


class Checksum(PassThroughTier):
    def read(self, request: Request) -> Steps:
        yield from self.below.read(request)
        yield from self._summed(request)

    def write(self, request: Request) -> Steps:
        yield from self._summed(request)
        yield from self.below.write(request)

    def _summed(self, request: Request) -> Steps:
        size = self.plan.spec.summed(request.low, request.high)
        yield from take(request.actor, [[self.use(self.plan.down[0], request, size)]])
