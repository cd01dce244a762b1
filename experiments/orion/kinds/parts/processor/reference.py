"""A workstation's processor: servers first, one process at a time with what they leave.

What servers do is short; it stops the process for as long. Servers among themselves queue, and
so do processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import Any

import simpy

from simulator.reference.actor import Actor
from simulator.reference.part import Processor

from .spec import WorkstationSpec


class Workstation(Processor):
    """One processor; see also :class:`simulator.kinds.parts.processor.spec.WorkstationSpec`."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.spec: WorkstationSpec = self.plan.spec
        self.server_ns = 0
        """What servers have used."""
        self.sweeps = 0
        """Sweeps over a mesh so far."""
        self.free_ns = 0
        """When servers have done what they were asked for."""
        self._process_until_ns = -1
        self._computing = False
        self._waiting: deque[Actor] = deque()

    def serve(self, work_ns: int) -> int:
        """Do a server's work from now on, or after that of others; return when it ends.

        The process goes on that much later if it was computing.
        """
        return self.serve_at(self.clock.now, work_ns)

    def serve_at(self, begin_ns: int, work_ns: int) -> int:
        """Do a server's work from a time on at which nothing else happens; return when it ends."""
        self.serve_often(max(begin_ns, self.free_ns), work_ns, 1, 0)
        return self.free_ns

    def serve_often(self, start_ns: int, work_ns: int, count: int, interval_ns: int) -> None:
        """Do a server's work again and again at an interval, while nothing else happens."""
        self.free_ns = start_ns + (count - 1) * interval_ns + work_ns
        work = count * work_ns
        self.server_ns += work
        self.requests += count  # As Part.count, without the call.
        self.busy_ns += work
        if self._process_until_ns > start_ns:
            self._process_until_ns += work

    def compute(self, actor: Actor, work_ns: int) -> Generator[simpy.Event, None, int]:
        """Do a process's work; return the time that others took before and meanwhile."""
        began = actor.now
        self.count(0, work_ns)
        if self._computing:  # It is handed over without being free in between.
            self._waiting.append(actor)
            yield actor.blocked(lambda: f"the processor {self.name}")
        self._computing, taken = True, actor.now
        self._process_until_ns = max(taken, self.free_ns) + work_ns
        while actor.now < self._process_until_ns:
            yield actor.until(self._process_until_ns)
        self._process_until_ns = -1
        self._computing = bool(self._waiting)
        if self._waiting:
            self._waiting.popleft().wake()
        self.note(taken, actor.now - taken, 0)
        return actor.now - began - work_ns

    def sweep_ns(self, points: int, size: int) -> int:
        """Return the work to compute so many points of a mesh of ``size`` bytes; with noise."""
        self.sweeps += 1
        return self.noise.stretch(self.spec.sweep_cpu_ns(points, size), self.sweeps)
