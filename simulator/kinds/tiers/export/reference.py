"""The tier that answers syncs and changes of metadata."""

from __future__ import annotations

from simulator.reference.actor import Steps
from simulator.reference.tier import PassThroughTier, Request


class Export(PassThroughTier):
    """Answers syncs and changes of metadata, as a server with an ``async`` export does."""

    def sync(self, request: Request) -> Steps:
        """Answer at once."""
        yield from ()

    def metadata(self, request: Request) -> Steps:
        """Answer what changes something; pass on what asks."""
        if not request.changes:
            yield from self.below.metadata(request)
