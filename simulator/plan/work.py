"""Expected work of a run: requests at each tier, uses of resources, blocks of stores.

Requests of the same size on the same path are one row, counted by arithmetic. Values that depend on
the run (hits, waiting, rounds of a process that repeats until others end) are means or upper
bounds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from simulator.kinds.traits import PartSpec
from simulator.plan.demand import Demands
from simulator.plan.events import MOST_TIMES
from simulator.plan.tiers import EMPTY, READS, WRITES, traits_of_tier

if TYPE_CHECKING:
    from simulator.plan.demand import Demand
    from simulator.plan.events import EventPlan
    from simulator.plan.plan import Plan

MOST_PROCESSES = 256
"""Maximum of processes examined; of more, an evenly spaced sample represents all."""
MOST_ROWS = 20_000
"""Maximum of listed operations examined."""


@dataclass(slots=True)
class Requests:
    """Requests of one size that use the same tiers."""

    count: float = 0.0
    seen: dict[tuple[int, int], float] = field(default_factory=dict)
    """Their files and nodes, each with the number of requests; a process of a queue, whose node
    nobody knows yet, counts as on one of its own (below 0)."""


class Work:
    """Expected numbers of requests and blocks of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.calls = 0.0
        """Operations of processes, and their computing."""
        self.job_calls: defaultdict[str, float] = defaultdict(float)
        """Calls of each job."""
        self.requests = [0.0] * len(plan.tiers)
        """Requests that reach each tier."""
        self.passes = [0.0] * len(plan.tiers)
        """Uses of resources by requests at each tier."""
        self.blocks = [0.0] * len(plan.stores)
        """Block lookups in each store."""
        self._files: list[dict[tuple[int, int], float]] = [{} for _ in plan.stores]
        """Bytes of each file, by node of origin, that reach each store."""
        self.made: defaultdict[int, float] = defaultdict(float)
        """Requests that tiers create from those that reach them, where these are cut or striped."""
        self.pieces = [1.0] * len(plan.tiers)
        """Maximum number of requests that each tier makes of one."""
        self.tops: dict[int, None] = {}
        """First tiers of requests."""
        self.polls = 0.0
        """Polls of message servers."""
        self.records = 0.0
        """Records of different lengths, which libraries buffer one by one."""
        self.messages = 0.0
        """Messages between message servers, and calls of numerical servers."""
        self._groups: defaultdict[tuple[int, int, int], Requests] = defaultdict(Requests)
        """Requests by their first tier, size and direction."""
        self._demands = Demands(plan, exact=False, most_rows=MOST_ROWS)
        looked_at = range(len(plan.processes))[:: -(-len(plan.processes) // MOST_PROCESSES) or 1]
        self._stands_for = len(plan.processes) / max(len(looked_at), 1)
        """Number of processes that the examined one represents."""
        self._computes_ns = 0.0
        """Longest computing time of a process, its start included."""
        self._longest = 0.0
        """Maximum number of calls of a process that does not repeat until others end."""
        self._count(looked_at)
        self.held = [
            min(float(store.count * store.slots), sum(files.values()) / store.block)
            for store, files in zip(plan.stores, self._files, strict=True)
        ]
        """Maximum number of blocks that all instances of each store hold."""

    def _count(self, looked_at: Sequence[int]) -> None:
        """Count the calls of processes, then their requests and the blocks of stores."""
        for number in sorted(looked_at, key=lambda one: self.plan.processes[one].until >= 0):
            self._process(number, self._stands_for)
        for (top, size, way), requests in self._groups.items():
            self._walk(top, size, way, requests)

    @cached_property
    def event_steps(self) -> float:
        """Number of failures, changes of speed, and rebuild steps simulated one by one."""
        return sum(map(self._occurrences, self.plan.events))

    def _occurrences(self, event: EventPlan) -> float:
        """Return the number of occurrences of an event in the minimum computing time.

        It includes the steps of rebuilds beside a slow disk; other rebuilds are one step.
        """
        times = 1.0
        if event.mean_ns:
            times = min(MOST_TIMES, self._computes_ns / (event.mean_ns + event.lasts_ns))
        spec = self.plan.parts[event.part].spec
        slows = any(one.part == event.part and one.speed for one in self.plan.events)
        if slows and not event.speed and isinstance(spec, PartSpec):
            times *= 1 + spec.rebuild_steps()
        return times

    # -- processes ------------------------------------------------------------------------------

    @cached_property
    def _servers(self) -> Counter[int]:
        """Return the number of processes that serve each row of arrivals."""
        return Counter(one.arrivals for one in self.plan.processes)

    @cached_property
    def _submitted(self) -> dict[int, int]:
        """Return when processes of jobs of queues are submitted, by their numbers; ns."""
        return {
            number: job.submit_ns
            for queue in self.plan.queues
            for job in queue.jobs
            for number in range(job.first, job.first + job.count)
        }

    def _process(self, number: int, share: float) -> None:
        """Add the phases of a process that represents ``share`` processes."""
        process = self.plan.processes[number]
        if process.arrivals >= 0:
            share *= self.plan.arrivals[process.arrivals].count / self._servers[process.arrivals]
        phases = [*self._demands.phases(number)]
        own_ns = sum(phase.compute_ns * times for phase, _, times in phases)
        begin_ns = max(process.start_ns, self._submitted.get(number, 0))
        self._computes_ns = max(self._computes_ns, begin_ns + own_ns)
        made = share * sum(demand.steps * times for _, demand, times in phases)
        if process.until < 0:
            self._longest = max(self._longest, made / self._stands_for)
        elif made and self._longest * share > made:  # As many calls as the longest of the others.
            share, made = self._longest * share**2 / made, self._longest * share
        self.calls += made
        self.job_calls[process.job] += made
        for _, demand, times in phases:
            self._add(demand, times * share, -1 - number if process.queued else process.node)

    def _add(self, demand: Demand, times: float, node: int) -> None:
        """Add the requests of processes on a node, made a number of times."""
        self.records += demand.records * times
        self.messages += sum((*demand.sent.values(), *demand.messages.values())) * times
        self.polls += demand.polls * times
        for entry, amount in demand.entries.items():
            if amount.count:
                size = -(-amount.bytes // amount.count)
                group = self._groups[entry.top, size, entry.way]
                group.count += amount.count * times
                group.seen[entry.file, node] = self._stands_for

    # -- requests -------------------------------------------------------------------------------

    def _walk(self, top: int, size: float, way: int, requests: Requests) -> None:
        """Follow requests down a chain; each tier may make several of one."""
        count = requests.count
        self.tops[top] = None
        for row, tier in self.plan.chain(top):
            traits = traits_of_tier(tier.kind)
            self.requests[row] += count * traits.visits(tier, size)
            uses = len(traits.uses(tier, way)) * max(1, min(tier.pieces, tier.width))
            self.passes[row] += count * uses
            pieces = there = 1.0
            if traits.stores and way != EMPTY:
                pieces, there = self._store_requests(row, count, size, way, requests)
            elif way != EMPTY:
                pieces = traits.pieces(tier, size)
            if traits.cuts:
                self.made[row] += count * pieces
                self.pieces[row] = max(self.pieces[row], pieces)
            count *= pieces * there
            if not count:
                return
            size /= pieces

    def _store_requests(
        self, row: int, count: float, size: float, way: int, requests: Requests
    ) -> tuple[float, float]:
        """Add the blocks of a store; return the number of requests that one is cut into below.

        The second value is their number.
        """
        tier = self.plan.tiers[row]
        store = self.plan.stores[tier.row]
        extent = store.extent * store.block
        self.blocks[tier.row] += count * (size / store.block + 1)
        through = way == WRITES and not store.back
        missing = (
            1.0 if through else self._miss_fraction(tier.row, tier.slot, count * size, requests)
        )
        if "eager" in store.triggers and way == WRITES:
            return max(1.0, size / extent), missing
        # Calls smaller than an extent are merged, and later ones hit the fetched blocks.
        least = store.block if way == READS and not store.ahead else extent
        return max(size / extent, min(1.0, size / least)), missing

    def _miss_fraction(self, row: int, slot: int, total: float, requests: Requests) -> float:
        """Return the fraction of the bytes that has to be moved below a store."""
        store = self.plan.stores[row]
        nodes = Counter(file for file, _ in requests.seen)
        own = 0.0
        for (file, node), stands_for in requests.seen.items():
            if file >= 0:
                one = max(self.plan.files[file].size, self.plan.files[file].length)
                part = one * stands_for if slot == 0 or nodes[file] == 1 else one / nodes[file]
                self._files[row][file, node] = part
                own += part
        members = len(requests.seen) * self._stands_for if slot == 0 else 1
        room = float(members * store.slots * store.block)
        if own > room or not own:
            return 1.0
        return min(1.0, own / total) if total else 0.0
