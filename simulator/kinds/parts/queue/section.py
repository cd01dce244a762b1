"""Queues: equal servers with one queue, first come first served."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import Device, Duplex, services
from simulator.config.quantities import Count
from simulator.config.rates import Times
from simulator.config.ratetables import SizedRates
from simulator.config.section import default
from simulator.config.sources import FREE, ONE_WAY, SINGLE
from simulator.kinds.dice import Dice
from simulator.units import Nanoseconds


class Queue(Device):
    """Equal servers with one queue, first come, first served; the rate is that of each server."""

    synonyms = {"channels": "servers"}
    what = "first come, first served"
    many = True
    fails = True
    roles = {"port": 3, "stage": 2, "work": 2, "device": 1, "sync": 2, "pool": 1, "lane": 1}

    kind: Literal["queue"]
    """Which kind of part this is."""
    servers: Count = default(1, SINGLE)
    """Requests that it serves at one time; with ``duplex: full`` so many in each direction."""
    rate: SizedRates | None = None
    """Rate of one server, or rates by the size of a request; or one of these for reading and one
    for writing; none: bytes cost nothing."""
    overhead: Times = default(Nanoseconds(0), FREE)
    """Time of each request beside that of its bytes, or one for reading and one for writing."""
    duplex: Duplex = default("half", ONE_WAY)
    """One queue for both directions (``half``), or servers of its own for each, as a channel or a
    link has (``full``)."""

    def row_at(self, way: str, group: str) -> dict[str, Any]:
        """Return its servers, and what a request takes in a direction."""
        del group
        return {**services(self.rate, self.overhead, way), "servers": self.servers}

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a service, of what writes it another one at times, and servers."""
        writes = dice.service(points=True) if dice.maybe(30) else None
        return {
            "service": dice.service(points=True),
            "writes": writes,
            "servers": dice.some(1, 1, 1, 2, 3),
        }
