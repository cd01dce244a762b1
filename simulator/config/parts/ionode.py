"""I/O nodes of a parallel file system: the server program, and the RAID unit behind its cache.

The times of a RAID unit are known when a request is made; it stands behind a buffer cache
(:mod:`simulator.config.buffercaches`). Not modelled: the disks of a unit one by one, its parity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from simulator.config.parts.base import BOTH, Part, Row
from simulator.config.quantities import Count, Rate, Size, Time
from simulator.config.rates import Names
from simulator.plan.specs.raid import RaidSpec
from simulator.service import ServiceSpec
from simulator.units import BytesPerSecond, Nanoseconds

IO_SERVER, RAID = "io-server", "raid"


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
        yield Row(BOTH, "queue", {"service": ServiceSpec(float("inf")), "servers": self.servers})


class Raid(Part):
    """A RAID unit: its disks as one volume, a cache of its own, and the bus in front of it."""

    uses = frozenset({"stage"})
    alone = True
    synonyms = {"turn": "rotation", "bandwidth": "rate", "latency": "overhead"}

    kind: Literal["raid"]
    """Which kind of part this is."""
    at: Names
    """The groups of nodes that have one."""
    rate: Rate
    """Sustained rate of its disks together."""
    overhead: Time = Nanoseconds(0)
    """Time of a request that does not follow the one before at once."""
    seek: Time = Nanoseconds(0)
    """Average seek, paid by a request that does not continue the one before."""
    rotation: Time = Nanoseconds(0)
    """Time of one rotation; half of it is lost after a seek or a pause."""
    cache: Size
    """Its own cache: written data are safe in it, and go to the disks later."""
    bus_rate: Rate
    """Rate of the bus between it and its node."""
    bus_overhead: Time = Nanoseconds(0)
    """Time of each request on the bus beside that of its bytes."""

    def rows(self) -> Iterator[Row]:
        """Return one row."""
        spec = RaidSpec(
            rate=self.rate,
            overhead_ns=self.overhead,
            seek_ns=self.seek,
            turn_ns=self.rotation,
            cache=self.cache,
            bus_rate=self.bus_rate,
            bus_overhead_ns=self.bus_overhead,
        )
        yield Row(BOTH, RAID, {"raid": spec})
