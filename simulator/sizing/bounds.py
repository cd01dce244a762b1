"""The least time that a run can take, from its plan alone: bytes over the rate of a part.

Whatever the order of requests, a part serves at most its rate, at each of its servers. What a
process reads and writes has to pass the parts before the first store of its path. Behind stores a
file that is read passes at least once, and what is written as far as it does not fit into stores as
dirty data. Overheads, waiting and distances only add to that: a configuration whose bound misses a
target misses it (asymptotic bounds: Denning and Buzen, The Operational Analysis of Queueing Network
Models, ACM Computing Surveys 10 (1978), 3).

Where nothing can be said (MPI-IO behind buffers, services, drawn places) a bound is 0.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.plan.codes import END, LISTED, READ, STAGE, STORE, STREAM, WRITE, plain
from simulator.plan.jobs import passes_of
from simulator.plan.noise import ONE, run_factor

if TYPE_CHECKING:
    from simulator.config.requirement_file import Target
    from simulator.config.settings import Setting
    from simulator.plan.jobs import PhasePlan, ProcessPlan
    from simulator.plan.parts import PartPlan
    from simulator.plan.plan import Plan
    from simulator.sizing.loads import Ready

KINDS = ("queue", "network", "disk", "ssd", "shared")
"""Kinds of parts whose ``service`` is the most that they do; nothing is said of others."""
SPEED_BITS = 20
"""Bits behind the point of a speed; see ``PartPlan.speeds``."""
REQUESTS_FAVOUR = 1.05
"""The mean factor of a run's requests is at most so far from 1."""


@dataclass
class _File:
    """What a set of processes does with a file."""

    path: int
    reads: int = 0
    """The most bytes that one of them reads."""
    writes: int = 0


@dataclass
class _Demand:
    """What a set of processes moves."""

    above: dict[tuple[int, bool], int] = field(default_factory=lambda: defaultdict(int))
    """Bytes by path and whether they are written: all calls."""
    files: dict[int, _File] = field(default_factory=dict)
    nodes: set[tuple[int, int]] = field(default_factory=set)
    compute_ns: int = 0
    """The most that one process computes."""


def least_ns(plan: Plan, job: str | None = None) -> float:
    """Return a time in ns that no run of a plan, or of a job of it, is shorter than."""
    demand = _demand(plan, job)
    busy: defaultdict[int, float] = defaultdict(float)
    for (path, writes), size in demand.above.items():
        for part, slot in _passed(plan, path, writes=writes, behind=False):
            busy[part] += size / _most(plan, part, slot, demand, writes=writes)
    for (path, writes), size in _behind(plan, demand, job).items():
        for part, slot in _passed(plan, path, writes=writes, behind=True):
            busy[part] += size / _most(plan, part, slot, demand, writes=writes)
    return max((1e9 * max(busy.values(), default=0.0)), demand.compute_ns)


def most_stable(plan: Plan, job: str | None = None) -> float:
    """Return bytes per second that nothing comes to stable storage faster than; perhaps inf."""
    demand = _demand(plan, job)
    paths = {one.path for one in demand.files.values() if one.writes}
    ways = [
        {
            part: slot
            for behind in (False, True)
            for part, slot in _passed(plan, path, writes=True, behind=behind)
        }
        for path in paths
    ]
    common = set(ways[0]).intersection(*ways[1:]) if ways else set[int]()
    rates = (_most(plan, part, ways[0][part], demand, writes=True) for part in common)
    return min(rates, default=math.inf)


def written(plan: Plan) -> int:
    """Return how many bytes the processes of a plan write; arrivals are left out."""
    return sum(size for (_, writes), size in _demand(plan, None).above.items() if writes)


def best_of(
    load: Ready, target: Target, settings: tuple[Setting, ...], seed: int | None
) -> float | None:
    """Return what no run has a better figure than; None where nothing can be said."""
    if target.figure in ("elapsed", "end"):
        return least_ns(load.plan(settings, seed), target.job) or None
    if target.figure == "stable":
        most = most_stable(load.plan(settings, seed), target.job)
        return most if math.isfinite(most) else None
    return None


# -- what is moved ------------------------------------------------------------------------------


def _demand(plan: Plan, job: str | None) -> _Demand:
    demand = _Demand()
    for process in plan.processes:
        if job is not None and process.job != job:
            continue
        demand.nodes.add((process.group, process.node))
        if process.arrivals >= 0 or process.until >= 0:
            continue
        compute = 0
        moved: defaultdict[tuple[int, int, bool], int] = defaultdict(int)
        for phase, times in passes_of(process, 1):
            compute += phase.compute_ns * times
            for file, path, writes, size in _moves(plan, process, phase):
                moved[file, path, writes] += size * times
        demand.compute_ns = max(demand.compute_ns, compute)
        for (file, path, writes), size in moved.items():
            demand.above[path, writes] += size
            one = demand.files.setdefault(file, _File(path))
            if writes:
                one.writes = max(one.writes, size)
            else:
                one.reads = max(one.reads, size)
    return demand


