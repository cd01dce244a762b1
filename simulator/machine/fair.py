"""Fair sharing of one link: ``n`` transfers under way each get 1/n of its rate.

``FairShare`` is the rule, in whole numbers and without a clock of its own; ``FairStation``
is the link. The rule keeps one *virtual time*, the service that each transfer under way
has had so far; a transfer ends when the virtual time has grown by what it needs (Parekh
and Gallager, 1993). It is counted in 1/1024 ns.

Not modelled: shares by weight, a rate limit of single transfers.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from simpy.events import EventPriority

from simulator.machine.actor import Alarm
from simulator.machine.noise import SILENT, Noise

if TYPE_CHECKING:
    import simpy

    from simulator.machine.actor import Actor
    from simulator.machine.station import ServiceSpec

_SCALE = 10  # bits of a nanosecond in the virtual time


class FairShare:
    """Processor sharing of one server among numbered transfers.

    >>> link = FairShare()
    >>> link.add(0, 0, 100); link.add(50, 1, 100)   # at 50 ns half of the first is done
    >>> link.next_end()
    150
    >>> link.finish(150), link.next_end(), link.finish(200)
    ([0], 200, [1])
    """

    def __init__(self) -> None:
        self._virtual = 0
        self._since = 0
        self._goals: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self._goals)

    def add(self, now_ns: int, number: int, service_ns: int) -> None:
        """Begin transfer ``number``, which alone would take ``service_ns``."""
        self._advance(now_ns)
        heapq.heappush(self._goals, (self._virtual + (service_ns << _SCALE), number))

    def next_end(self) -> int:
        """The time at which the next transfer ends if none is added before; -1 for none."""
        if not self._goals:
            return -1
        left = (self._goals[0][0] - self._virtual) * len(self._goals)
        return self._since + max(0, -((-left) >> _SCALE))

    def finish(self, now_ns: int) -> list[int]:
        """End the transfers that are done by now; returns their numbers."""
        self._advance(now_ns)
        done = []
        while self._goals and self._goals[0][0] <= self._virtual:
            done.append(heapq.heappop(self._goals)[1])
        if not self._goals:
            self._virtual = 0
        return done

    def _advance(self, now_ns: int) -> None:
        if self._goals:
            self._virtual += ((now_ns - self._since) << _SCALE) // len(self._goals)
        self._since = now_ns


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
        self._share = FairShare()
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
        for number in self._share.finish(now):
            actor, began, service, size = self._waiting.pop(number)
            # What one would have had alone is service; what sharing added is waiting.
            service = min(service, now - began)
            self.note(began, now - began, size)
            actor.charge(self.name, now - began - service, service)
            actor.wake()
        self._set_timer()
