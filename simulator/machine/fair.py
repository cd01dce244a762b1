"""A link that its transfers share fairly: each of ``n`` under way gets 1/n of its rate.

The rule is in ``sharing.py``; here is the link, with those that wait for their transfers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simpy.events import EventPriority

from simulator.machine.actor import Alarm
from simulator.machine.noise import SILENT, Noise
from simulator.machine.sharing import FairShare

if TYPE_CHECKING:
    import simpy

    from simulator.machine.actor import Actor
    from simulator.machine.station import ServiceSpec


class FairStation:
    """A link that its transfers share; the actor that waits is woken by the link."""

    def __init__(
        self,
        env: simpy.Environment,
        number: int,
        name: str,
        spec: ServiceSpec,
        *,
        noise: Noise = SILENT,
    ) -> None:
        self.env = env
        self._priority = EventPriority(number + 1)
        self.name = name
        self.spec = spec
        self.noise = noise
        self.servers = 1
        self.requests = 0
        self.bytes = 0
        self.busy_ns = 0
        self.rings = 0
        self._share = FairShare(number)
        self._waiting: dict[int, tuple[Actor, int, int, int]] = {}
        self._timer: Alarm | None = None

    def take(self, actor: Actor, size: int) -> simpy.Event:
        """Begin a transfer of ``size`` bytes; yield what it returns to await its end."""
        self.requests += 1
        self.bytes += size
        service = self.noise.stretch(self.spec.service_ns(size), self.requests)
        self.busy_ns += service
        now = int(self.env.now)
        self._share.add(now, actor.number, service)
        self._waiting[actor.number] = (actor, now, service, size)
        self._set_timer()
        return actor.blocked()

    def note(self, start_ns: int, duration_ns: int, size: int) -> None:
        """A transfer has ended; nothing to do, except for who keeps a timeline."""

    def _set_timer(self) -> None:
        end = self._share.next_end()
        self._timer = None
        if end >= 0:
            timer = Alarm(self.env).after(end - int(self.env.now), self._priority)
            assert timer.callbacks is not None
            timer.callbacks.append(self._ring)
            self._timer = timer

    def _ring(self, timer: simpy.Event) -> None:
        if timer is not self._timer:
            return  # a transfer has begun since: its own timer counts
        self.rings += 1
        now = int(self.env.now)
        while (number := self._share.finish(now)) >= 0:
            actor, began, service, size = self._waiting.pop(number)
            # What one would have had alone is service; what sharing added is waiting.
            service = min(service, now - began)
            self.note(began, now - began, size)
            actor.charge(self.name, now - began - service, service)
            actor.wake()
        self._set_timer()
