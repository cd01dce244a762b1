"""Queues: equal servers with one queue, first come first served."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from simulator.config.parts.base import BOTH, READ, WRITE, Device, Part, Row, Timed
from simulator.config.quantities import Count
from simulator.config.rates import EachWay, Names, Rates, Times, time_of
from simulator.service import ServiceSpec
from simulator.units import Nanoseconds

UNLIMITED = float("inf")


def ways_of(rates: EachWay | None, overhead: Nanoseconds | EachWay) -> tuple[str, ...]:
    """Return the directions that have a rate or an overhead each, or the one for both."""
    one = rates is None or rates.one
    return (BOTH,) if one and not isinstance(overhead, EachWay) else (READ, WRITE)


def rate_of(rates: EachWay | None, way: str) -> float:
    """Return the rate of a direction; without one bytes cost nothing."""
    if rates is None:
        return UNLIMITED
    return rates.write if way == WRITE else rates.read


class Queue(Device):
    """Equal servers with one queue: a request takes its overhead and its bytes at the rate."""

    synonyms = {
        "latency": "overhead",
        "bandwidth": "rate",
        "channels": "servers",
        "time": "overhead",
    }

    kind: Literal["queue"]
    """Which kind of part this is."""
    servers: Count = 1
    """Requests that it serves at one time; with a rate or overhead for each direction, in each."""
    rate: Rates | None = None
    """Rate of one server, or one rate for reading and one for writing; none: bytes cost nothing."""
    overhead: Times = Nanoseconds(0)
    """Time of each request beside that of its bytes, or one for reading and one for writing."""

    @property
    def ways(self) -> tuple[str, ...]:
        """Reading and writing, if each has a rate or an overhead."""
        return ways_of(self.rate, self.overhead)

    def rows(self) -> Iterator[Row]:
        """Return one row, or one for each direction if they differ."""
        for way in self.ways:
            service = ServiceSpec(rate_of(self.rate, way), time_of(self.overhead, way))
            yield Row(way, "queue", {"service": service, "servers": self.servers})


class Delay(Timed):
    """A time that each request takes, without waiting for others."""

    synonyms = {"latency": "overhead", "bandwidth": "rate", "time": "overhead"}

    kind: Literal["delay"]
    """Which kind of part this is."""
    overhead: Times = Nanoseconds(0)
    """Time of each request beside that of its bytes, or one for reading and one for writing."""
    rate: Rates | None = None
    """Rate of the bytes, or one rate for reading and one for writing; none: they cost nothing."""

    @property
    def ways(self) -> tuple[str, ...]:
        """Reading and writing, if each has a rate or an overhead."""
        return ways_of(self.rate, self.overhead)

    def rows(self) -> Iterator[Row]:
        """Return one row, or one for each direction if they differ."""
        for way in self.ways:
            service = ServiceSpec(rate_of(self.rate, way), time_of(self.overhead, way))
            yield Row(way, "delay", {"service": service})


class Core(Delay):
    """Work that a core of the node does for a request: copying, or a server's time for it."""

    alone = True

    kind: Literal["core"]  # type: ignore[assignment]
    """Which kind of part this is."""
    at: Names
    """The groups of nodes whose cores do it."""

    def rows(self) -> Iterator[Row]:
        """Return the rows of a delay, which cores share."""
        return (replace(row, kind="core") for row in super().rows())


class Pool(Part):
    """Threads: a request keeps one from when it comes until its answer goes back."""

    uses = frozenset({"hold"})
    synonyms = {"threads": "servers", "count": "servers", "workers": "servers"}

    kind: Literal["pool"]
    """Which kind of part this is."""
    servers: Count
    """How many there are on each node."""

    def rows(self) -> Iterator[Row]:
        """Return one row: it has no service time of its own."""
        fields = {"service": ServiceSpec(UNLIMITED), "servers": self.servers}
        yield Row(BOTH, "queue", fields)
