"""Who acts in a simulation: a client or a worker, its alarm clock and its account of time.

Every actor has a number. When two actors wake in the same nanosecond, the one with the
lower number acts first: clients in the order of the workload, then the SSU's workers,
then whatever else runs beside them. An actor has one alarm, so no two events ever have
the same (time, number), and the order of a run is written down, not a matter of luck.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias

import simpy
from simpy.events import EventPriority

Steps: TypeAlias = Generator[simpy.Event, None, None]
"""What an actor's process yields to SimPy."""


class Alarm(simpy.Event):
    """An event that one actor sets again and again; cheaper than a new timeout each time."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self._ok = True
        self._value = None

    def after(self, delay_ns: int, priority: EventPriority) -> Alarm:
        """Ring once, ``delay_ns`` from now."""
        self.callbacks = []
        self.env.schedule(self, priority, delay_ns)
        return self

    def wait(self) -> Alarm:
        """Be ready to be rung by somebody else."""
        self.callbacks = []
        return self


class Actor:
    """A process with a number, an alarm, and an account of where its time went."""

    __slots__ = (
        "_alarm",
        "alarms",
        "compute_ns",
        "ended_ns",
        "env",
        "name",
        "now",
        "number",
        "priority",
        "spent",
        "started_ns",
    )

    def __init__(self, env: simpy.Environment, number: int, name: str) -> None:
        self.env = env
        self.number = number
        self.priority = EventPriority(number + 1)
        self.name = name
        self.spent: dict[str, list[int]] = {}
        """Part -> [waiting ns, service ns]."""
        self.compute_ns = 0
        self.started_ns = 0
        self.ended_ns = -1
        self.now = int(env.now)
        """The time of the simulation whenever this actor acts; ns."""
        self.alarms = 0
        """How often it was set to go on: the events of a run, whatever the engine."""
        self._alarm = Alarm(env)

    def until(self, time_ns: int) -> simpy.Event:
        """The event to yield in order to go on at ``time_ns`` (not before now)."""
        delay = time_ns - self.now
        self.now = time_ns
        self.alarms += 1
        alarm = self._alarm
        alarm.callbacks = []  # as Alarm.after, without the call
        self.env.schedule(alarm, self.priority, delay)
        return alarm

    def blocked(self) -> simpy.Event:
        """The event to yield in order to go on when somebody calls :meth:`wake`."""
        return self._alarm.wait()

    def wake(self) -> None:
        """Let a blocked actor go on, in this same nanosecond but at its own turn."""
        self.now = int(self.env.now)
        self.alarms += 1
        self.env.schedule(self._alarm, self.priority, 0)

    def charge(self, part: str, wait_ns: int, service_ns: int) -> None:
        """Write down time spent at a part."""
        entry = self.spent.get(part)
        if entry is None:
            self.spent[part] = [wait_ns, service_ns]
        else:
            entry[0] += wait_ns
            entry[1] += service_ns
