"""Actors: processes, workers and the like, with their alarms and accounts of time.

When two actors are set to the same nanosecond, the one with the lower number acts first. An actor
has one alarm, so no two events have the same (time, number).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias

import simpy
from simpy.events import EventPriority

Steps: TypeAlias = Generator[simpy.Event, None, None]
"""What an actor yields to SimPy."""


class Alarm(simpy.Event):
    """An event that can be set again and again."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self._ok = True
        self._value = None

    def ready(self) -> Alarm:
        """Return the alarm without waiting events."""
        self.callbacks = []
        return self


class Clock:
    """The time of a simulation, and a count of its events."""

    def __init__(self) -> None:
        self.env = simpy.Environment()
        self.events = 0
        """How often an actor was set to go on."""
        self.last_ns = 0
        """Time of the last event."""

    @property
    def now(self) -> int:
        """The time; ns."""
        return int(self.env.now)

    def set(self, alarm: Alarm, number: int, time_ns: int) -> None:
        """Let an alarm ring at a time (not before now), in the turn of an actor's number."""
        self.env.schedule(alarm, EventPriority(number + 1), time_ns - self.now)

    def count(self, time_ns: int) -> None:
        """Count an event."""
        self.events += 1
        if time_ns > self.last_ns:  # noqa: PLR1730 - max() takes four times as long
            self.last_ns = time_ns


class Actor:
    """A process, worker, reader, copier or branch."""

    def __init__(self, clock: Clock, number: int, name: str) -> None:
        self.clock = clock
        self.number = number
        self.name = name
        self.spent: dict[int, list[int]] = {}
        """Column -> [waiting ns, service ns]."""
        self.waits_for: Callable[[], str] | None = None
        """While it is blocked: what it waits for, in words."""
        self._alarm = Alarm(clock.env)
        self._turn = EventPriority(number + 1)

    @property
    def now(self) -> int:
        """The time; ns."""
        return self.clock.now

    def until(self, time_ns: int) -> simpy.Event:
        """Return the event to yield in order to go on at ``time_ns`` (not before now)."""
        clock = self.clock
        clock.count(time_ns)
        clock.env.schedule(self._alarm.ready(), self._turn, time_ns - clock.now)
        return self._alarm

    def blocked(self, waits_for: Callable[[], str]) -> simpy.Event:
        """Return the event to yield in order to go on when another actor calls :meth:`wake`."""
        self.waits_for = waits_for
        return self._alarm.ready()

    def wake(self) -> None:
        """Let a blocked actor go on, in this nanosecond but at its own turn."""
        self.waits_for = None
        self.clock.count(self.now)
        self.clock.env.schedule(self._alarm, self._turn, 0)

    def charge(self, column: int, wait_ns: int, service_ns: int) -> None:
        """Add time to a column of the account."""
        entry = self.spent.setdefault(column, [0, 0])
        entry[0] += wait_ns
        entry[1] += service_ns

    def charge_all(self, other: Actor) -> None:
        """Add the whole account of another actor."""
        for column, (wait, service) in other.spent.items():
            self.charge(column, wait, service)
