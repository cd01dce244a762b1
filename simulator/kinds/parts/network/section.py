"""Networks: a port at every node, which bytes leave by and arrive at.

Messages are packets: each port is a queue of its own, and the first byte is at the receiver's while
the last ones are still leaving (cut-through). In a network of circuits a message holds both ports
at once, from when both are free.

Not modelled: the inside of the switch; a switch that limits is a part of its own in the same stage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from simulator.config.errors import Fault
from simulator.config.part import BOTH, IN, OUT, Duplex, Timed
from simulator.config.rates import ByGroup, CountByGroup, Names, RateByGroup, TimeByGroup
from simulator.config.section import Called, default
from simulator.config.sources import FREE, SINGLE
from simulator.errors import did_you_mean
from simulator.service import ServiceSpec
from simulator.units import Nanoseconds, shown

Switching = Annotated[Literal["packets", "circuit"], Called("switching")]


class Network(Timed):
    """A port at each node, out and in, each a queue; a request that passes goes on there."""

    network = True
    fails = True
    uses = frozenset({"stage"})
    engine = "queue"
    synonyms = {"servers": "ports"}

    kind: Literal["network"]
    """Which kind of part this is."""
    at: Names
    """The groups of nodes that have a port."""
    rate: RateByGroup
    """Rate of one port, in each direction; or one for each group of nodes."""
    latency: TimeByGroup = default(ByGroup(0), FREE)
    """How long the first byte is under way from the sender's port to the receiver's; by groups it
    is the sender's, 0 where none is given. A network of circuits keeps both ports for it."""
    overhead: TimeByGroup = default(ByGroup(0), FREE)
    """Time that a message keeps a port beside that of its bytes; or one for each group of nodes, 0
    where none is given."""
    switching: Switching = default(
        "packets", "what every network has done since the circuit-switched crossbars"
    )
    """Whether each port is a queue of its own, or a message holds both ports at once."""
    duplex: Duplex = default("full", "IEEE 802.3x and every switched network since")
    """Whether a port sends and receives at the same time."""
    ports: CountByGroup = default(ByGroup(1), SINGLE)
    """Ports of one node, with one queue; or their number by groups, 1 where none is given."""

    @property
    def packets(self) -> bool:
        """Return whether messages pass its ports one after the other."""
        return self.switching == "packets"

    @property
    def ways(self) -> tuple[str, ...]:
        """In and out, unless they are one."""
        return (IN, OUT) if self.duplex == "full" else (BOTH,)

    @property
    def structure(self) -> tuple[Any, ...]:
        """Return what paths through it depend on."""
        return (*super().structure, self.switching)

    def row_at(self, way: str, group: str) -> dict[str, Any]:
        """Return the ports of a node of a group, and what a message takes there."""
        del way
        latency, overhead = self.latency.at(group), self.overhead.at(group)
        kept = overhead if self.packets else overhead + latency
        return {
            "servers": self.ports.at(group),
            "service": ServiceSpec(self.rate.at(group), Nanoseconds(kept)),
            "latency_ns": latency if self.packets else 0,
        }

    def faults(self) -> Iterator[Fault]:
        """Find groups that have no port, and ports that have no rate: (keys, what is wrong)."""
        for key in ("rate", "latency", "overhead", "ports"):
            for group, _ in getattr(self, key).groups:
                if group not in self.at:
                    yield (
                        (key, group),
                        f"{shown(group)} is not in 'at'; {did_you_mean(group, self.at)}",
                    )
        given = dict(self.rate.groups)
        if missing := [group for group in self.at if given and group not in given]:
            rate = next(iter(given))
            about = f"has no rate for {missing[0]}; write one like that of {rate}, or leave"
            yield ("rate",), f"{about} {missing[0]} out of 'at'"
        yield from super().faults()
