"""A disk behind a scheduler: requests wait until they are chosen, by it and then by the drive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import simpy
from simpy.events import EventPriority

from simulator.kinds.parts.disk.reference import Disk
from simulator.kinds.parts.scheduled.schedulers import Waiting, scheduler_of
from simulator.kinds.parts.scheduled.spec import ScheduledSpec
from simulator.reference.actor import Actor, Timer
from simulator.reference.part import Load, StageError, Station


@dataclass(slots=True, eq=False)
class _Command:
    """What the drive carries out: a request, or several that were merged."""

    requests: list[Waiting] = field(default_factory=list)
    load: Load = field(default_factory=lambda: Load(0))
    passed: int = 0
    """How many others the drive has preferred to it."""


class Scheduled(Disk):
    """One medium, the drive's queue before it, and the scheduler before that."""

    joins = True
    spec: ScheduledSpec

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._scheduler = scheduler_of(self.spec)
        self._urgent: list[_Command] = []
        """Requests with a cost of their own, which no scheduler orders."""
        self._drive: list[_Command] = []
        """Commands that the drive has, in the order of coming."""
        self._under_way: _Command | None = None
        self._begin_ns = 0
        self._came = 0
        self._timer = Timer(self.clock, EventPriority(self.timer + 1), self._ring)

    def free_ns(self) -> int:
        """Raise StageError: it is not known when a request begins."""
        return Station.free_ns(self)

    def serve(self, load: Load, start_ns: int) -> int:
        """Raise StageError: it is not known when a request ends."""
        raise StageError(self.name)

    def join(self, actor: Actor, load: Load) -> Iterable[simpy.Event]:
        """Queue a request; ``yield from`` the result."""
        self._came += 1
        low, high = load.span
        one = Waiting(
            self._came, actor.now, load.writes, load.file, low, high, load.size, caller=actor
        )
        if load.cost_ns >= 0:
            alone = Load(load.size, load.file, load.span, 1, load.cost_ns, load.writes)
            self._urgent.append(_Command([one], alone))
        else:
            self._scheduler.add(one)
        self._go_on()
        return (actor.blocked(lambda: f"a request at {self.name}"),)

    def _go_on(self) -> None:
        """Fill the drive's queue; begin a command, unless one is under way."""
        now = self.clock.now
        while len(self._drive) < self.spec.ncq:
            if self._urgent:
                self._drive.append(self._urgent.pop(0))
            elif requests := self._scheduler.next_command(now):
                self._drive.append(_command_of(requests))
            else:
                break
        if self._under_way is not None:
            return
        if self._drive:
            self._begin(self._chosen())
        elif self._scheduler.waiting:
            self._timer.set(self._scheduler.idle_until_ns())

    def _chosen(self) -> _Command:
        """Return the command nearest to the head, or one that others were preferred to often."""
        head = max(0, self._head)
        for one in self._drive:
            if one.passed >= self.spec.ncq:
                return one
        return min(
            self._drive,
            key=lambda one: 0 if one.load.cost_ns >= 0 else abs(one.load.span[0] - head),
        )

    def _begin(self, command: _Command) -> None:
        for one in self._drive:
            one.passed += one is not command
        load, now = command.load, self.clock.now
        service = self.stretched(self.unstretched_ns(load))
        end_ns = self.book(load, now, service)
        self.requests += len(command.requests) - 1
        self._under_way, self._begin_ns = command, now
        self._timer.set(end_ns)

    def _ring(self) -> None:
        """End the command under way, or idling."""
        now = self.clock.now
        self.clock.count(now)
        command = self._under_way
        if command is not None:
            self._under_way = None
            self._drive.remove(command)
            if command.load.cost_ns < 0:
                self._scheduler.ended(command.requests, now)
            lost = self.last_lost_ns
            for one in command.requests:
                waited = self._begin_ns - one.came_ns + lost
                one.caller.charge(self.column, waited, now - self._begin_ns - lost)
                one.caller.wake()
        self._go_on()


def _command_of(requests: list[Waiting]) -> _Command:
    """Return the command for requests that were merged."""
    low, high = min(one.low for one in requests), max(one.high for one in requests)
    first, size = requests[0], sum(one.size for one in requests)
    return _Command(requests, Load(size, first.file, (low, high), 1, -1, first.writes))
