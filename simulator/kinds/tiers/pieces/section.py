"""A transfer is dealt out in pieces, by the stages that follow."""

from __future__ import annotations

from simulator.config.errors import Path
from simulator.config.lowering.walk import Walk
from simulator.config.quantities import Count, Name
from simulator.config.tier import Tier


class Pieces(Tier):
    """A transfer is dealt out in nearly equal pieces that move at the same time."""

    rank = 7
    of_bytes = True
    synonyms = {"stripes": "pieces", "of": "over"}
    naming = {"over": "stage"}

    pieces: Count
    """Pieces of each transfer; those on one device travel together."""
    over: Name
    """The part whose devices they are dealt out to."""

    def lower(self, walk: Walk, at: Path) -> None:
        """Have the following stages dealt out."""
        walk.io.refuse("transfers are dealt out in pieces", at)
        slot = walk.reach(self.over, (*at, "over"))
        group = walk.tables.groups[walk.places[slot].group]
        around = walk.places[slot].around
        width = group.each if around >= 0 else group.count
        if group.parent < 0 and walk.places[slot].group not in walk.tables.single:
            width = 1  # One on each node: there is nothing to deal out to.
        dealt = {"pieces": self.pieces, "slot": slot, "width": width}
        walk.dealt = dealt if min(self.pieces, width) > 1 else {}
