"""Queues: equal servers with one queue, first come first served."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from simulator.config.parts.base import BOTH, READ, WRITE, Device, Duplex, Part, Row, Timed
from simulator.config.quantities import Count
from simulator.config.rates import EachWay, Names, Rates, Times, time_of
from simulator.service import ServiceSpec
from simulator.units import Nanoseconds

UNLIMITED = float("inf")


def ways_of(duplex: str) -> tuple[str, ...]:
    """Return the directions that are rows of their own: two, or one for both."""
    return (READ, WRITE) if duplex == "full" else (BOTH,)


def rate_of(rates: EachWay | None, way: str) -> float:
    """Return the rate of a direction; without one bytes cost nothing."""
    if rates is None:
        return UNLIMITED
    return rates.write if way == WRITE else rates.read


def services(
    rates: EachWay | None, overhead: Nanoseconds | EachWay, way: str = BOTH
) -> dict[str, ServiceSpec]:
    """Return the service of a row, and that of what writes it if it is another."""
    read, write = (
        ServiceSpec(rate_of(rates, one), time_of(overhead, one)) for one in (READ, WRITE)
    )
    if way != BOTH:
        return {"service": write if way == WRITE else read}
    return {"service": read} if read == write else {"service": read, "writes": write}


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


class Delay(Timed):
    """A time that each request takes, without waiting for others."""

    synonyms = {"latency": "overhead", "bandwidth": "rate", "time": "overhead"}

    kind: Literal["delay"]
    """Which kind of part this is."""
    overhead: Times = Nanoseconds(0)
    """Time of each request beside that of its bytes, or one for reading and one for writing."""
    rate: Rates | None = None
    """Rate of the bytes, or one rate for reading and one for writing; none: they cost nothing."""

    def rows(self) -> Iterator[Row]:
        """Return one row."""
        yield Row(BOTH, "delay", dict(services(self.rate, self.overhead)))


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
