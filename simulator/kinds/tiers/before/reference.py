"""A question that clients ask before metadata operations."""

from __future__ import annotations

from dataclasses import replace

from simulator.plan.codes import METADATA
from simulator.reference.actor import Steps
from simulator.reference.tier import PassThroughTier, Request


class Before(PassThroughTier):
    """Makes a request of another kind first, and the operation's own once that is answered."""

    def metadata(self, request: Request) -> Steps:
        """Ask, then pass the operation on."""
        asked = self.plan.kinds[METADATA.index(request.operation)]
        if asked >= 0:
            kind = METADATA[asked]
            yield from self.below.metadata(replace(request, operation=kind, other=False))
        yield from self.below.metadata(request)
