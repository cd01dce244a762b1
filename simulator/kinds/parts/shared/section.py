"""Processor sharing: all transfers under way share the rate equally."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import BOTH, READ, WRITE, Device, Duplex, services
from simulator.config.rates import EachWay, Load, RateByLoad, Times
from simulator.config.section import default
from simulator.config.sources import FREE, ONE_WAY
from simulator.kinds.dice import Dice
from simulator.units import Nanoseconds

SPEED_ONE = 1 << 20
"""What is written as 1.0 in ``PartPlan.speeds``."""


class Shared(Device):
    """A link or device whose rate all transfers share equally; it may depend on their number."""

    alone = True
    fails = True
    synonyms = {"sharing": "rate"}
    what = "shared by all transfers in progress"
    order = "shared"
    roles = {"stage": 2, "work": 1, "device": 1, "sync": 1}

    kind: Literal["shared"]
    """Which kind of part this is."""
    rate: Load
    """All transfers together; or the total by their number, linear between the numbers given; or
    one of these for reading and one for writing."""
    overhead: Times = default(Nanoseconds(0), FREE)
    """What a transfer takes beside its bytes, which is shared as they are; or one time for reading
    and one for writing."""
    duplex: Duplex = default("half", ONE_WAY)
    """All transfers share it (``half``), or those in each direction what that has (``full``)."""

    def row_at(self, way: str, group: str) -> dict[str, Any]:
        """Return services and speeds in a direction, relative to those of a transfer alone."""
        del group
        rates = EachWay(self.rate.way(READ).alone, self.rate.way(WRITE).alone)
        fields: dict[str, Any] = dict(services(rates, self.overhead, way))
        fields["speeds"] = _speeds(self.rate.way(way))
        writes = _speeds(self.rate.way(WRITE))
        if way == BOTH and writes != fields["speeds"]:
            fields |= {"writes": services(rates, self.overhead, WRITE)["service"]}
        if "writes" in fields:
            fields["write_speeds"] = writes
        return fields

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a service, and speeds that depend on how many transfers there are."""
        made: dict[str, Any] = {"service": dice.service()}
        made["speeds"] = _drawn_speeds(dice) if dice.maybe() else ()
        if dice.maybe(40):
            made["writes"] = dice.service()
            made["write_speeds"] = _drawn_speeds(dice) if dice.maybe() else ()
        return made


def _drawn_speeds(dice: Dice) -> tuple[int, ...]:
    one = SPEED_ONE
    return 0, *(dice.some(one, one // 2, one // 3, 2 * one) for _ in range(dice.int(1, 5)))


def _speeds(rate: RateByLoad) -> tuple[int, ...]:
    """Return what n transfers get together, in units of a transfer alone; empty: all of it."""
    alone, rates = rate.alone, rate.rates()
    if all(one == alone for one in rates):
        return ()
    return (SPEED_ONE, *(max(1, round(SPEED_ONE * one / alone)) for one in rates))
