"""Work for a core of its node: copying, or what a server's processor does for a request."""

from __future__ import annotations

from typing import Any

import simpy

from simulator.kinds.parts.cpu.reference import Cpu
from simulator.kinds.parts.delay.reference import Delay
from simulator.reference.actor import Actor
from simulator.reference.part import Load


class Core(Delay):
    """A delay; where tasks can wait for a core, it joins those of its node."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.cpu: Cpu | None = None
        """Whose cores it takes; None where nothing can wait for one."""

    @property
    def joins(self) -> bool:  # type: ignore[override]
        """Return whether requests join the tasks of the node."""
        return self.cpu is not None

    def join(self, actor: Actor, load: Load) -> tuple[simpy.Event]:
        """Begin a task of the node; ``yield from`` what it returns."""
        assert self.cpu is not None
        began = actor.now
        service = self.serve(load, began) - began
        actor.charge(self.column, 0, service)
        return (self.cpu.work(actor, service, spent=False),)
