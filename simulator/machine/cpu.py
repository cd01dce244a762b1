"""A processor that tasks share by time, with those that wait; the rule is in ``timeshare.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simpy.events import EventPriority

from simulator.machine.timer import Timer
from simulator.machine.timeshare import SCALE, CpuSpec, LoadAverage, TimeShare

if TYPE_CHECKING:
    import simpy

    from simulator.machine.actor import Actor


class Cpu:
    """The processor with those that wait for their tasks; a task is an actor's."""

    def __init__(self, env: simpy.Environment, number: int, name: str, spec: CpuSpec) -> None:
        self.env = env
        self.name = name
        self.spec = spec
        self.load = LoadAverage()
        self.requests = 0
        self.work_ns = 0
        """PE time that tasks have asked for."""
        self._share = TimeShare(spec)
        self._waiting: dict[int, tuple[Actor, int, int]] = {}
        self._alone: dict[int, int] = {}
        """Threads -> speed of all of them together with nobody else, in 2**-32."""
        self._timer = Timer(env, EventPriority(number + 1), self._ring)

    @property
    def runnable(self) -> int:
        """Threads that run or could."""
        return self._share.runnable

    def take(
        self, actor: Actor, work_ns: int, threads: int = 1, urgent: bool = False
    ) -> simpy.Event:
        """Begin a task of threads with ``work_ns`` each; yield what it returns to await its end."""
        now = int(self.env.now)
        self.requests += 1
        self.work_ns += work_ns * threads
        self.load.advance(now, self.runnable)
        self._share.add(now, actor.number, work_ns, threads, urgent)
        self._waiting[actor.number] = (actor, now, self._alone_ns(work_ns * threads, threads))
        self._timer.set(self._share.next_end())
        return actor.blocked()

    def _alone_ns(self, work_ns: int, threads: int) -> int:
        speed = self._alone.get(threads)
        if speed is None:
            speed = self._alone[threads] = self.spec.alone_speed(threads)
        return -(-(work_ns << SCALE) // speed)

    def account(self) -> tuple[int, int]:
        """PE time used, and thread time run or waited, until now; ns."""
        now = int(self.env.now)
        self.load.advance(now, self.runnable)
        self._share.advance(now)
        return self._share.used_ns, self._share.thread_ns

    def _ring(self) -> None:
        now = int(self.env.now)
        self.load.advance(now, self.runnable)
        while (number := self._share.finish(now)) >= 0:
            actor, began, service = self._waiting.pop(number)
            # What it would have taken alone is service; what sharing added is waiting.
            service = min(service, now - began)
            actor.charge(self.name, now - began - service, service)
            actor.wake()
        self._timer.set(self._share.next_end())
