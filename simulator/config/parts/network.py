"""Networks: a port at every node, which bytes leave by and arrive at.

A transfer takes the sender's port and the receiver's at the same time (cut-through). Not modelled:
the inside of the switch; a switch that limits is a part of its own in the same stage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from simulator.config.parts.base import BOTH, IN, OUT, Duplex, Row, Timed
from simulator.config.quantities import Rate, Time
from simulator.config.rates import ByGroup, CountByGroup, Names
from simulator.service import ServiceSpec
from simulator.units import Nanoseconds


class Network(Timed):
    """Ports of nodes; a request that passes them goes on at the other node."""

    network = True
    uses = frozenset({"stage"})
    synonyms = {"overhead": "latency", "bandwidth": "rate", "servers": "ports"}

    kind: Literal["network"]
    """Which kind of part this is."""
    at: Names
    """The groups of nodes that have a port."""
    rate: Rate
    """Rate of one port, in each direction."""
    latency: Time = Nanoseconds(0)
    """Time of one transfer beside that of its bytes."""
    duplex: Duplex = "full"
    """Whether a port sends and receives at the same time."""
    ports: CountByGroup = ByGroup()
    """Ports of one node, with one queue; or their number by groups, 1 where none is given."""

    @property
    def ways(self) -> tuple[str, ...]:
        """In and out, unless they are one."""
        return (IN, OUT) if self.duplex == "full" else (BOTH,)

    def rows(self) -> Iterator[Row]:
        """Return the two directions of a port, or one row for both."""
        service = ServiceSpec(self.rate, self.latency)
        for way in self.ways:
            yield Row(way, "queue", {"service": service})

    def fields_at(self, group: str) -> dict[str, Any]:
        """Return the ports of a node of a group."""
        return {"servers": self.ports.at(group)}
