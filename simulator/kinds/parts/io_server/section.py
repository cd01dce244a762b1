"""The server program of an I/O node: what it takes to find blocks, and to copy their data."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import UNLIMITED, Part
from simulator.config.quantities import Count, Rate, Time
from simulator.config.rates import Names
from simulator.config.section import default
from simulator.config.sources import A_CORE, FREE, SINGLE
from simulator.service import ServiceSpec
from simulator.units import BytesPerSecond, Nanoseconds


class IoServer(Part):
    """What serves requests on an I/O node: it finds blocks, and copies their data."""

    uses = frozenset({"work"})
    engine = "queue"
    synonyms = {
        "request_overhead": "overhead",
        "piece_overhead": "piece",
        "threads": "servers",
        "bandwidth": "copy_rate",
        "rate": "copy_rate",
    }

    kind: Literal["io-server"]
    """Which kind of part this is."""
    at: Names
    """The groups of nodes that have one."""
    servers: Count = default(1, SINGLE)
    """Requests that it works on at one time."""
    overhead: Time = default(Nanoseconds(0), FREE)
    """Its processor's time for one request,"""
    piece: Time = default(Nanoseconds(0), FREE)
    """and for each contiguous piece of it."""
    copy_rate: Rate = default(BytesPerSecond(5e9), A_CORE)
    """Copying between buffer cache and messages."""

    @property
    def copying(self) -> ServiceSpec:
        """Copying data."""
        return ServiceSpec(self.copy_rate)

    def row(self) -> dict[str, Any]:
        """Return its servers, whose service times are those of the buffer cache behind them."""
        return {"service": ServiceSpec(UNLIMITED), "servers": self.servers}
