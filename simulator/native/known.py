"""What plans have in common that differ in their parts alone is flattened once."""

from __future__ import annotations

from array import array
from dataclasses import fields
from typing import TYPE_CHECKING

from simulator.native.flatjobs import Jobs
from simulator.native.flattiers import Tiering
from simulator.plan.plan import Plan

if TYPE_CHECKING:
    from simulator.native.tables import PartTables
    from simulator.plan.parts import PartPlan

_CHANGED = (
    *("process", "drain", "shared", "passed", "mark_waiters", "lock", "barrier", "channel"),
    *("arrivals", "latency"),
)
"""What a run changes of the tables of processes."""
_OTHER = {"parts", "digest"}
_FIELDS = tuple(field.name for field in fields(Plan) if field.name not in _OTHER)


class Known:
    """Remembers the tables of the last plan that was flattened with it."""

    def __init__(self) -> None:
        self._last: tuple[Plan, Tiering, Jobs, dict[str, array[int]]] | None = None

    def tables(self, plan: Plan, parts: PartTables) -> tuple[Tiering, Jobs]:
        """Return the tables of a plan's tiers and processes; ``parts`` are those of its parts."""
        if self._last is not None:
            before, tiering, jobs, kept = self._last
            if _only_parts_differ(plan, before):
                copies = {name: cells[:] for name, cells in kept.items()}
                return tiering.again(parts), jobs.again(parts, copies)
        tiering = Tiering(plan, parts)
        jobs = Jobs(plan, parts, tiering)
        copies = {name: getattr(jobs.tables, name)[:] for name in _CHANGED}
        self._last = plan, tiering, jobs, copies
        return tiering.again(parts), jobs


def _only_parts_differ(plan: Plan, other: Plan) -> bool:
    """Whether two plans share everything but what their parts are like."""
    if len(plan.parts) != len(other.parts):
        return False
    for name in _FIELDS:
        one, another = getattr(plan, name), getattr(other, name)
        if one is not another and (isinstance(one, tuple) or one != another):
            return False
    return all(map(_are_alike, plan.parts, other.parts))


def _are_alike(part: PartPlan, other: PartPlan) -> bool:
    """Whether two parts have the same place in the tables."""
    return part is other or (
        (part.kind, part.first, part.count, part.group, part.column)
        == (other.kind, other.first, other.count, other.group, other.column)
    )
