"""A processor of several PEs that its tasks share by time, with those that wait for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import simpy
from simpy.events import EventPriority

from simulator.reference.actor import Actor, Timer
from simulator.reference.part import Part
from simulator.result.result import PartResult

from .shares import LoadAverage, TimeShare
from .spec import SCALE, CpuSpec


class TimeShared(Part):
    """The rule is :class:`.shares.TimeShare`; a task is an actor's."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.spec: CpuSpec = self.plan.spec
        self.load = LoadAverage()
        self.work_ns = 0
        """PE time that tasks have asked for."""
        self._share = TimeShare(self.spec)
        self._waiting: dict[int, tuple[Actor, int, int]] = {}
        self._alone: dict[int, int] = {}
        """Threads -> speed of all of them together without others, in 2**-32."""
        self._timer = Timer(self.clock, EventPriority(self.timer + 1), self._ring)

    @property
    def runnable(self) -> int:
        """Threads that run or could."""
        return self._share.runnable

    def result(self) -> PartResult:
        """Return what it did; its servers are its PEs."""
        return replace(super().result(), servers=self.spec.pes)

    def take(
        self, actor: Actor, work_ns: int, threads: int = 1, *, urgent: bool = False
    ) -> simpy.Event:
        """Begin a task of threads with ``work_ns`` each; yield what it returns to await its end."""
        now, share, work = self.clock.now, self._share, work_ns * threads
        self.requests += 1  # As Part.count, without the call.
        self.busy_ns += work
        self.work_ns += work
        if now >= self.load.due_ns:
            self.load.advance(now, self.runnable)
        share.add(now, actor.number, work_ns, threads, urgent)
        if threads not in self._alone:
            self._alone[threads] = self.spec.alone_speed(threads)
        alone = -(-(work << SCALE) // self._alone[threads])
        self._waiting[actor.number] = (actor, now, alone)
        self._timer.set(share.next_end())
        return actor.blocked(self._told)

    def _told(self) -> str:
        return f"a task at {self.name}"

    def account(self) -> tuple[int, int]:
        """Return PE time used, and thread time run or waited, until now; ns."""
        now = self.clock.now
        if now >= self.load.due_ns:
            self.load.advance(now, self.runnable)
        self._share.advance(now)
        return self._share.used_ns, self._share.thread_ns

    def _ring(self) -> None:
        now = self.clock.now
        self.clock.count(now)
        if now >= self.load.due_ns:
            self.load.advance(now, self.runnable)
        while (number := self._share.finish(now)) >= 0:
            actor, began, service = self._waiting.pop(number)
            # What it would have taken alone is service; what sharing added is waiting.
            service = min(service, now - began)
            self.note(began, now - began, 0)
            actor.charge(self.column, now - began - service, service)
            actor.wake()
        self._timer.set(self._share.next_end())
