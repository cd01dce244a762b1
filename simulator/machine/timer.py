"""A timer of a part of the machine that often learns that its time is another one.

Setting it to a later time costs nothing: it rings at the earlier one, and goes on waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.machine.actor import Alarm

if TYPE_CHECKING:
    from collections.abc import Callable

    import simpy
    from simpy.events import EventPriority


class Timer:
    """Calls a function at the time it was last set to, in its turn within the nanosecond."""

    __slots__ = ("_alarm", "_call", "_due_ns", "_env", "_priority", "_rings_ns")

    def __init__(
        self, env: simpy.Environment, priority: EventPriority, call: Callable[[], None]
    ) -> None:
        self._env = env
        self._priority = priority
        self._call = call
        self._due_ns = -1
        self._rings_ns = -1
        """When the alarm that counts rings; -1 for none."""
        self._alarm: Alarm | None = None

    def set(self, time_ns: int) -> None:
        """Ring at ``time_ns``, which is not before now, and at no other time; -1: never."""
        self._due_ns = time_ns
        if time_ns >= 0 and (self._rings_ns < 0 or time_ns < self._rings_ns):
            self._schedule(time_ns)

    def _schedule(self, time_ns: int) -> None:
        self._rings_ns = time_ns
        alarm = Alarm(self._env).after(time_ns - int(self._env.now), self._priority)
        assert alarm.callbacks is not None
        alarm.callbacks.append(self._ring)
        self._alarm = alarm

    def _ring(self, alarm: simpy.Event) -> None:
        if alarm is not self._alarm:
            return  # it was set to an earlier time since
        rang_ns = self._rings_ns
        self._rings_ns = -1
        if self._due_ns == rang_ns:
            self._due_ns = -1
            self._call()
        elif self._due_ns >= 0:
            self._schedule(self._due_ns)
