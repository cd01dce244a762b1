"""The server program of an I/O node: what it takes to find blocks, and to copy their data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from simulator.config.part import BOTH, UNLIMITED, Part, Row
from simulator.config.quantities import Count, Rate, Time
from simulator.config.rates import Names
from simulator.config.sources import A_CORE, FREE, SINGLE
from simulator.service import ServiceSpec
from simulator.units import BytesPerSecond, Nanoseconds


class IoServer(Part):
    """What serves requests on an I/O node: it finds blocks, and copies their data."""

    uses = frozenset({"work"})
    synonyms = {
        "request_overhead": "overhead",
        "latency": "overhead",
        "piece_overhead": "piece",
        "threads": "servers",
        "bandwidth": "copy_rate",
        "rate": "copy_rate",
    }
    reasons = {
        "servers": SINGLE,
        "overhead": FREE,
        "piece": FREE,
        "copy_rate": A_CORE,
    }

    kind: Literal["io-server"]
    """Which kind of part this is."""
    at: Names
    """The groups of nodes that have one."""
    servers: Count = 1
    """Requests that it works on at one time."""
    overhead: Time = Nanoseconds(0)
    """Its processor's time for one request,"""
    piece: Time = Nanoseconds(0)
    """and for each contiguous piece of it."""
    copy_rate: Rate = BytesPerSecond(5e9)
    """Copying between buffer cache and messages."""

    @property
    def copying(self) -> ServiceSpec:
        """Copying data."""
        return ServiceSpec(self.copy_rate)

    def rows(self) -> Iterator[Row]:
        """Return one row: its service times are those of the buffer cache behind it."""
        yield Row(BOTH, "queue", {"service": ServiceSpec(UNLIMITED), "servers": self.servers})
