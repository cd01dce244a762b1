"""Time that a process spends at its cpu, and its local time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import simpy

from simulator.kinds.parts.cpu.reference import Cpu
from simulator.reference.actor import Actor, Steps
from simulator.reference.part import Processor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.reference.world import World


class TimedProcess:
    """A process whose local time may be ahead of the clock: cpu time alone needs no event."""

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.machine = world.machine
        self.plan = world.plan.processes[number]
        self.number = number
        self.actor = Actor(self.machine.clock, number, self.plan.name)
        self.nodes: Sequence[int] = ()
        """Members of its group on which it runs; empty before a queue starts it."""
        self.cpus: list[Cpu | None] = []
        """The cpu of each of them."""
        self.cpu: Cpu | None = None
        self.crowded = False
        """True if it may have to wait for a core, so that calls begin at the clock's time."""
        self.processor: Processor | None = None
        """Processor that it shares with the servers of its node, if there are any."""
        if not self.plan.queued:
            self.place(range(self.plan.node, self.plan.node + self.plan.nodes))
        self.compute_ns = 0
        self.pending_ns = 0
        """Cpu time spent that the clock has not reached yet."""

    def place(self, nodes: Sequence[int]) -> None:
        """Run on members of its group from now on."""
        self.nodes = nodes
        self.cpus = [self._cpu(node) for node in nodes]
        self.cpu = self.cpus[0]
        self.crowded = self.cpu is not None and self.cpu.sharing is not None
        self.processor = self._processor()

    @property
    def node(self) -> int:
        """The member of its group on which it runs; the first of several."""
        return self.nodes[0]

    def _cpu(self, node: int) -> Cpu | None:
        if self.plan.cpu < 0:
            return None
        cpu = self.machine.instance(self.plan.cpu, node)
        assert isinstance(cpu, Cpu)
        return cpu

    def _processor(self) -> Processor | None:
        if self.plan.processor < 0:
            return None
        processor = self.machine.instance(self.plan.processor, self.node)
        assert isinstance(processor, Processor)
        return processor

    def compute(self, work_ns: int) -> Steps:
        """Compute; on a shared processor, with the capacity that servers leave."""
        self.compute_ns += work_ns
        if self.processor is None:
            yield self._work(work_ns, spent=False)
        else:
            waited = yield from self.processor.compute(self.actor, work_ns)
            self.actor.charge(self.processor.column, waited, 0)

    def spent_ns(self) -> int:
        """Return the local time of the process, which may be ahead of the clock."""
        return self.actor.now + self.pending_ns

    def pass_time(self) -> simpy.Event:
        """Advance the clock to the process's local time, in one event."""
        pending, self.pending_ns = self.pending_ns, 0
        return self._work(pending, spent=True)

    def _work(self, work_ns: int, *, spent: bool) -> simpy.Event:
        if self.cpu is None:
            return self.actor.until(self.actor.now + work_ns)
        return self.cpu.work(self.actor, work_ns, spent=spent)

    def catch_up(self) -> simpy.Event:
        """Advance the clock, and record the time for the timeline."""
        if self.cpu is not None:
            self.cpu.note(self.actor.now, self.pending_ns, 0)
        return self.pass_time()

    def call_cpu(self, path: int = -1) -> None:
        """Spend the time of a call (along a path), and record the cpu's part for the timeline."""
        if self.cpu is not None:
            began = self.spent_ns()
            service = self.cpu.call(self.actor, turns=0)
            self.pending_ns += service
            self.cpu.note(began, service, 0)
        if path >= 0:
            self.pending_ns += self.call_of(path)

    def copy(self, size: int, records: int, *, fortran: bool) -> None:
        """Spend the time of moving data between the program and its runtime's buffer.

        Only a Fortran runtime spends time on each record.
        """
        if self.cpu is not None:
            self.pending_ns += self.cpu.copy(self.actor, size, records if fortran else 0)

    def call_of(self, path: int) -> int:
        """Charge the cost of a call along a path besides the cpu; return it."""
        plan = self.world.plan.paths[path]
        if plan.call_ns:
            self.actor.charge(plan.call_column, 0, plan.call_ns)
        return plan.call_ns

    @property
    def client(self) -> tuple[int, int]:
        """Group of its node, and the member."""
        return self.plan.group, self.node
