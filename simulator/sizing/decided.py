"""What decides an answer beside its targets: limits of what is bought, and what cheaper ones lack.

Not limits here: rooms and bays, of which as many are bought as are needed, and the price.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from simulator.sizing.ledger import ports_of

if TYPE_CHECKING:
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.sized import Sized
    from simulator.sizing.targets import Measured

Unit = Literal["bytes", "W", "U", "ports"]


class Limit(NamedTuple):
    """A limit of a configuration, and how much of it is taken."""

    name: str
    unit: Unit
    most: float
    used: float

    @property
    def margin(self) -> float:
        """What is left, as a part of the limit."""
        return 1 - self.used / self.most


def limits(sized: Sized, one: Configuration) -> Iterator[Limit]:
    """Yield the limits of a configuration: files, wear, power, rack units, ports."""
    offer, requirement = sized.offer, sized.requirement
    if one.usable:
        yield Limit("files of all loads", "bytes", one.usable, offer.stored(one))
    for item, written in offer.wear(one):
        endurance = requirement.catalogue[item].endurance or 0
        yield Limit(f"writes to each {item}, a day", "bytes", endurance, written)
    budget = requirement.budget
    if budget is not None and budget.power:
        yield Limit("power", "W", budget.power, one.power)
    if requirement.rack_units:
        yield Limit("rack units", "U", requirement.rack_units, one.height)
    machine = sized.evaluator.loads.loads[0].prepared.load(one.settings)[0]
    serving = [requirement.catalogue[item].serves for item in one.pieces]
    # One that serves one is bought for each: that leaves nothing, and decides nothing.
    for name in dict.fromkeys(name for each in serving for name in each if each[name] > 1):
        there = one.pieces.get(name, 0)
        if name in machine.parts:
            there = machine.tables.devices(name)
        if (ports := ports_of(offer, one, name)) is not None and there:
            yield Limit(f"ports for {name}", "ports", ports[0], there)


def binding(sized: Sized, one: Configuration) -> Measured | Limit:
    """Return what has the least to spare of all targets and limits; a target, if one is missed."""
    target = sized.binding(one)
    least = min(limits(sized, one), key=lambda each: each.margin, default=None)
    return target if least is None or sized.spare(target) <= max(0.0, least.margin) else least


def cheaper(sized: Sized) -> list[Configuration]:
    """Return what would be cheaper than the answer: by each choice alone, and the next one of all.

    That is the next one which can be built, or was looked at; of several at its price the one that
    is nearest to what is asked for.
    """
    winner, offer = sized.winner, sized.offer
    if winner is None:
        return []
    found: dict[int, Configuration] = {}
    for index, levels in enumerate(offer.levels):
        places, steps = [*offer.places_of(winner.number)], []
        for places[index] in range(len(levels)):
            steps.append(offer.configuration(offer.lattice.number(places)))
        less = [one for one in steps if one.order < winner.order]
        found |= {one.number: one for one in sorted(less, key=lambda one: one.order)[-1:]}
    before = [one for one in sized.order if one.cost < winner.cost]
    most, known = max((one.cost for one in before), default=None), sized.known
    following = [one for one in before if one.cost == most and one.number in known]
    following.sort(key=lambda one: known[one.number].slack)
    return [*(found | {one.number: one for one in following[-1:]}).values()]
