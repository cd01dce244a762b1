"""Stripes: a file is divided among the members of a group."""

from __future__ import annotations

from typing import Annotated, Literal

from simulator.config.amounts import Group, Redundancy
from simulator.config.errors import Path
from simulator.config.lowering.walk import ROUND_ROBIN, FilePlacement, Walk
from simulator.config.quantities import ALL, Name, Size, Width
from simulator.config.section import Called, check, default
from simulator.config.tier import Tier, WalkError
from simulator.plan.codes import STRIPE
from simulator.units import LARGEST, format_size

Placement = Annotated[Literal["round-robin", "lustre", "random", "least-used"], Called("placement")]


class Stripe(Tier):
    """Stripes: units of a file in turn on members of a group, each of which keeps one object."""

    rank = 6
    of_bytes = True
    synonyms = {"width": "over", "count": "over", "on": "of", "chunk": "stripe"}
    naming = {"of": "members", "encode": "work"}
    later = frozenset(("redundancy", "encode"))

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

    redundancy: Group | None = None
    """An erasure code over the members: 8+2 has two parities for eight units of data, ``mirror`` a
    copy of each. ``over`` counts both, and is a multiple of them."""
    encode: Name | None = None
    """The part that computes the code of what is written, and of what is away; none: free."""

    @check("redundancy")
    @staticmethod
    def _has_parity(redundancy: Redundancy) -> None:
        if not redundancy.parity:
            raise ValueError(
                f"{redundancy} has no parity; write '{redundancy.data}+1', or leave it out"
            )

    @check("encode")
    @staticmethod
    def _has_code(_: Name, redundancy: Redundancy | None) -> None:
        if redundancy is None:
            raise ValueError("there is no code to compute; write 'redundancy: 8+2' too")

    def lower(self, walk: Walk, at: Path) -> None:
        """Divide files over the members."""
        walk.dealt = {}
        worker = () if self.encode is None else (walk.use(self.encode, (*at, "encode")),)
        slot, members = walk.members(self.of, at)
        if self.over > members:
            about = f"{self.over} is more than the {members} of {self.of}"
            raise WalkError((*at, "over"), f"{about}; write {members} or less, or all")
        width = members if self.over == ALL else self.over
        if self.stripe * width > LARGEST:
            about = f"{width} of {format_size(self.stripe)} are 2**62 bytes or more"
            most = format_size(1 << (LARGEST // width).bit_length() - 1)
            raise WalkError((*at, "stripe"), f"{about}; write {most} or less")
        code = self._code(walk, width, at)
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
        walk.add(STRIPE, size=self.stripe, width=width, slot=slot, down=worker, **code)

    def _code(self, walk: Walk, width: int, at: Path) -> dict[str, int]:
        """Return the numbers of its code, if it has one."""
        if self.redundancy is None:
            return {}
        group, where = self.redundancy.group, (*at, "redundancy")
        if walk.io.ahead or walk.stripes:
            what = f"files behind {walk.io.ahead}" if walk.io.ahead else "stripes within stripes"
            raise WalkError(where, f"{what} have no erasure code; leave this out")
        if self.placement == "least-used":
            about = "with a code parity takes room, too; write 'placement: round-robin'"
            raise WalkError((*at, "placement"), about)
        if width % group:
            about = f"{self.redundancy} takes {group} members, or a multiple, and these are {width}"
            most = width // group * group
            cure = f"write 'over: {most}'" if most else f"write 'redundancy: {max(width - 1, 1)}+1'"
            raise WalkError((*at, "over") if most else where, f"{about}; {cure}")
        return {"data": self.redundancy.data, "parity": self.redundancy.parity}
