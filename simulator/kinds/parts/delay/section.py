"""Delays: a time that each request takes, however many there are."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import Timed, services
from simulator.config.rates import Times
from simulator.config.ratetables import SizedRates
from simulator.config.section import default
from simulator.config.sources import FREE
from simulator.kinds.dice import Dice
from simulator.units import Nanoseconds


class Delay(Timed):
    """A time that each request takes, without waiting for others."""

    what = "fixed delay"
    fails = True
    order = "all"
    busy = False
    many = True
    roles = {"port": 1, "stage": 1, "work": 2, "sync": 1}

    kind: Literal["delay"]
    """Which kind of part this is."""
    overhead: Times = default(Nanoseconds(0), FREE)
    """Time of each request beside that of its bytes, or one for reading and one for writing."""
    rate: SizedRates | None = None
    """Rate of the bytes, or rates by the size of a request, or one of these for reading and one for
    writing; none: they cost nothing."""

    def row(self) -> dict[str, Any]:
        """Return its service."""
        return dict(services(self.rate, self.overhead))

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a service, of what writes it another one at times, and servers."""
        writes = dice.service(points=True) if dice.maybe(30) else None
        return {
            "service": dice.service(points=True),
            "writes": writes,
            "servers": dice.some(1, 1, 2, 3),
        }
