"""Processor sharing: all transfers under way share the rate equally."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import BOTH, READ, WRITE, Device, Duplex
from simulator.config.rates import Times, time_of
from simulator.config.ratetables import Load, LoadEachWay, RateBySize, RateTable
from simulator.config.section import check, default
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
    """All transfers together; or the total by their number, linear between the numbers given; or by
    their size; or one of these for reading and one for writing."""
    overhead: Times = default(Nanoseconds(0), FREE)
    """What a transfer takes beside its bytes, which is shared as they are; or one time for reading
    and one for writing."""
    duplex: Duplex = default("half", ONE_WAY)
    """All transfers share it (``half``), or those in each direction what that has (``full``)."""

    @check("rate")
    @staticmethod
    def _one_of_both(rate: RateTable | LoadEachWay) -> None:
        tables = (rate.way(READ), rate.way(WRITE))
        if any(isinstance(one, RateBySize) and one.by_number for one in tables):
            about = "is by size and by number, which a 'disk' or 'ssd' may be"
            raise ValueError(f"{about}; write one of both")

    def row_at(self, way: str, group: str) -> dict[str, Any]:
        """Return services and speeds in a direction, relative to those of a transfer alone."""
        del group
        alone = {
            one: self.rate.way(one).services(time_of(self.overhead, one))[0]
            for one in (READ, WRITE)
        }
        if way != BOTH:
            return {"service": alone[way], "speeds": _speeds(self.rate.way(way))}
        read, write = (_speeds(self.rate.way(one)) for one in (READ, WRITE))
        fields: dict[str, Any] = {"service": alone[READ], "speeds": read}
        if alone[READ] != alone[WRITE] or read != write:
            fields |= {"writes": alone[WRITE], "write_speeds": write}
        return fields

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a service, and speeds that depend on how many transfers there are."""
        made: dict[str, Any] = {"service": dice.service(points=True)}
        made["speeds"] = _drawn_speeds(dice) if dice.maybe() else ()
        if dice.maybe(40):
            made["writes"] = dice.service(points=True)
            made["write_speeds"] = _drawn_speeds(dice) if dice.maybe() else ()
        return made


def _drawn_speeds(dice: Dice) -> tuple[int, ...]:
    one = SPEED_ONE
    return 0, *(dice.some(one, one // 2, one // 3, 2 * one) for _ in range(dice.int(1, 5)))


def _speeds(rate: RateTable) -> tuple[int, ...]:
    """Return what n transfers get together, in units of a transfer alone; empty: all of it."""
    if isinstance(rate, RateBySize):
        return ()
    alone, rates = rate.alone, rate.rates()
    if all(one == alone for one in rates):
        return ()
    return (SPEED_ONE, *(max(1, round(SPEED_ONE * one / alone)) for one in rates))
