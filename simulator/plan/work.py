"""The expected work of a run, before it: requests at each tier, uses of parts, blocks of stores.

Counted by arithmetic, not by looking at each request: requests of the same size on the same path
are one row. What depends on the run (which blocks are found, who waits for whom, how often a
process goes on until others end) is taken in the mean or at its most.
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
"""Processes that are looked at; of more, so many of them spread evenly stand for all."""
MOST_ROWS = 20_000
"""Operations that are looked at, if a plan lists more."""


@dataclass(slots=True)
class Requests:
    """Requests of one size that go along the same tiers."""

    count: float = 0.0
    seen: dict[tuple[int, int], float] = field(default_factory=dict)
    """The files and nodes that they are of, each with for how many it stands."""


class Work:
    """Expected numbers of requests and blocks of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.calls = 0.0
        """Operations of processes, and their computing."""
        self.job_calls: defaultdict[str, float] = defaultdict(float)
        """Calls of each job."""
        self.requests = [0.0] * len(plan.tiers)
        """Requests that come to each tier."""
        self.passes = [0.0] * len(plan.tiers)
        """Uses of parts by requests at each tier."""
        self.blocks = [0.0] * len(plan.stores)
        """Blocks that are looked at in each store."""
        self._files: list[dict[tuple[int, int], float]] = [{} for _ in plan.stores]
        """Bytes of each file, and from which node, that come to each store."""
        self.made: defaultdict[int, float] = defaultdict(float)
        """Requests that tiers make of those that come to them, where these are cut or striped."""
        self.pieces = [1.0] * len(plan.tiers)
        """The most that each tier makes of one request."""
        self.tops: dict[int, None] = {}
        """The first tiers that requests come to."""
        self.polls = 0.0
        """Polls of message servers."""
        self.records = 0.0
        """Records of different lengths, which libraries gather in buffers one by one."""
        self.messages = 0.0
        """Between message servers, and calls of numerical servers."""
        self._groups: defaultdict[tuple[int, int, int], Requests] = defaultdict(Requests)
        """Requests by their first tier, their size, and which way they move it."""
        self._demands = Demands(plan, exact=False, most_rows=MOST_ROWS)
        looked_at = range(len(plan.processes))[:: -(-len(plan.processes) // MOST_PROCESSES) or 1]
        self._stands_for = len(plan.processes) / max(len(looked_at), 1)
        """For how many processes one stands that is looked at."""
        self._computes_ns = 0.0
        """The time that the process computes which does so longest, with its start."""
        self._longest = 0.0
        """The most calls of a process that does not go on until others end."""
        self._count(looked_at)
        self.held = [
            min(float(store.count * store.slots), sum(files.values()) / store.block)
            for store, files in zip(plan.stores, self._files, strict=True)
        ]
        """Blocks that all instances of each store hold at most."""

    def _count(self, looked_at: Sequence[int]) -> None:
        """Count the calls of processes, then their requests and the blocks of stores."""
        for number in sorted(looked_at, key=lambda one: self.plan.processes[one].until >= 0):
            self._process(number, self._stands_for)
        for (top, size, way), requests in self._groups.items():
            self._walk(top, size, way, requests)

    @cached_property
    def happenings(self) -> float:
        """Failures and changes of speed, and steps of rebuilds that no arithmetic carries out."""
        return sum(map(self._happenings, self.plan.events))

    def _happenings(self, event: EventPlan) -> float:
        """Return how often an event happens in the time that processes compute at least.

        With the steps of rebuilds beside a disk that is slow: others are carried out at once.
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
        """The number of processes that serve each row of arrivals."""
        return Counter(one.arrivals for one in self.plan.processes)

    def _process(self, number: int, share: float) -> None:
        """Add the phases of a process that stands for ``share``."""
        process = self.plan.processes[number]
        if process.arrivals >= 0:
            share *= self.plan.arrivals[process.arrivals].count / self._servers[process.arrivals]
        phases = [*self._demands.phases(number)]
        own_ns = sum(phase.compute_ns * times for phase, _, times in phases)
        self._computes_ns = max(self._computes_ns, process.start_ns + own_ns)
        made = share * sum(demand.steps * times for _, demand, times in phases)
        if process.until < 0:
            self._longest = max(self._longest, made / self._stands_for)
        elif made and self._longest * share > made:  # As many calls as the longest of the others.
            share, made = self._longest * share**2 / made, self._longest * share
        self.calls += made
        self.job_calls[process.job] += made
        for _, demand, times in phases:
            self._add(demand, times * share, process.node)

    def _add(self, demand: Demand, times: float, node: int) -> None:
        """Add what processes on a node ask for, made so many times."""
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
                pieces, there = self._kept(row, count, size, way, requests)
            elif way != EMPTY:
                pieces = traits.pieces(tier, size)
            if traits.cuts:
                self.made[row] += count * pieces
                self.pieces[row] = max(self.pieces[row], pieces)
            count *= pieces * there
            if not count:
                return
            size /= pieces

    def _kept(
        self, row: int, count: float, size: float, way: int, requests: Requests
    ) -> tuple[float, float]:
        """Add the blocks of a store; return into how many requests one is cut that goes on.

        And how many of them do.
        """
        tier = self.plan.tiers[row]
        store = self.plan.stores[tier.row]
        extent = store.extent * store.block
        self.blocks[tier.row] += count * (size / store.block + 1)
        through = way == WRITES and not store.back
        missing = 1.0 if through else self._missing(tier.row, tier.slot, count * size, requests)
        if "eager" in store.triggers and way == WRITES:
            return max(1.0, size / extent), missing
        # Calls smaller than an extent are gathered, and what is fetched is found by later ones.
        least = store.block if way == READS and not store.ahead else extent
        return max(size / extent, min(1.0, size / least)), missing

    def _missing(self, row: int, slot: int, total: float, requests: Requests) -> float:
        """Return which part of the bytes has to be moved below a store."""
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
