"""A part that only requests pass that have to be durable."""

from __future__ import annotations

from simulator.reference.actor import Steps
from simulator.reference.part import take
from simulator.reference.tier import PassThroughTier, Request


class Commit(PassThroughTier):
    """A part that syncs and changes of metadata use on their way down; others pass it by."""

    def sync(self, request: Request) -> Steps:
        """Commit, then pass the sync on."""
        yield from self._commit(request)
        yield from self.below.sync(request)

    def metadata(self, request: Request) -> Steps:
        """Commit what changes something, then pass it on."""
        if request.changes:
            yield from self._commit(request)
        yield from self.below.metadata(request)

    def _commit(self, request: Request) -> Steps:
        yield from take(request.actor, [[self.use(self.plan.down[0], request, request.size)]])
