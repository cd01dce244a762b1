"""The tables of a machine that is drawn at random, as they grow, and its parts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from simulator.kinds.traits import traits_of
from simulator.plan.parts import GroupPlan, NoisePlan, PartPlan, StorePlan
from simulator.plan.paths import PathPlan, TierPlan
from tests.draws.registry import kinds_for

if TYPE_CHECKING:
    from simulator.kinds.dice import Dice

CLIENT, SERVER, DEVICE, EXTRA = range(4)
"""The groups of a machine, and the places of its paths."""
SPAN = 40_000
"""Addresses of a file on its devices."""


@dataclass
class Machine:
    """The tables of a machine as they grow."""

    dice: Dice
    groups: list[GroupPlan] = field(default_factory=list)
    parts: list[PartPlan] = field(default_factory=list)
    stores: list[StorePlan] = field(default_factory=list)
    tiers: list[TierPlan] = field(default_factory=list)
    paths: list[PathPlan] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    channel_tops: list[int] = field(default_factory=list)
    channel_places: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The groups of the places of those tops that have parts at neither node."""
    local: bool = False
    """The devices are the clients' own."""
    pool_first: bool = True
    """Pools stand before stores on the same node."""
    durable: bool = False
    """There are parts that only syncs use, and calls that are synchronous or direct."""

    def row(self, name: str, way: str = "") -> int:
        """Return the row of a part, or -1."""
        for row, part in enumerate(self.parts):
            if part.name == name and part.way == way:
                return row
        return -1

    def way(self, name: str, way: str) -> int:
        """Return the row of a part in one direction, or of the part if it has none."""
        row = self.row(name, way)
        return row if row >= 0 else self.row(name)

    def column(self, name: str) -> int:
        """Return the column of a name, a new one if need be."""
        if name not in self.columns:
            self.columns.append(name)
        return self.columns.index(name)

    @property
    def places(self) -> tuple[int, ...]:
        """The groups of a path's places."""
        return tuple(range(len(self.groups)))


def draw_kind(dice: Dice, role: str) -> str:
    """Draw a kind of part that may have a role: see :class:`simulator.kinds.traits.PartTraits`."""
    return str(dice.some(*kinds_for(role)))


def add_part(machine: Machine, name: str, group: int, kind: str, **changes: object) -> None:
    """Add a part; ``changes`` are fields of it."""
    dice = machine.dice
    first = sum(part.count for part in machine.parts)
    noise = NoisePlan(run_sd=dice.some(0.0, 0.0, 0.1), request_sd=dice.some(0.0, 0.05, 0.3))
    if dice.maybe(4):
        noise = NoisePlan(exponential=True)
    part = PartPlan(
        name=name,
        kind=kind,
        group=group,
        first=first,
        count=machine.groups[group].count,
        noise=noise,
        latency_ns=dice.some(0, 0, 5, 300),
        column=machine.column(name),
        stream=dice.some("", "", name + "-{i}"),
        **traits_of(kind).drawn(dice),
    )
    machine.parts.append(replace(part, **changes))  # type: ignore[arg-type]
