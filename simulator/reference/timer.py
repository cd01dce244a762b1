"""A timer of a part that often learns that its time is another one.

Setting it to a later time costs nothing: it rings at the earlier one, and goes on waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.actor import Alarm, Clock

if TYPE_CHECKING:
    from collections.abc import Callable

    import simpy
    from simpy.events import EventPriority


class Timer:
    """Calls a function at the time it was last set to, in its turn within the nanosecond."""

    __slots__ = ("_alarm", "_call", "_clock", "_due_ns", "_rings_ns", "_turn")

    def __init__(self, clock: Clock, turn: EventPriority, call: Callable[[], None]) -> None:
        self._clock = clock
        self._turn = turn
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
        alarm = self._alarm = Alarm(self._clock)
        alarm.callbacks = [self._ring]
        self._clock.ring(alarm, self._turn, time_ns)

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
