"""What files lie on: the devices behind each file system, and erasure codes over these."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.config.amounts import Redundancy
from simulator.plan.codes import END, STAGE

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.plan.parts import PartPlan
    from simulator.plan.paths import TierPlan


def on_which(machine: Machine) -> set[str]:
    """Return the parts that files lie on: the devices behind each file system."""
    return {name for tiers in _ways(machine) for name in ends(tiers, machine.tables.parts)}


def codes_of(machine: Machine) -> dict[str, Redundancy]:
    """Return the parts that files with an erasure code lie on, each with the code."""
    return {
        name: Redundancy(tier.data, tier.parity)
        for tiers in _ways(machine)
        for tier in tiers
        if tier.parity
        for name in sorted(ends(tiers, machine.tables.parts))
    }


def under(own: Redundancy, code: Redundancy) -> Redundancy:
    """Return the group of pieces that each member of an erasure code has so many of.

    >>> str(under(Redundancy(6, 2), Redundancy(2, 1)))
    '12+12'
    """
    data = own.data * code.data
    return Redundancy(data, own.group * code.group - data)


def _ways(machine: Machine) -> Iterator[list[TierPlan]]:
    """Yield the tiers of data of each path."""
    for name, system in machine.filesystems.items():
        for path in system.ways():
            tiers = machine.ways.block(name, path, 0).tiers
            yield [*itertools.takewhile(lambda tier: tier.kind != END, tiers)]


def ends(tiers: Sequence[TierPlan], parts: Sequence[PartPlan]) -> set[str]:
    """Return the media that tiers use; if there are none, the parts of the last stage."""
    stages = [[parts[hold.part] for hold in tier.down] for tier in tiers if tier.kind == STAGE]
    media = {part.name for stage in stages for part in stage if part.traits.medium}
    return media or {part.name for stage in stages[-1:] for part in stage}
