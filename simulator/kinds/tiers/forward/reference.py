"""A node hands its requests to a member of another group, which follows from its own number."""

from __future__ import annotations

from simulator.reference.tier import PassThroughTier, Request


class Forward(PassThroughTier):
    """Decides a place from another one; members are dealt out in equal rows."""

    decides = True

    def passed(self, request: Request) -> Request:
        """Return the request to the member decided."""
        slot, by, places = self.plan.slot, self.plan.by, request.places
        member = places.member(by) * places.groups[slot].count // places.groups[by].count
        return request.at(slot, member)
