"""The processor that a process runs on, as far as input and output see it.

A process is ahead of the clock by what it has spent here. Where there can be more to do than the
node has cores, what it catches up or computes is a task that shares them.
"""

from __future__ import annotations

from typing import Any

import simpy

from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.kinds.parts.shared.reference import Sharing
from simulator.plan.cores import speeds_of
from simulator.reference.actor import Actor
from simulator.reference.part import Part


class Cpu(Part):
    """Copies data and makes calls; each method returns the time that this takes, in ns."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.spec: PeSpec = self.plan.spec
        self.sharing: Sharing | None = None
        """The tasks that share its cores; None where nothing can wait for one."""

    def copy(self, actor: Actor, size: int, records: int) -> int:
        """Move data between a program and its buffer."""
        return self._spend(actor, self.spec.copy_ns(size, records), size)

    def call(self, actor: Actor, *, turns: int) -> int:
        """Make a call; ``turns`` is 0 unless it moves a Fortran buffer."""
        return self._spend(actor, self.spec.call_ns(turns=turns), 0)

    def own_ns(self, service_ns: int, *, turns: int) -> int:
        """Return how much of a call's time is the system's, and not that of the buffer's turn."""
        whole = self.spec.call_ns(turns=turns)
        return service_ns * self.spec.call_overhead_ns // whole if whole else 0

    def crowd(self) -> None:
        """Share its cores among tasks from now on."""
        speeds = speeds_of(self.plan.cores)
        self.sharing = Sharing(self.clock, self.name, self.timer, speeds)

    def work(self, actor: Actor, work_ns: int, *, spent: bool) -> simpy.Event:
        """Return the event to yield until so much work is done; what it takes longer is waiting.

        ``spent``: it has been counted when it was spent here.
        """
        if self.sharing is None or not work_ns:
            return actor.until(actor.now + work_ns)
        if not spent:
            self.busy_ns += work_ns
        return self.sharing.join(actor, work_ns, self._ended)

    def _ended(self, actor: Actor, began_ns: int, work_ns: int, took_ns: int) -> None:
        actor.charge(self.column, took_ns - work_ns, 0)

    def _spend(self, actor: Actor, service_ns: int, size: int) -> int:
        service_ns = self.stretched(service_ns)
        self.count(size, service_ns)
        actor.charge(self.column, 0, service_ns)
        return service_ns
