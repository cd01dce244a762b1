"""Queues: equal servers with one queue, first come first served."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from simulator.config.parts.base import BOTH, READ, WRITE, Device, Part, Row, Timed
from simulator.config.quantities import Count, Time
from simulator.config.rates import Rates
from simulator.machine.station import ServiceSpec
from simulator.units import Nanoseconds

UNLIMITED = float("inf")


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
    """Requests that it serves at one time; with a rate for each direction, in each direction."""
    rate: Rates | None = None
    """Rate of one server, or one rate for reading and one for writing; none: bytes cost nothing."""
    overhead: Time = Nanoseconds(0)
    """Time of each request beside that of its bytes."""

    def rows(self) -> Iterator[Row]:
        """Return one row, or one for each direction if their rates differ."""
        rates = self.rate
        if rates is None or rates.read == rates.write:
            yield self._row(BOTH, UNLIMITED if rates is None else rates.read)
        else:
            yield self._row(READ, rates.read)
            yield self._row(WRITE, rates.write)

    def _row(self, way: str, rate: float) -> Row:
        service = ServiceSpec(rate, self.overhead)
        return Row(way, "queue", {"service": service, "servers": self.servers})


class Delay(Timed):
    """A time that each request takes, without waiting for others."""

    synonyms = {"latency": "overhead", "bandwidth": "rate", "time": "overhead"}

    kind: Literal["delay"]
    """Which kind of part this is."""
    overhead: Time = Nanoseconds(0)
    """Time of each request beside that of its bytes."""
    rate: Rates | None = None
    """Rate of the bytes, or one rate for reading and one for writing; none: they cost nothing."""

    def rows(self) -> Iterator[Row]:
        """Return one row, or one for each direction if their rates differ."""
        rates = self.rate
        ways = {BOTH: UNLIMITED if rates is None else rates.read}
        if rates is not None and rates.read != rates.write:
            ways = {READ: rates.read, WRITE: rates.write}
        for way, rate in ways.items():
            yield Row(way, "delay", {"service": ServiceSpec(rate, self.overhead)})


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