def _moves(
    plan: Plan, process: ProcessPlan, phase: PhasePlan
) -> Iterator[tuple[int, int, bool, int]]:
    """Yield file, path, whether it is written, and bytes, of what a phase moves each time."""
    if phase.kind == STREAM and phase.lengths is not None and process.nodes == 1:
        yield phase.file, phase.path, phase.write, phase.lengths.total
    elif phase.kind == LISTED and phase.draw is None and phase.count:
        table, end = plan.operations, phase.first + phase.count
        sizes: defaultdict[tuple[int, bool], int] = defaultdict(int)
        for row in range(phase.first, end):
            kind = plain(table.kind[row])
            if kind in (READ, WRITE) and table.file[row] >= 0:
                sizes[table.file[row], kind == WRITE] += table.size[row]
        for (file, writes), size in sizes.items():
            yield file, plan.files[file].path, writes, size


def _behind(plan: Plan, demand: _Demand, job: str | None) -> dict[tuple[int, bool], int]:
    """Return the bytes that have to pass behind the stores, by path and whether written."""
    others = _used_by_others(plan, job)
    found: defaultdict[tuple[int, bool], int] = defaultdict(int)
    for number, one in demand.files.items():
        file = plan.files[number]
        fresh = not one.writes and not file.prestaged and number not in others
        if fresh and one.reads:
            found[one.path, False] += min(one.reads, file.length)
        # Written again and again it need not come further than a cache but once.
        found[one.path, True] += min(one.writes, max(file.size, file.length))
    for path in {path for path, writes in found if writes}:
        found[path, True] = max(0, found[path, True] - _room(plan, path))
    return found


def _used_by_others(plan: Plan, job: str | None) -> set[int]:
    """Return the files that processes of other jobs move: a cache may have them already."""
    if job is None:
        return set()
    return {
        file
        for process in plan.processes
        if process.job != job
        for phase in process.phases
        for file, _, _, _ in _moves(plan, process, phase)
    }


def _room(plan: Plan, path: int) -> int:
    """Return how much written data the stores of a path can keep back."""
    room = 0
    for row in range(plan.paths[path].top, len(plan.tiers)):
        tier = plan.tiers[row]
        if tier.kind == END:
            break
        if tier.kind == STORE:
            store = plan.stores[tier.row]
            most = store.slots if store.dirty_limit < 0 else min(store.slots, store.dirty_limit + 1)
            room += store.count * (most + store.extent) * store.block
    return room


# -- what it passes -------------------------------------------------------------------------------


def _passed(plan: Plan, path: int, *, writes: bool, behind: bool) -> Iterator[tuple[int, int]]:
    """Yield the parts that all data pass once, and the place of each: before or behind stores."""
    stored = False
    for row in range(plan.paths[path].top, len(plan.tiers)):
        tier = plan.tiers[row]
        if tier.kind == END:
            return
        if tier.kind == STORE:
            stored = True
        elif tier.kind == STAGE and stored == behind and not tier.remote_only:
            seen = set[int]()
            for hold in tier.down if writes else tier.up:
                part = plan.parts[hold.part]
                if part.kind in KINDS and hold.part not in seen and not tier.pieces:
                    seen.add(hold.part)
                    yield hold.part, hold.slot
        elif tier.kind == "buffers":
            return  # What I/O nodes are asked for is merged, and read ahead.


def _most(plan: Plan, row: int, slot: int, demand: _Demand, *, writes: bool) -> float:
    """Return the bytes per second that all instances of a part serve at most."""
    part = plan.parts[row]
    service = part.service_of(writes=writes)
    rate = service.rate * part.servers
    speeds = part.write_speeds if writes and part.writes is not None else part.speeds
    if speeds:
        rate = service.rate * max(speeds) / (1 << SPEED_BITS)
    count = part.count
    if slot == 0:  # of the process's own node
        count = min(count, len({node for group, node in demand.nodes if group == part.group}))
    return rate * _favour(plan, part, max(count, 1))


def _favour(plan: Plan, part: PartPlan, count: int) -> float:
    """Return how many instances of a part without noise the best ``count`` of them are worth.

    The factor of all requests of a run at an instance is drawn from the seed, before it begins.
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
