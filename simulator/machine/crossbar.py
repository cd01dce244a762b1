"""The crossbar: any PE to any other, or to the SSU, at once; only ports contend.

Each PE, the control processor and the SSU have a full-duplex port: one station for what
comes in and one for what goes out. A transfer holds the sender's and the receiver's from
the moment at which both are free.

Not modelled: contention inside the switch, routing, errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.machine.station import Station, take_route

if TYPE_CHECKING:
    from simulator.machine.actor import Actor


@dataclass(frozen=True, slots=True)
class Port:
    """A full-duplex port of the crossbar."""

    inward: Station
    outward: Station


def cross(
    actor: Actor, sender: Port, receiver: Port, size: int, channel: Station | None = None
) -> int:
    """Send ``size`` bytes; returns the time at which they have arrived.

    ``channel`` is a further station that the transfer streams through, such as a channel
    of the SSU.
    """
    route = [sender.outward, receiver.inward]
    if channel is not None:
        route.append(channel)
    return take_route(actor, route, size)
