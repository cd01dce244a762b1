"""One run: the machine, its processes, their synchronisation, and clients' attribute caches.

Attributes are cached until a time, in a version of the file: docs/composition.md, "Attributes".
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.plan.codes import (
    AT_TIMES,
    CHANGING,
    CREATE,
    LOOKUP,
    OPEN,
    OPEN_ASKS,
    OPEN_CACHED,
    POISSON,
    STAT,
)
from simulator.plan.jobs import NOT_ENDED
from simulator.plan.noise import Noise
from simulator.reference.actor import WaitQueue
from simulator.reference.curves import CallRecorder
from simulator.reference.machine import Machine
from simulator.reference.process import Process
from simulator.reference.queue import BatchQueue
from simulator.reference.restarts import RestartTeam
from simulator.reference.services import Services
from simulator.result.latency import Latency
from simulator.result.result import PhaseResult

if TYPE_CHECKING:
    from simulator.plan.jobs import ArrivalsPlan
    from simulator.plan.paths import PathPlan
    from simulator.plan.plan import Plan
    from simulator.reference.actor import Actor, Steps
    from simulator.workload.follower import Follower


Client = tuple[int, int]
"""A group of nodes and a member of it."""


@dataclass(slots=True)
class CachedAttributes:
    """Attributes of a file, or of a name that is absent in it, as a client has cached them."""

    version: int
    """Version of the file at the last request to the server."""
    life_ns: int
    until_ns: int = 0


class Attributes:
    """The versions of all files, and the attribute caches of all clients."""

    def __init__(self) -> None:
        self._versions: defaultdict[int, int] = defaultdict(int)
        self._known: dict[tuple[Client, int, int], CachedAttributes] = {}

    def answer(
        self, path: PathPlan, client: Client, file: int, kind: int, name: int, now: int
    ) -> bool:
        """Return whether a client's cache suffices for an operation; ``name`` is 0 for the file."""
        if kind not in (STAT, LOOKUP) and not (kind == OPEN and path.opening == OPEN_CACHED):
            return False
        known = self._known.get((client, file, name))
        return known is not None and now < known.until_ns

    def answered(
        self, path: PathPlan, client: Client, file: int, kind: int, name: int, now: int
    ) -> bool:
        """Record the server's reply; return whether the client's clean blocks must be dropped."""
        if kind in CHANGING:
            self.changed(client, file)
        if kind not in (STAT, LOOKUP, OPEN, CREATE):
            return False
        version, usual = self._versions[file], path.attributes_min_ns
        key = (client, file, name)
        known = self._known.setdefault(key, CachedAttributes(version, usual))
        dropped = False
        if kind == CREATE:
            known.life_ns = usual
        elif known.version != version:
            known.life_ns = usual
            dropped = path.opening != OPEN_ASKS and not name
        elif 0 < known.until_ns <= now:
            known.life_ns = min(2 * known.life_ns, path.attributes_max_ns)
        known.version, known.until_ns = version, now + known.life_ns
        return dropped

    def changed(self, client: Client, file: int) -> None:
        """Record a change by a client; it knows the new version if it knew the previous one."""
        version = self._versions[file]
        self._versions[file] = version + 1
        known = self._known.get((client, file, 0))
        if known is not None and known.version == version:
            known.version = version + 1


class Lock:
    """A lock with one holder; the others wait in the order of their arrival."""

    def __init__(self, column: int, number: int) -> None:
        self._holder: Actor | None = None
        self._waiting = WaitQueue(column, lambda: f"lock {number}{self._held_by()}")

    def _held_by(self) -> str:
        return f" (held by {self._holder.name})" if self._holder else ""

    def take(self, actor: Actor) -> Steps:
        """Wait until the lock is held."""
        if self._holder is None:
            self._holder = actor
        else:
            yield from self._waiting.wait(actor)

    def release(self) -> None:
        """Release the lock to the first waiting actor."""
        actors = self._waiting.actors
        self._holder = actors.popleft() if actors else None
        if self._holder is not None:
            self._holder.wake()


class Barrier:
    """All processes continue when the last has arrived."""

    def __init__(self, column: int, number: int, members: int) -> None:
        self.members = members
        self.waiting = WaitQueue(column, lambda: f"barrier {number} ({self._here()} of {members})")

    def _here(self) -> int:
        return len(self.waiting.actors)

    def meet(self, actor: Actor) -> Steps:
        """Wait for the others."""
        if self._here() + 1 == self.members:
            self.waiting.wake_all()
        else:
            yield from self.waiting.wait(actor)


