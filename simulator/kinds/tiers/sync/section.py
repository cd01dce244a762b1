"""The part that makes data durable, which only syncs and changes of metadata use."""

from __future__ import annotations

from simulator.config.errors import Path
from simulator.config.lowering.walk import Walk
from simulator.config.quantities import Name
from simulator.config.tier import Tier
from simulator.plan.codes import COMMIT


class Commit(Tier):
    """A part that syncs, and changes of metadata, use on their way down; others pass it by."""

    rank = 10
    synonyms = {"commit": "sync", "journal": "sync"}
    naming = {"sync": "sync"}

    sync: Name
    """The part: a journal, or a queue, delay, shared part or disk that each sync uses alone."""

    def lower(self, walk: Walk, at: Path) -> None:
        """Add the part."""
        walk.add(COMMIT, down=(walk.use(self.sync, (*at, "sync")),))
