"""A node hands its requests to one of another group, such as an I/O node."""

from __future__ import annotations

from simulator.config.errors import Path
from simulator.config.lowering.walk import Walk
from simulator.config.quantities import Name
from simulator.config.tier import Tier
from simulator.plan.codes import FORWARD


class Forward(Tier):
    """A node hands its requests to one of another group: nodes in order, equally many to each."""

    rank = 8
    naming = {"forward": "group"}

    forward: Name
    """The group, such as that of I/O nodes."""

    def lower(self, walk: Walk, at: Path) -> None:
        """Go on at a member of the group that follows from the place where the request is."""
        walk.dealt = {}
        walk.io.refuse("requests are forwarded", at)
        slot = walk.new_place(walk.tables.group_of[self.forward])
        if slot != walk.here:  # It is where the request is already, if there is only one.
            walk.add(FORWARD, slot=slot, by=walk.here)
        walk.decided, walk.decided_at = slot, at
