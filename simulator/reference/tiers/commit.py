"""What only requests pass that have to be durable: a journal; and where they are answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.tiers.taking import take
from simulator.reference.tiers.tier import Alone, Passing, Request
from simulator.reference.tiers.work import Work

if TYPE_CHECKING:
    from simulator.reference.actor import Steps


class Commit(Work):
    """A part that syncs and changes of metadata use on their way down; others pass it by."""

    def alone_ns(self, request: Request, alone: Alone) -> int:
        """Return the time of a read below."""
        return self.below.alone_ns(request, alone)

    def read(self, request: Request) -> Steps:
        """Pass a read on."""
        yield from self.below.read(request)

    def write(self, request: Request) -> Steps:
        """Pass a write on."""
        yield from self.below.write(request)

    def metadata(self, request: Request) -> Steps:
        """Commit what changes something, then pass it on."""
        if request.changes:
            yield from take(request.actor, [[(self._part(request), self._load(request))]])
        yield from self.below.metadata(request)


class Export(Passing):
    """Answers syncs and changes of metadata, as a server with an ``async`` export does."""

    def sync(self, request: Request) -> Steps:
        """Answer at once."""
        yield from ()

    def metadata(self, request: Request) -> Steps:
        """Answer what changes something; pass on what asks."""
        if not request.changes:
            yield from self.below.metadata(request)
