"""The LAN between the front end and the control processor: one link for all.

Its clients share it fairly, or queue for it first come first served; which, is a value of
the configuration.

Not modelled: collisions, other traffic than the simulated one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.machine.fair import FairStation
from simulator.machine.station import Station

if TYPE_CHECKING:
    import simpy

    from simulator.machine.actor import Actor


class Lan:
    """A link with one way of sending, whatever its discipline."""

    def __init__(self, link: Station | FairStation) -> None:
        self.link = link

    def send(self, actor: Actor, size: int) -> simpy.Event:
        """Send ``size`` bytes; yield what it returns to await their arrival."""
        if isinstance(self.link, FairStation):
            return self.link.take(actor, size)
        return actor.until(self.link.take(actor, size))

    @property
    def rings(self) -> int:
        """How often a fair link woke its clients; 0 for a queue."""
        return self.link.rings if isinstance(self.link, FairStation) else 0
