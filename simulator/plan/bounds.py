"""Lower bounds on the time of a run, from its plan alone: bytes over the rate of a resource.

In any order of requests, a resource serves at most its rate at each of its servers. All data of a
process pass the resources above the first store of its path. Below stores, a file that is read
passes at least once; written data pass as far as they do not fit into stores as dirty data.
Overheads, waiting and seeks only add to that: a configuration whose bound misses a target misses it
(asymptotic bounds: Denning and Buzen, The Operational Analysis of Queueing Network Models, ACM
Computing Surveys 10 (1978), 3).

Where no bound is known (MPI-IO behind buffers, services, random offsets) it is 0.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.plan.codes import STREAM
from simulator.plan.demand import Demands
from simulator.plan.noise import ONE, run_factor
from simulator.plan.tiers import READS, WRITES, traits_of_tier

if TYPE_CHECKING:
    from simulator.plan.demand import Demand
    from simulator.plan.jobs import PhasePlan, ProcessPlan
    from simulator.plan.parts import PartPlan
    from simulator.plan.paths import Hold
    from simulator.plan.plan import Plan

    Phase = tuple[PhasePlan, Demand, float]
    """A phase, its demand, and its number of passes."""

KINDS = ("queue", "network", "disk", "scheduled", "ssd", "shared")
"""Kinds of resources whose ``service`` is an upper bound on their rate; others have no bound."""
SPEED_BITS = 20
"""Fractional bits of a speed; see ``PartPlan.speeds``."""
REQUESTS_FAVOUR = 1.05
"""Maximum distance from 1 of the mean factor of a run's requests."""


_ASKING = (
    *("processes", "operations", "paths", "files", "tiers"),
    *("channels", "services", "arrivals", "asked"),
)
"""Fields of a plan that determine the demands of its processes."""
BOUNDED = ("elapsed", "end", "stable")
"""Figures that have bounds."""


class Bounds:
    """Bounds on the figures of all runs of a plan, or of one of its jobs."""

    def __init__(self, plan: Plan, other: Bounds | None = None) -> None:
        """``other``: bounds of another plan, whose demands are reused if they are the same.

        They are in plans that differ only in numbers of resources and stores.
        """
        self.plan = plan
        self._phases: Sequence[Sequence[Phase]]
        if other is not None and all(
            getattr(plan, name) is getattr(other.plan, name) for name in _ASKING
        ):
            self._phases = other._phases
        else:
            demands = Demands(plan, exact=False)
            self._phases = [tuple(demands.phases(number)) for number in range(len(plan.processes))]
        self._moved: dict[str | None, _Moved] = {}

    def of_job(self, job: str | None) -> _Moved:
        """Return the bytes that a job, or the whole run, reads and writes."""
        if job not in self._moved:
            self._moved[job] = _Moved(self.plan, job, self._phases)
        return self._moved[job]

    def least_ns(self, job: str | None = None) -> float:
        """Return a lower bound in ns on the time of a run, or of one of its jobs."""
        moved = self.of_job(job)
        busy: defaultdict[int, float] = defaultdict(float)
        for behind, sizes in ((False, moved.above), (True, moved.behind())):
            for (top, way), size in sizes.items():
                for hold in _passed(self.plan, top, way, behind=behind):
                    busy[hold.part] += size / moved.most(hold, way)
        return max((1e9 * max(busy.values(), default=0.0)), moved.compute_ns)

    def most_stable(self, job: str | None = None) -> float:
        """Return an upper bound in bytes per second on the rate to stable storage; may be inf."""
        moved = self.of_job(job)
        ways = [
            {
                hold.part: hold
                for behind in (False, True)
                for hold in _passed(self.plan, top, WRITES, behind=behind)
            }
            for top in {one.top for one in moved.files.values() if one.moved[WRITES]}
        ]
        common = set(ways[0]).intersection(*ways[1:]) if ways else set[int]()
        return min((moved.most(ways[0][part], WRITES) for part in common), default=math.inf)

    def written(self) -> int:
        """Return the number of bytes that the processes write; arrivals are left out."""
        return sum(size for (_, way), size in self.of_job(None).above.items() if way == WRITES)

    def best(self, figure: str, job: str | None) -> float | None:
        """Return a bound that no run exceeds in one of ``BOUNDED``; None if none is known."""
        if figure != "stable":
            return self.least_ns(job) or None
        most = self.most_stable(job)
        return most if math.isfinite(most) else None


# -- what is moved ------------------------------------------------------------------------------


@dataclass(slots=True)
class _File:
    """A file that processes read or write."""

    top: int
    moved: list[int]
    """Maximum bytes that one process reads, and writes."""


