"""The tiers of one path, and where they keep a file's data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from simulator.config.filesystems import AccessPath
from simulator.config.lowering.ionodes import IoWay
from simulator.config.lowering.locks import Locked
from simulator.config.lowering.tables import Tables
from simulator.config.lowering.walk import FilePlacement, Walk
from simulator.plan import codes
from simulator.plan.coding import Coding
from simulator.plan.paths import PathPlan, TierPlan


@dataclass(frozen=True)
class Block:
    """The tiers of one path; its numbers count from its first tier."""

    tiers: tuple[TierPlan, ...]
    plan: PathPlan
    device: str
    """The part that keeps the files: the last that data pass."""
    width: int
    """Among how many members a file is divided."""
    unit: int
    """Bytes of a stripe; 0 if a file is not divided."""
    placed: FilePlacement | None = None
    """How files are placed if not in turn."""
    around: tuple[int, int] = (1, 1)
    """Over how many of how many nodes a stripe divides a file, if it is placed within nodes."""
    io: IoWay | None = None
    """Where it leads if that is a buffer cache of I/O nodes."""
    locked: Locked | None = None
    """Its locks of files."""

    def stores(self) -> dict[int, tuple[object, ...]]:
        """Return the rows of its stores, each with what decides where its blocks are and go."""
        found: dict[int, tuple[object, ...]] = {}
        tiers = self.tiers[: end_of(self.tiers)]
        for number, tier in enumerate(tiers):
            if tier.kind == codes.STORE:
                stripes = [
                    (t.size, t.width, t.slot, t.data, t.parity)
                    for t in tiers[:number]
                    if t.kind == codes.STRIPE
                ]
                found[tier.row] = (tuple(stripes), tiers[number:], self.plan.places)
        return found

    def striped(self, tables: Tables, stripes: int, size: int) -> Block:
        """Return the path with files divided among so many members, or all if there are fewer.

        A path on which nothing, or more than one tier, divides files is returned as it is.
        """
        ahead = self.tiers[: end_of(self.tiers)]
        own = [number for number, tier in enumerate(ahead) if tier.kind == codes.STRIPE]
        if not stripes or len(own) != 1 or self.io is not None or self.plan.drain >= 0:
            return self
        tier = ahead[own[0]]
        group = tables.groups[self.plan.places[tier.slot]]
        inside = group.parent in self.plan.places[: tier.slot]
        width = min(stripes, group.each if inside else group.count)
        unit = size if width > 1 else tier.size  # A single stripe has all bytes.
        tiers = list(self.tiers)
        tiers[own[0]] = replace(tier, size=unit, width=width)
        return replace(
            self,
            tiers=tuple(tiers),
            width=width,
            unit=unit,
            placed=self.placed and self.placed._replace(unit=unit, width=width),
            around=_around(tables, tiers, self.plan),
        )

    def moved(self, by: int) -> PathPlan:
        """Return the path with its tiers from number ``by`` on."""
        plan = self.plan
        return replace(
            plan,
            top=by,
            metadata=plan.metadata + by if plan.metadata >= 0 else -1,
            drain=plan.drain + by if plan.drain >= 0 else -1,
            first_store=plan.first_store + by if plan.first_store >= 0 else -1,
        )


def block_of(
    tables: Tables,
    tiers: tuple[TierPlan, ...],
    plan: PathPlan,
    way: AccessPath,
    walk: Walk,
) -> Block:
    """Return a path with what follows from its tiers."""
    device, width, unit = "", 1, 0
    for tier in tiers[: end_of(tiers)]:
        if tier.kind == codes.STAGE:
            device = tables.parts[tier.down[-1].part].name
        elif tier.kind == codes.STRIPE:
            width *= Coding.of(tier).columns
            unit = max(unit, tier.size)
    if way.drain is not None:  # What is drained lies where the copy ends.
        device = tables.parts[tiers[-2].down[-1].part].name
    io = walk.io.way
    return Block(
        tiers,
        plan,
        io.raid if io else device,
        width,
        unit,
        walk.placed,
        _around(tables, tiers, plan),
        io,
        walk.locked,
    )


def _around(tables: Tables, tiers: Sequence[TierPlan], plan: PathPlan) -> tuple[int, int]:
    """Return over how many of how many nodes a file is divided whose devices are within nodes.

    That of the last such nodes; (1, 1) where files are not dealt out to these: those of programs.
    """
    found, groups = (1, 1), tables.groups
    decided = {
        tier.slot: tier
        for tier in tiers[: end_of(tiers)]
        if tier.kind in (codes.STRIPE, codes.FORWARD)
    }
    for slot, group in enumerate(plan.places):
        if groups[group].parent not in plan.places[:slot]:
            continue
        node = slot - 1 - plan.places[:slot][::-1].index(groups[group].parent)
        tier = decided.get(node)
        if tier is not None and tier.kind == codes.STRIPE:
            found = tier.width, groups[plan.places[node]].count
        elif tier is None and node > 0:
            found = 1, groups[plan.places[node]].count
    return found


def end_of(tiers: Sequence[TierPlan]) -> int:
    """Return which tier ends the way of data."""
    return next(index for index, tier in enumerate(tiers) if tier.kind == codes.END)
