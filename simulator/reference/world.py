"""One run: the machine, its processes, and where processes meet."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from simulator.plan.codes import AT_TIMES, POISSON
from simulator.plan.noise import Noise
from simulator.reference.attributes import Attributes
from simulator.reference.machine import Machine
from simulator.reference.meeting import Barrier, Channel, Lock, Mark, Waiting
from simulator.reference.process import Process
from simulator.reference.services.services import Services
from simulator.result.latency import Latency

if TYPE_CHECKING:
    from simulator.plan.jobs import ArrivalsPlan
    from simulator.plan.plan import Plan
    from simulator.reference.actor import Actor, Steps
    from simulator.workload.follower import Follower


class World:
    """Everything of one run."""

    def __init__(
        self,
        plan: Plan,
        *,
        record: bool,
        timeline: bool,
        followers: Mapping[int, Follower] | None = None,
    ) -> None:
        self.plan = plan
        self.recorded = record
        self.attributes = Attributes()
        self.machine = Machine(plan, timeline=timeline)
        others = plan.others_column
        self.locks = [Lock(plan.lock_column, i) for i in range(plan.locks)]
        self.marks = [Mark(others, i) for i in range(plan.marks)]
        self.barriers = [
            Barrier(plan.barrier_column, i, members) for i, members in enumerate(plan.barriers)
        ]
        self.channels = [
            Channel(others, i, plan.processes[channel.source].name)
            for i, channel in enumerate(plan.channels)
        ]
        self.arrivals = [self._arrivals(row) for row in plan.arrivals]
        self.services = Services(self, followers or {})
        self.processes = [Process(self, number) for number in range(len(plan.processes))]
        self._going = len(self.processes)
        self._awaited = sum(one.until < 0 for one in plan.processes)
        """Processes that have not ended, and that others go on for."""
        self._rounds: Counter[int] = Counter()
        """Row of processes that go on as long as others -> rounds that are certain."""
        self._joining: dict[int, Waiting] = {}
        self._asleep = {number for number, one in enumerate(plan.processes) if one.sleeps}
        self.latencies: dict[str, Latency] = {}
        self.responses: dict[str, Latency] = defaultdict(Latency)
        """Of jobs that arrive, by job."""

    def _arrivals(self, row: ArrivalsPlan) -> Iterator[int]:
        """Yield the times at which jobs arrive; the processes of a row take them in turn."""
        if row.kind == AT_TIMES:
            yield from row.times[: row.count]
            return
        noise = Noise.exponential(self.plan.seed, self.plan.run, row.stream)
        time = row.first_ns
        for number in range(row.count):
            if row.kind == POISSON:
                time += noise.stretch(row.gap_ns, number + 1)
                yield time
            else:
                yield row.first_ns + number * row.gap_ns

    def latency(self, operation: str) -> Latency:
        """Return the histogram of an operation."""
        return self.latencies.setdefault(operation, Latency())

    def send(
        self, actor: Actor, top: int, groups: Sequence[int], nodes: Sequence[int], size: int
    ) -> Steps:
        """Move bytes from one node to another; free where there are no tiers."""
        if top >= 0:
            tier, request = self.machine.request(actor, top, groups, nodes, span=(0, size))
            yield from tier.write(request)

    def start(self, number: int) -> None:
        """Start a process that sleeps; one that was started before is left alone."""
        if number in self._asleep:
            self._asleep.remove(number)
            self.processes[number].actor.wake()

    def join(self, actor: Actor, number: int) -> Steps:
        """Wait until a process has ended."""
        other = self.processes[number]
        if other.ended_ns < 0:
            waiting = self._joining.setdefault(
                number,
                Waiting(self.plan.others_column, lambda: f"{other.plan.name} to end"),
            )
            yield from waiting.wait(actor)

    def goes_on(self, row: int, done: int) -> bool:
        """Return whether a process that has gone ``done`` times through its phases does so again.

        All processes of a row go through them equally often.
        """
        if self._awaited:
            self._rounds[row] = max(self._rounds[row], done + 1)
        return done < self._rounds[row]

    def ended(self, process: Process) -> None:
        """Wake the processes that wait for the end of one; services end with the last."""
        self._going -= 1
        self._awaited -= process.plan.until < 0
        if not self._going:
            self.services.end()
        if process.number in self._joining:
            self._joining[process.number].wake_all()
