"""Actors: processes, workers and others, with their alarms and accounts of time.

When two actors are set to the same nanosecond, the one with the lower number acts first. An actor
has one alarm, so no two events have the same (time, number).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Generator
from heapq import heappop, heappush
from typing import TypeAlias

import simpy
from simpy.events import URGENT, EventPriority

from simulator.plan.errors import MOST, LimitError

Steps: TypeAlias = Generator[simpy.Event, None, None]
"""Steps of an actor; it yields its own alarm whenever it has to wait."""


class Alarm(simpy.Event):
    """An event that can be triggered repeatedly."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self._ok = True
        self._value = None


class Clock(simpy.Environment):
    """The time of a simulation in whole nanoseconds, and a count of its events.

    It does the work of :meth:`simpy.Environment.schedule` and :meth:`~simpy.Environment.step`
    itself, since most of what a run costs is events.
    """

    _now: int

    def __init__(self) -> None:
        super().__init__()
        self.events = 0
        """Number of activations of actors."""
        self.last_ns = 0
        """Time of the last event."""

    @property
    def now(self) -> int:
        """Current time; ns."""
        return self._now

    def ring(self, alarm: Alarm, turn: EventPriority, time_ns: int) -> None:
        """Schedule an alarm at a time (not before now), in an actor's turn."""
        heappush(self._queue, (time_ns, turn, next(self._eid), alarm))

    def set(self, alarm: Alarm, number: int, time_ns: int) -> None:
        """Schedule an alarm at a time (not before now), in the turn of an actor's number."""
        self.ring(alarm, EventPriority(number + 1), time_ns)

    def count(self, time_ns: int) -> None:
        """Count an event."""
        self.events += 1
        if time_ns > self.last_ns:  # noqa: PLR1730 - max() takes four times as long
            self.last_ns = time_ns

    def go(self) -> None:
        """Process all events; raise exceptions of actors, and LimitError for a time too late."""
        queue = self._queue
        while queue:
            time, _, _, event = heappop(queue)
            if time > MOST:
                raise LimitError("the clock")
            self._now = time  # type: ignore[assignment]  # All are whole.
            callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
            for callback in callbacks:
                callback(event)


class Actor:
    """A process, worker, reader, copier or branch.

    It waits for its own alarm only, and nothing waits for it, so it needs no ``simpy.Process``.
    """

    def __init__(self, clock: Clock, number: int, name: str) -> None:
        self.clock = clock
        self.number = number
        self.name = name
        self.spent: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])
        """Account category -> [waiting ns, service ns]."""
        self.waits_for: Callable[[], str] | None = None
        """While it is blocked: the reason, in words."""
        self.turn = EventPriority(number + 1)
        self._alarm = Alarm(clock)
        self._ringing: list[Callable[[simpy.Event], None]] = [self._go_on]
        """Callbacks of the alarm."""
        self._steps: Steps

    @property
    def now(self) -> int:
        """Current time; ns."""
        return self.clock._now

    def begin(self, steps: Steps) -> None:
        """Start its steps: the first in this nanosecond, before other actors."""
        self._steps = steps
        self._alarm.callbacks = self._ringing
        self.clock.ring(self._alarm, URGENT, self.clock._now)

    def _go_on(self, alarm: simpy.Event) -> None:
        """Run its steps up to the next alarm that it waits for."""
        next(self._steps, None)

    def until(self, time_ns: int) -> simpy.Event:
        """Return the event to yield in order to resume at ``time_ns`` (not before now).

        LimitError if that exceeds the limit of a run.
        """
        clock, alarm = self.clock, self._alarm
        if time_ns > MOST:
            raise LimitError(self.name)
        clock.count(time_ns)
        alarm.callbacks = self._ringing
        clock.ring(alarm, self.turn, time_ns)
        return alarm

    def blocked(self, waits_for: Callable[[], str]) -> simpy.Event:
        """Return the event to yield in order to resume when another actor calls :meth:`wake`."""
        self.waits_for = waits_for
        self._alarm.callbacks = self._ringing
        return self._alarm

    def wake(self) -> None:
        """Resume a blocked actor, in this nanosecond but at its own turn."""
        self.waits_for = None
        clock = self.clock
        clock.count(clock._now)
        clock.ring(self._alarm, self.turn, clock._now)

    def charge(self, column: int, wait_ns: int, service_ns: int) -> None:
        """Add time to an account category."""
        entry = self.spent[column]
        entry[0] += wait_ns
        entry[1] += service_ns
        if entry[0] > MOST or entry[1] > MOST:
            raise LimitError(self.name)

    def charge_all(self, other: Actor) -> None:
        """Add the whole account of another actor."""
        for column, (wait, service) in other.spent.items():
            self.charge(column, wait, service)


class Server(Actor):
    """A service actor, which ends when no process is left.

    Its activity does not prolong a run.
    """

    def until(self, time_ns: int) -> simpy.Event:
        """Return the event to yield in order to resume at ``time_ns`` (not before now)."""
        clock, alarm = self.clock, self._alarm
        clock.events += 1
        alarm.callbacks = self._ringing
        clock.ring(alarm, self.turn, time_ns)
        return alarm

    def idle(self) -> simpy.Event:
        """Return the event to yield in order to resume when :meth:`go_on` is called."""
        self._alarm.callbacks = self._ringing
        return self._alarm

    def go_on(self, time_ns: int) -> None:
        """Resume it at a time, by an event that :meth:`count` has counted."""
        self.clock.ring(self._alarm, self.turn, time_ns)

    def count(self, events: int) -> None:
        """Count events that are skipped because they have no visible effect."""
        self.clock.events += events


class WaitQueue:
    """Actors that wait for one condition, and the account category of their time."""

    def __init__(self, column: int, what: Callable[[], str]) -> None:
        self.actors: deque[Actor] = deque()
        self._column = column
        self._what = what

    def wait(self, actor: Actor) -> Steps:
        """Wait to be woken."""
        since = actor.now
        self.actors.append(actor)
        yield actor.blocked(self._what)
        actor.charge(self._column, actor.now - since, 0)

    def wake_all(self) -> None:
        """Wake all."""
        while self.actors:
            self.actors.popleft().wake()


class Timer:
    """Calls a function at the time last set, in its turn within the nanosecond."""

    __slots__ = ("_alarm", "_call", "_clock", "_due_ns", "_rings_ns", "_turn")

    def __init__(self, clock: Clock, turn: EventPriority, call: Callable[[], None]) -> None:
        self._clock = clock
        self._turn = turn
        self._call = call
        self._due_ns = -1
        self._rings_ns = -1
        """Time of the scheduled alarm; -1 for none."""
        self._alarm: Alarm | None = None

    def set(self, time_ns: int) -> None:
        """Schedule the call at ``time_ns`` (not before now), replacing any other; -1: never."""
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
