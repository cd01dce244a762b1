"""The processor that a process runs on, as far as input and output see it.

Nothing queues: the process is ahead of the clock by what it has spent here.
"""

from __future__ import annotations

from typing import Any

from simulator.plan.specs.pe import PeSpec
from simulator.reference.actor import Actor
from simulator.reference.part import Part


class Cpu(Part):
    """Copies data and makes calls; each method returns the time that this takes, in ns."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        assert self.plan.cpu is not None
        self.spec: PeSpec = self.plan.cpu

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

    def _spend(self, actor: Actor, service_ns: int, size: int) -> int:
        service_ns = self.stretched(service_ns)
        self.count(size, service_ns)
        actor.charge(self.column, 0, service_ns)
        return service_ns
