"""A walk along a path, from a program down to a device: it keeps track of where a request is.

A *place* is one node or device that the request concerns; place 0 is the program's node. A network
leads from the place where the request is to another one; what a stage names must be where it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import TYPE_CHECKING

from simulator.config.errors import Path
from simulator.config.lowering.ionodes import IoNodes
from simulator.config.lowering.route import Place, Route
from simulator.config.lowering.tables import Tables
from simulator.config.part import WRITE
from simulator.config.tier import Step, Tier, WalkError
from simulator.plan.codes import STAGE
from simulator.plan.paths import Hold, TierPlan

if TYPE_CHECKING:
    from simulator.kinds.tiers.locks.section import Locked
    from simulator.kinds.tiers.stripe.section import Placed


class Walk(Route):
    """The tiers and places of one path so far, and where the request is."""

    def __init__(self, tables: Tables, places: list[Place], here: int = 0) -> None:
        super().__init__(tables, places, here)
        self.header = 0
        """Bytes of the messages of a stage that does not say them."""
        self.first_store = -1
        """The first store before a request is divided."""
        self.dealt: dict[str, int] = {}
        """How the stages that follow are dealt out: fields of their tiers."""
        self.stripes: list[int] = []
        """The places that stripes have decided."""
        self._met: set[str] = set()
        """Stores and pools so far."""
        self.kept_on: set[tuple[str, int]] = set()
        """Parts, and their places, that keep what a write-back or a copy reads: it reads them too,
        and a fetch writes them."""
        self.placed: Placed | None = None
        """How files are placed if not in turn."""
        self.io = IoNodes()
        self.locked: Locked | None = None
        """Its locks of files."""

    def go(self, tiers: Iterable[Tier], at: Path) -> None:
        """Carry out tiers in order; ``at`` is the place of their list in the file."""
        steps: list[Step] = []
        for index, tier in enumerate(tiers):
            steps += tier.steps((*at, index))
        caches = self.tables.machine.buffer_caches
        self.io.ahead = next((n for one in steps for n in one.names if n in caches), "")
        for number, step in enumerate(steps):
            step.lower(self, [name for later in steps[number + 1 :] for name in later.names])
        self.io.finish(at)
        if self.decided is not None and not (self.arriving and self.free):
            group = self.group_name(self.decided)
            about = f"no network leads to {group} after this; write one, like '[nic]', after it"
            raise WalkError(self.decided_at, about)

    def last_parts(self) -> set[tuple[str, int]]:
        """Return the parts, and their places, of the stages since the last tier that is none."""
        parts, stages = self.tables.parts, takewhile(_is_stage, reversed(self.tiers))
        return {(parts[one.part].name, one.slot) for tier in stages for one in tier.down}

    def use(self, name: str, at: Path) -> Hold:
        """Return a part that must be where the request is, as requests use it on their way down."""
        return self.hold(name, self.reach(name, at), WRITE)

    def meet(self, name: str, at: Path, why: str) -> None:
        """Refuse a store or pool that a request has met already."""
        if name in self._met:
            raise WalkError(at, f"{name} is on this path twice: {why}; leave one out")
        self._met.add(name)


def _is_stage(tier: TierPlan) -> bool:
    return tier.kind == STAGE
