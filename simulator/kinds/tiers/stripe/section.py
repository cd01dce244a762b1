"""Stripes: a file is divided among the members of a group."""

from __future__ import annotations

from typing import Annotated, Literal

from simulator.config.errors import Path
from simulator.config.lowering.walk import ROUND_ROBIN, FilePlacement, Walk
from simulator.config.quantities import ALL, Name, Size, Width
from simulator.config.section import Called, default
from simulator.config.tier import Tier, WalkError
from simulator.plan.codes import STRIPE
from simulator.units import LARGEST, format_size

Placement = Annotated[Literal["round-robin", "lustre", "random", "least-used"], Called("placement")]


class Stripe(Tier):
    """Stripes: units of a file in turn on members of a group, each of which keeps one object."""

    rank = 6
    of_bytes = True
    synonyms = {"width": "over", "count": "over", "on": "of", "chunk": "stripe"}
    naming = {"of": "members"}

    stripe: Size
    """Bytes of one stripe (chunk)."""
    over: Width = default(ALL, "neutral: all members")
    """How many members."""
    of: Name
    """The group of nodes, or the part with a count."""
    placement: Placement = default(
        "round-robin", "Lustre and BeeGFS take targets in turn as long as all are about as full"
    )
    """Where files begin: at one member after the other (``round-robin``), behind the members of
    the file before (``lustre``, as its allocator has it), at one drawn for each (``random``), or
    where the fewest bytes lie so far (``least-used``). The other stripes of a file follow in turn;
    members that follow each other are in different nodes."""

    def lower(self, walk: Walk, at: Path) -> None:
        """Divide files over the members."""
        walk.dealt = {}
        slot, members = walk.members(self.of, at)
        if self.over > members:
            about = f"{self.over} is more than the {members} of {self.of}"
            raise WalkError((*at, "over"), f"{about}; write {members} or less, or all")
        width = members if self.over == ALL else self.over
        if self.stripe * width > LARGEST:
            about = f"{width} of {format_size(self.stripe)} are 2**62 bytes or more"
            most = format_size(1 << (LARGEST // width).bit_length() - 1)
            raise WalkError((*at, "stripe"), f"{about}; write {most} or less")
        if walk.io.ahead:
            if self.placement != ROUND_ROBIN:
                about = f"files behind {walk.io.ahead} begin at node 0; leave this out"
                raise WalkError((*at, "placement"), about)
            walk.io.stripe(self.stripe, width, at)
            return
        walk.stripes.append(slot)
        if self.placement != ROUND_ROBIN:
            if walk.placed is not None:
                about = "files begin where another stripe says already; write one placement"
                raise WalkError((*at, "placement"), about)
            walk.placed = FilePlacement(self.placement, members, self.stripe, width)
        walk.add(STRIPE, size=self.stripe, width=width, slot=slot)
