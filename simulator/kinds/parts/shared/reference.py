"""A part whose transfers share it fairly: each of n under way gets 1/n of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import simpy

from simulator.plan.cores import SPEED_BITS
from simulator.plan.errors import within
from simulator.plan.events import Calendar
from simulator.reference.actor import Actor, Alarm, Clock
from simulator.reference.part import Load, Station
from simulator.result.result import PartResult

VIRTUAL_BITS = 10
"""Bits of a nanosecond in the virtual time."""


@dataclass(slots=True)
class _Task:
    actor: Actor
    goal: int
    """The virtual time at which it ends."""
    began_ns: int
    work_ns: int
    """What it takes alone."""
    ended: Callable[[Actor, int, int, int], None]
    """Called with the actor, when it began, its work, and what it took."""
    writes: bool


class Sharing:
    """All tasks under way, and one virtual time: the work that has been done of each of them.

    Where speeds depend on the number n of tasks, the virtual time grows by
    ``passed * speeds[n] / n``; with tasks in both directions by the mean of their speeds.
    """

    def __init__(
        self,
        clock: Clock,
        name: str,
        timer: int,
        speeds: Sequence[int],
        write_speeds: Sequence[int] | None = None,
    ) -> None:
        """``timer`` is the number of its timer; ``write_speeds`` None: writes have the same."""
        self.clock = clock
        self.name = name
        self.timer = timer
        self.speeds = speeds
        self.write_speeds = write_speeds
        self._under_way: list[_Task] = []
        self._virtual = 0
        self._since_ns = 0
        self._alarm: Alarm | None = None
        self.calendar: Calendar | None = None
        """What happens to the part, if anything does."""
        self.active_ns = 0
        """For how long any task has been under way."""

    def join(
        self,
        actor: Actor,
        work_ns: int,
        ended: Callable[[Actor, int, int, int], None],
        *,
        writes: bool = False,
    ) -> simpy.Event:
        """Begin a task; yield what it returns to await its end."""
        self._pass_time()
        goal = self._virtual + (work_ns << VIRTUAL_BITS)
        within(goal >> VIRTUAL_BITS, self.name)
        self._under_way.append(_Task(actor, goal, actor.now, work_ns, ended, writes))
        self._set_timer()
        return actor.blocked(lambda: f"a transfer at {self.name}")

    def _speed(self) -> int:
        """Return the speed with as many tasks, in these directions, as there are now."""
        count = len(self._under_way)
        if self.write_speeds is None:
            return _speed_of(self.speeds, count)
        writing = sum(one.writes for one in self._under_way)
        reading = (count - writing) * _speed_of(self.speeds, count)
        return (reading + writing * _speed_of(self.write_speeds, count)) // count

    def _pass_time(self) -> None:
        since_ns, now_ns = self._since_ns, self.clock.now
        self._since_ns = now_ns
        if self._under_way:
            passed = now_ns - since_ns
            self.active_ns += passed
            if self.calendar is not None:
                passed = self.calendar.done(since_ns, now_ns)
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
        end_ns = self._since_ns + within(passed, self.name)
        if self.calendar is not None:
            end_ns = self.calendar.end_of(self._since_ns, passed)
        self._alarm = Alarm(self.clock)
        self._alarm.callbacks = [self._ring]
        self.clock.set(self._alarm, self.timer, within(end_ns, self.name))

    def _ring(self, alarm: simpy.Event) -> None:
        if alarm is not self._alarm:
            return  # a task has begun since: its own alarm counts
        self.clock.count(self.clock.now)
        self._pass_time()
        ended = [one for one in self._under_way if one.goal <= self._virtual]
        self._under_way = [one for one in self._under_way if one.goal > self._virtual]
        for one in sorted(ended, key=lambda one: (one.goal, one.actor.number)):
            one.ended(one.actor, one.began_ns, one.work_ns, self.clock.now - one.began_ns)
            one.actor.wake()
        self._set_timer()


class Shared(Station):
    """A part that all transfers under way share."""

    joins = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        plan = self.plan
        writing = None if plan.writes is None else plan.write_speeds
        self._sharing = Sharing(self.clock, self.name, self.timer, plan.speeds, writing)

    def join(self, actor: Actor, load: Load) -> tuple[simpy.Event]:
        """Begin a transfer; ``yield from`` what it returns."""
        self._sharing.calendar = self.calendar
        service = self.stretched(self.service_ns(load))
        self.count(load.size, service)

        def ended(actor: Actor, began_ns: int, service_ns: int, took_ns: int) -> None:
            service = min(service_ns, took_ns)
            if self.calendar is not None:
                self.miss(self.calendar.times(began_ns, self.clock.now)[1])
            self.note(began_ns, took_ns, load.size)
            actor.charge(self.column, took_ns - service, service)

        return (self._sharing.join(actor, service, ended, writes=load.writes),)

    def result(self) -> PartResult:
        """Return what the instance did, and for how long a transfer was under way."""
        return replace(super().result(), active_ns=self._sharing.active_ns)


def _speed_of(speeds: Sequence[int], count: int) -> int:
    """Return the speed of a direction with so many tasks under way."""
    return speeds[min(count, len(speeds) - 1)] if speeds else 1 << SPEED_BITS