class _Moved:
    """Bytes that the processes of a plan, or of one job, read and write."""

    def __init__(self, plan: Plan, job: str | None, phases: Sequence[Sequence[Phase]]) -> None:
        self.plan = plan
        self.above: defaultdict[tuple[int, int], int] = defaultdict(int)
        """Bytes of all calls, by first tier and direction."""
        self.files: dict[int, _File] = {}
        self.compute_ns = 0
        """The longest computing time of a process."""
        self._others = set[int]()
        """Files that processes of other jobs read or write: a cache may hold them already."""
        self._nodes = set[tuple[int, int]]()
        self._anywhere = set[int]()
        """Groups of whose nodes a queue may choose any."""
        for process, mine in zip(plan.processes, phases, strict=True):
            if job is not None and process.job != job:
                self._others.update(file for file, *_ in _sizes(process, mine))
                continue
            self._nodes.add((process.group, process.node))
            if process.queued:
                self._anywhere.add(process.group)
            if process.arrivals < 0 and process.until < 0:
                self._add(process, mine)

    def _add(self, process: ProcessPlan, phases: Sequence[Phase]) -> None:
        moved: defaultdict[tuple[int, int, int], int] = defaultdict(int)
        for file, top, way, size in _sizes(process, phases):
            moved[file, top, way] += size
        for (file, top, way), size in moved.items():
            self.above[top, way] += size
            one = self.files.setdefault(file, _File(top, [0, 0]))
            one.moved[way] = max(one.moved[way], size)
        compute_ns = sum(phase.compute_ns * int(times) for phase, _, times in phases)
        self.compute_ns = max(self.compute_ns, compute_ns)

    def behind(self) -> dict[tuple[int, int], int]:
        """Return the bytes that must pass below the stores, by first tier and direction."""
        found: defaultdict[tuple[int, int], int] = defaultdict(int)
        for number, one in self.files.items():
            file, (reads, writes) = self.plan.files[number], one.moved
            if reads and not writes and not file.prestaged and number not in self._others:
                found[one.top, READS] += min(reads, file.length)
            # Rewritten data need to leave a cache only once.
            found[one.top, WRITES] += min(writes, max(file.size, file.length))
        for top, way in found:
            if way == WRITES:
                found[top, way] = max(0, found[top, way] - self._room(top))
        return found

    def _room(self, top: int) -> int:
        """Return the amount of written data that the stores of a path can hold."""
        room = 0
        for _, tier in self.plan.chain(top):
            if traits_of_tier(tier.kind).stores:
                store = self.plan.stores[tier.row]
                dirty = store.dirty_limit
                most = store.slots if dirty < 0 else min(store.slots, dirty + 1)
                room += store.count * (most + store.extent) * store.block
        return room

    def most(self, hold: Hold, way: int) -> float:
        """Return an upper bound in bytes per second on the rate of all instances of a resource."""
        part, writes = self.plan.parts[hold.part], way == WRITES
        service = part.service_of(writes=writes)
        rate = service.fastest * part.servers
        speeds = part.write_speeds if writes and part.writes is not None else part.speeds
        if speeds:
            rate = service.fastest * max(speeds) / (1 << SPEED_BITS)
        count = part.count
        if hold.slot == 0 and part.group not in self._anywhere:  # of the process's own node
            count = min(count, len({node for group, node in self._nodes if group == part.group}))
        return rate * _favour(self.plan, part, max(count, 1))


def _sizes(process: ProcessPlan, phases: Iterable[Phase]) -> Iterator[tuple[int, int, int, int]]:
    """Yield file, first tier, direction and bytes of each phase of a process."""
    for phase, demand, times in phases:
        if phase.draw is None and (phase.kind != STREAM or process.nodes == 1):
            for entry, amount in demand.entries.items():
                if entry.file >= 0 and amount.bytes:
                    yield entry.file, entry.top, entry.way, amount.bytes * int(times)


# -- what it passes -------------------------------------------------------------------------------


def _passed(plan: Plan, top: int, way: int, *, behind: bool) -> Iterator[Hold]:
    """Yield the claims that all data pass exactly once, above or below stores."""
    stored = False
    for _, tier in plan.chain(top):
        traits = traits_of_tier(tier.kind)
        if traits.merges:
            return
        stored |= traits.stores
        if stored == behind:
            holds: dict[int, Hold] = {}
            for hold in traits.carries(tier, way):
                holds.setdefault(hold.part, hold)
            yield from (one for one in holds.values() if plan.parts[one.part].kind in KINDS)


def _favour(plan: Plan, part: PartPlan, count: int) -> float:
    """Return the total speed of the fastest ``count`` instances, in units of one without noise.

    The run factor of an instance is drawn from the seed before the run.
    """
    noise = part.noise
    if noise.exponential:
        return math.inf
    if not plan.noisy:
        return count
    speeds = [1.0] * part.count
    if noise.run_sd:
        streams = (plan.stream(part, index) for index in range(part.count))
        run, sd, runs = plan.run, noise.run_sd, plan.runs
        speeds = [ONE / run_factor(plan.seed, run, one, sd, runs) for one in streams]
    return sum(heapq.nlargest(count, speeds)) * (REQUESTS_FAVOUR if noise.request_sd else 1.0)
