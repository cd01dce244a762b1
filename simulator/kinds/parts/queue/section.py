"""Queues: equal servers with one queue, first come first served."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from simulator.config.part import Device, Duplex, Row, services, ways_of
from simulator.config.quantities import Count
from simulator.config.rates import Rates, Times
from simulator.config.sources import FREE, ONE_WAY, SINGLE
from simulator.kinds.dice import Dice
from simulator.units import Nanoseconds


class Queue(Device):
    """Equal servers with one queue, first come, first served; the rate is that of each server."""

    synonyms = {
        "latency": "overhead",
        "bandwidth": "rate",
        "channels": "servers",
        "time": "overhead",
    }
    what = "first come, first served"
    many = True
    fails = True
    roles = {"port": 3, "stage": 2, "work": 2, "device": 1, "sync": 2, "pool": 1, "lane": 1}
    reasons = {
        "servers": SINGLE,
        "overhead": FREE,
        "count": SINGLE,
        "duplex": ONE_WAY,
    }

    kind: Literal["queue"]
    """Which kind of part this is."""
    servers: Count = 1
    """Requests that it serves at one time; with ``duplex: full`` so many in each direction."""
    rate: Rates | None = None
    """Rate of one server, or one rate for reading and one for writing; none: bytes cost nothing."""
    overhead: Times = Nanoseconds(0)
    """Time of each request beside that of its bytes, or one for reading and one for writing."""
    duplex: Duplex = "half"
    """One queue for both directions (``half``), or servers of its own for each, as a channel or a
    link has (``full``)."""

    @property
    def ways(self) -> tuple[str, ...]:
        """Reading and writing, if each has servers of its own."""
        return ways_of(self.duplex)

    def rows(self) -> Iterator[Row]:
        """Return one row, or one for each direction."""
        for way in self.ways:
            fields = services(self.rate, self.overhead, way)
            yield Row(way, "queue", {**fields, "servers": self.servers})

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a service, of what writes it another one at times, and servers."""
        writes = dice.service() if dice.maybe(30) else None
        return {"service": dice.service(), "writes": writes, "servers": dice.some(1, 1, 1, 2, 3)}