class Mark:
    """A point in a program for which others wait."""

    def __init__(self, column: int, number: int) -> None:
        self.passed = False
        self._waiting = WaitQueue(column, lambda: f"mark {number}")

    def wait(self, actor: Actor) -> Steps:
        """Wait until it has been passed."""
        yield from self._waiting.wait(actor)

    def pass_by(self) -> None:
        """Pass it: all waiting actors continue."""
        self.passed = True
        self._waiting.wake_all()


class Channel:
    """Messages from one process to another."""

    def __init__(self, column: int, number: int, source: str) -> None:
        self._arrived = 0
        what = f"a message of {source} (channel {number})"
        self._waiting = WaitQueue(column, lambda: what)

    def put(self) -> None:
        """Deliver a message."""
        self._arrived += 1
        self._waiting.wake_all()

    def take(self, actor: Actor) -> Steps:
        """Take a message; wait until there is one."""
        while not self._arrived:
            yield from self._waiting.wait(actor)
        self._arrived -= 1


class World:
    """All state of one run."""

    def __init__(
        self,
        plan: Plan,
        *,
        record: bool,
        timeline: bool,
        samples: int,
        followers: Mapping[int, Follower] | None = None,
    ) -> None:
        self.plan = plan
        self.recorded = record
        self.attributes = Attributes()
        self.machine = Machine(plan, timeline=timeline, samples=samples)
        self.call_curve = CallRecorder(samples) if samples else None
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
        self.arrivals = [enumerate(self._arrivals(row)) for row in plan.arrivals]
        self.took = [array("q", [NOT_ENDED]) * row.kept for row in plan.arrivals]
        """Response times of the arrivals of each row, in their order."""
        self.restarts = [RestartTeam(self, row) for row in plan.restarts]
        self.services = Services(self, followers or {})
        self.phases = [PhaseResult(one.job, one.label, one.what) for one in plan.named]
        self.processes = [Process(self, number) for number in range(len(plan.processes))]
        self.queues = [
            BatchQueue(self, row, plan.first_queue + number)
            for number, row in enumerate(plan.queues)
        ]
        self._going = len(self.processes)
        self._awaited = sum(one.until < 0 for one in plan.processes)
        """Processes that have not ended, and whose end others wait for to stop repeating."""
        self._rounds: Counter[int] = Counter()
        """Row of processes that repeat until others end -> rounds that are certain."""
        self._joining: dict[int, WaitQueue] = {}
        self._asleep = {number for number, one in enumerate(plan.processes) if one.sleeps}
        self.latencies: dict[str, Latency] = defaultdict(Latency)
        """Latencies of operations, by their names."""
        jobs = plan.jobs if plan.latencies_by_job else ()
        self.job_latencies = {job: defaultdict[str, Latency](Latency) for job in jobs}
        """Of each job, where they are counted by job."""
        self.responses: dict[str, Latency] = defaultdict(Latency)
        """Response times of arrivals, by job."""

    def count(self, job: str, operation: str, took_ns: int) -> None:
        """Count the latency of an operation."""
        self.latencies[operation].add(took_ns)
        if self.job_latencies:
            self.job_latencies[job][operation].add(took_ns)

    def _arrivals(self, row: ArrivalsPlan) -> Iterator[int]:
        """Yield the times of arrivals; the processes of a row take them in turn."""
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

    def send(
        self, actor: Actor, top: int, groups: Sequence[int], nodes: Sequence[int], size: int
    ) -> Steps:
        """Move bytes from one node to another; free without tiers."""
        if top >= 0:
            tier, request = self.machine.request(actor, top, groups, nodes, span=(0, size))
            yield from tier.write(request)

    def start(self, number: int) -> None:
        """Start a sleeping process; no effect if it was started before."""
        if number in self._asleep:
            self._asleep.remove(number)
            self.processes[number].actor.wake()

    def join(self, actor: Actor, number: int) -> Steps:
        """Wait until a process has ended."""
        other = self.processes[number]
        if other.ended_ns < 0:
            waiting = self._joining.setdefault(
                number,
                WaitQueue(self.plan.others_column, lambda: f"{other.plan.name} to end"),
            )
            yield from waiting.wait(actor)

    def goes_on(self, row: int, done: int) -> bool:
        """Return whether a process repeats its phases after ``done`` rounds.

        All processes of a row do the same number of rounds.
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
