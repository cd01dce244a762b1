"""A LAN whose transfers share it fairly: ``machine/fair.py`` in arrays.

The rule is that of ``machine/sharing.py``, the same code; here are the accounts of those
that wait. The link is an actor of its own, the one with the highest number.
"""

from __future__ import annotations

from array import array

from simulator.engine.native.clock import Clock
from simulator.engine.native.stations import Stations
from simulator.machine.sharing import FairShare


class FairLan:
    """One link, and when each transfer over it began; for the actors below ``most``."""

    def __init__(
        self,
        clock: Clock,
        stations: Stations,
        share: FairShare,
        part: int,
        actor: int,
        most: int,
    ) -> None:
        self.clock = clock
        self.stations = stations
        self.share = share
        self.part = part
        self.actor = actor
        self.rings = 0
        self.began = array("q", [0]) * max(1, most)
        self.service = array("q", [0]) * max(1, most)

    def send(self, actor: int, size: int) -> None:
        """Begin a transfer; the actor waits until the link wakes it."""
        part = self.part
        service = self.stations.service_ns(part, size)
        self.stations.requests[part] += 1
        self.stations.bytes[part] += size
        self.stations.busy[part] += service
        self.began[actor] = self.clock.now
        self.service[actor] = service
        self.share.add(self.clock.now, actor, service)
        self.clock.play(self.actor, self.share.next_end())

    def ring(self) -> int:
        """End the transfers that are done; returns the time of the next end, or -1."""
        self.rings += 1
        now = self.clock.now
        actor = self.share.finish(now)
        while actor >= 0:
            passed = now - self.began[actor]
            service = min(self.service[actor], passed)
            self.stations.accounts.charge(actor, self.part, passed - service, service)
            self.clock.wake(actor)
            actor = self.share.finish(now)
        return self.share.next_end()
