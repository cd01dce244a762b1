"""What plans have in common that differ in numbers of parts and stores is flattened once."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from simulator.native.flatjobs import Jobs
from simulator.native.flatparts import part_tables, tables_like
from simulator.native.flattiers import Tiering
from simulator.plan.cores import crowded_groups
from simulator.plan.plan import Plan

if TYPE_CHECKING:
    from simulator.native.tables import PartTables

_CHANGED = (
    *(
        "process",
        "phase",
        "drain",
        "shared",
        "passed",
        "mark_waiters",
        "lock",
        "barrier",
        "channel",
    ),
    *("rounds", "arrivals", "latency", "version"),
)
"""What a run changes of the tables of processes."""
_OTHER = {"parts", "stores", "digest"}
_FIELDS = tuple(field.name for field in fields(Plan) if field.name not in _OTHER)
_OF_TIERS = ("groups", "tiers", "paths", "files", "channels")


@dataclass(frozen=True)
class _Last:
    """A plan, and tables that no run has changed."""

    plan: Plan
    parts: PartTables
    tiering: Tiering
    jobs: Jobs
    kept: dict[str, array[int]]


class Known:
    """Remembers the tables of the last plan that was flattened with it."""

    def __init__(self) -> None:
        self._last: _Last | None = None

    def tables(self, plan: Plan) -> tuple[PartTables, Tiering, Jobs]:
        """Return the tables of a plan's parts, tiers and processes, for one run."""
        last = self._last
        if last is not None:
            made = tables_like(plan, last.plan, last.parts)
            parts = made or part_tables(plan)
            if _only_numbers_differ(plan, last.plan):
                copies = {name: cells[:] for name, cells in last.kept.items()}
                return parts, last.tiering.again(plan, parts), last.jobs.again(plan, parts, copies)
            tiering = last.tiering.again(plan, parts) if _tiers_are_same(plan, last.plan) else None
        else:
            parts, tiering = part_tables(plan), None
        tiering = tiering or Tiering(plan, parts)
        jobs = Jobs(plan, parts, tiering)
        if not jobs.listings:  # these are in its streams
            copies = {name: getattr(jobs.tables, name)[:] for name in _CHANGED}
            self._last = _Last(plan, parts.copy(), tiering, jobs, copies)
        return parts, tiering.again(plan, parts), jobs


def _only_numbers_differ(plan: Plan, other: Plan) -> bool:
    """Whether two plans share everything but numbers of their parts and stores."""
    if len(plan.parts) != len(other.parts) or len(plan.stores) != len(other.stores):
        return False
    if crowded_groups(plan) != crowded_groups(other):
        return False
    for name in _FIELDS:
        one, another = getattr(plan, name), getattr(other, name)
        if one is not another and (isinstance(one, tuple) or one != another):
            return False
    return all(
        part is old
        or (part.kind, part.first, part.count, part.group, part.column)
        == (old.kind, old.first, old.count, old.group, old.column)
        for part, old in zip(plan.parts, other.parts, strict=True)
    ) and all(
        store is old or (store.first, store.count, store.group) == (old.first, old.count, old.group)
        for store, old in zip(plan.stores, other.stores, strict=True)
    )


def _tiers_are_same(plan: Plan, other: Plan) -> bool:
    """Whether two plans have the same ways: not if there are some for I/O nodes or shared data."""
    if plan.asked or plan.buffers or len(plan.processes) != len(other.processes):
        return False
    if any(getattr(plan, name) != getattr(other, name) for name in _OF_TIERS):
        return False
    return not other.asked and all(
        one.exchange < 0 > another.exchange
        and (one.group, one.node) == (another.group, another.node)
        for one, another in zip(plan.processes, other.processes, strict=True)
    )
