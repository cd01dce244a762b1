"""A pool, of which a request keeps a server until its answer goes back."""

from __future__ import annotations

from simulator.config.errors import Path
from simulator.config.lowering.walk import Walk
from simulator.config.quantities import Name
from simulator.config.tier import Tier
from simulator.kinds.tiers.work.section import add_work


class Keep(Tier):
    """A pool, of which a request keeps a server until its answer goes back."""

    rank = 5
    naming = {"hold": "hold"}

    hold: Name
    """The pool."""

    def lower(self, walk: Walk, at: Path) -> None:
        """Add the pool."""
        add_work(walk, self.hold, (*at, "hold"), hold=True)
