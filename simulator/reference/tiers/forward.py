"""Forwarding: each member of one group has a member of another group that acts for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.tiers.tier import Alone, Passing, Request

if TYPE_CHECKING:
    from simulator.reference.actor import Steps


class Forward(Passing):
    """Decides a place from another one; members are dealt out in equal rows."""

    def read(self, request: Request) -> Steps:
        """Pass a read on to the member decided."""
        yield from self.below.read(self._forwarded(request))

    def write(self, request: Request) -> Steps:
        """Pass a write on to the member decided."""
        yield from self.below.write(self._forwarded(request))

    def sync(self, request: Request) -> Steps:
        """Pass a sync on to the member decided."""
        yield from self.below.sync(self._forwarded(request))

    def metadata(self, request: Request) -> Steps:
        """Pass a metadata request on to the member decided."""
        yield from self.below.metadata(self._forwarded(request))

    def alone_ns(self, request: Request, alone: Alone) -> int:
        """Return the time below."""
        return self.below.alone_ns(self._forwarded(request), alone)

    def prestage(self, request: Request) -> int:
        """Have the file loaded at the member decided."""
        return self.below.prestage(self._forwarded(request))

    def close(self, request: Request) -> None:
        """Pass it on to the member decided."""
        self.below.close(self._forwarded(request))

    def forget(self, request: Request) -> None:
        """Pass it on to the member decided."""
        self.below.forget(self._forwarded(request))

    def _forwarded(self, request: Request) -> Request:
        slot, by, places = self.plan.slot, self.plan.by, request.places
        member = places.member(by) * places.groups[slot].count // places.groups[by].count
        return request.at(slot, member)
