"""Sums that a result must have: the demands of all processes of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from simulator.plan.codes import COMPUTE, LISTED, LOOP, METADATA, OPERATIONS, STREAM
from simulator.plan.demand import Demand, Demands, Entry
from simulator.plan.jobs import operations_of, passes_of
from simulator.plan.tiers import READS, WRITES

if TYPE_CHECKING:
    from simulator.plan.jobs import ProcessPlan
    from simulator.plan.plan import Plan

TIMED = frozenset(
    (
        *("read", "write", "sync", "lock", "barrier", "send", "receive", "ask-read", "ask-write"),
        *(OPERATIONS[kind] for kind in METADATA),
    )
)
"""Operations whose latencies are recorded."""


class Planned:
    """Demands of each process of a plan, and of all of them together."""

    def __init__(self, plan: Plan, rounds: Mapping[str, int]) -> None:
        """``rounds``: the number of rounds of processes that repeat until others end."""
        self.plan = plan
        demands = Demands(plan, exact=True)
        self.once = [
            demands.of(number, rounds.get(process.name, 0))
            for number, process in enumerate(plan.processes)
        ]
        """Demand of each process, or of one job if it serves arrivals."""
        self.total = Demand()
        for process, demand in zip(plan.processes, self.once, strict=True):
            if process.restart >= 0:
                self._begin_again(process, demand)
            elif process.arrivals < 0:
                self.total.add(demand)
                self._copy_out(process, demand)
        self.total.unknown |= {one.top for one in plan.services.messages if one.top >= 0}
        for row, arrivals in enumerate(plan.arrivals):
            takers = [n for n, one in enumerate(plan.processes) if one.arrivals == row]
            if takers:
                self._arrive([self.once[number] for number in takers], arrivals.count)

    def _begin_again(self, process: ProcessPlan, demand: Demand) -> None:
        """Add a process whose job fails: it may do more than it was to, and reads back."""
        demand.counted = self.total.counted = False
        self.total.unknown |= demand.tops | demand.unknown
        self.total.unknown |= {path.drain for path in self.plan.paths if path.drain >= 0}
        for path in (self.plan.paths[row] for row in paths_of(self.plan, process)):
            self.total.unknown |= {top for top in (path.top, path.metadata) if top >= 0}
            for way in (READS, WRITES):
                self.total.enter(Entry(path.top, way, direct=True), 0)

    def _arrive(self, takers: list[Demand], count: int) -> None:
        """Add the jobs that arrive, if their assignment to processes does not matter."""
        paths = self.plan.paths
        drained = any(paths[path].drain >= 0 for once in takers for path, _ in once.ends)
        if not drained and all(once == takers[0] for once in takers):
            self.total.add(takers[0], count)
            return
        self.total.counted = False
        for once in takers:
            self.total.unknown |= once.tops | once.unknown
            for entry in once.entries:
                if entry.direct:
                    self.total.enter(entry, 0)
        self.total.unknown |= {path.drain for path in paths if path.drain >= 0}

    def _copy_out(self, process: ProcessPlan, demand: Demand) -> None:
        """Add the copies after a process from the paths through which it wrote."""
        through = {phase.path for phase in process.phases if phase.kind == STREAM and phase.write}
        for (row, _), end in demand.ends.items():
            drain = self.plan.paths[row].drain
            if drain >= 0:
                self.total.enter(Entry(drain, WRITES), int(end > 0), end)
        for number in through | {row for row, _ in demand.ends}:
            drain = self.plan.paths[number].drain
            if drain >= 0 and not demand.counted:
                self.total.unknown.add(drain)


def paths_of(plan: Plan, process: ProcessPlan) -> set[int]:
    """Return the paths of a process's phases, also of those that read its checkpoint back."""
    rows = {phase.path for phase in process.phases if phase.kind == STREAM}
    for phase in process.phases:
        if phase.kind == LISTED:
            listed = range(phase.first, phase.first + phase.count)
            rows.update(plan.path_of(row) for row in listed if plan.operations.file[row] >= 0)
    return rows - {-1}


def gaps_elsewhere(plan: Plan, process: ProcessPlan, rounds: int) -> int:
    """Return the time between listed operations of a process that counts as service."""
    table = plan.operations
    return sum(
        times * table.gap[i]
        for phase, times in passes_of(process, rounds)
        for i in range(phase.first, phase.first + phase.count)
        if table.column[i] >= 0
    )


def listed_of(plan: Plan, process: ProcessPlan, rounds: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield row, offset, size of the listed operations of a process, and their numbers.

    For a process that serves arrivals they are those of one job.
    """
    for phase, passes in passes_of(process, rounds):
        if phase.kind == LISTED:
            yield from operations_of(plan.operations, phase, passes)


def only_timed(process: ProcessPlan, demand: Demand) -> bool:
    """Return whether all time of a process is computing, gaps, or recorded latencies."""
    kinds = {phase.kind for phase in process.phases}
    if process.processor >= 0 or not kinds <= {COMPUTE, LISTED, LOOP}:
        return False
    return demand.calls.keys() <= TIMED | {"unlock", "pass", "pause", "start"}
