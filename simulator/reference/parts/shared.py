"""A part whose transfers share it fairly: each of n under way gets 1/n of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import simpy

from simulator.reference.actor import Actor, Alarm
from simulator.reference.part import Load, Part
from simulator.result.result import PartResult

VIRTUAL_BITS = 10
"""Bits of a nanosecond in the virtual time."""
SPEED_BITS = 20
"""Bits behind the point of a speed."""


@dataclass(slots=True)
class _Transfer:
    actor: Actor
    goal: int
    """The virtual time at which it ends."""
    began_ns: int
    service_ns: int
    size: int


class Shared(Part):
    """All transfers under way, and one virtual time: the service that each of them has had.

    Where speeds depend on the number n of transfers, the virtual time grows by
    ``passed * speeds[n] / n``.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._under_way: list[_Transfer] = []
        self._virtual = 0
        self._since_ns = 0
        self._alarm: Alarm | None = None
        self._active_ns = 0

    def join(self, actor: Actor, load: Load) -> simpy.Event:
        """Begin a transfer; yield what it returns to await its end."""
        service = self.stretched(self.service_ns(load))
        self.count(load.size, service)
        self._pass_time()
        goal = self._virtual + (service << VIRTUAL_BITS)
        self._under_way.append(_Transfer(actor, goal, actor.now, service, load.size))
        self._set_timer()
        return actor.blocked(lambda: f"a transfer at {self.name}")

    def _speed(self) -> int:
        """Return the speed with as many transfers as there are now."""
        speeds = self.plan.speeds
        if not speeds:
            return 1 << SPEED_BITS
        return speeds[min(len(self._under_way), len(speeds) - 1)]

    def _pass_time(self) -> None:
        passed = self.clock.now - self._since_ns
        self._since_ns = self.clock.now
        if self._under_way:
            self._active_ns += passed
            shared = (passed << VIRTUAL_BITS) * self._speed()
            self._virtual += shared // (len(self._under_way) << SPEED_BITS)

    def _set_timer(self) -> None:
        """Ring at the first nanosecond at which the least goal is reached."""
        self._alarm = None
        if not self._under_way:
            self._virtual = 0
            return
        left = max(0, min(one.goal for one in self._under_way) - self._virtual)
        work = left * (len(self._under_way) << SPEED_BITS)
        passed = -(-work // (self._speed() << VIRTUAL_BITS))
        self._alarm = Alarm(self.clock).ready()
        assert self._alarm.callbacks is not None
        self._alarm.callbacks.append(self._ring)
        self.clock.set(self._alarm, self.timer, self._since_ns + passed)

    def _ring(self, alarm: simpy.Event) -> None:
        if alarm is not self._alarm:
            return  # a transfer has begun since: its own alarm counts
        self.clock.count(self.clock.now)
        self._pass_time()
        ended = [one for one in self._under_way if one.goal <= self._virtual]
        self._under_way = [one for one in self._under_way if one.goal > self._virtual]
        for one in sorted(ended, key=lambda one: (one.goal, one.actor.number)):
            self._end(one)
        self._set_timer()

    def _end(self, one: _Transfer) -> None:
        """Wake the actor; what it would have had alone is service, the rest waiting."""
        took = self.clock.now - one.began_ns
        service = min(one.service_ns, took)
        self.note(one.began_ns, took, one.size)
        one.actor.charge(self.column, took - service, service)
        one.actor.wake()

    def result(self) -> PartResult:
        """Return what the instance did, and for how long a transfer was under way."""
        return replace(super().result(), active_ns=self._active_ns)
