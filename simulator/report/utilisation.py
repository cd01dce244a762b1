"""How busy the parts of a machine were: one row for each part, with its busiest instance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.report.page import Column, Table
from simulator.result.instances import labels_of, rows_of_instances

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import PartResult, Result

MOST_LISTED = 20
"""Rows on a terminal; the parts after them are counted only."""


@dataclass(slots=True)
class Used:
    """All instances of one part together."""

    row: int
    """The part's row in the plan."""
    part: str
    """The part's name with its direction."""
    kind: str
    instances: int
    """How many the machine has."""
    requests: int = 0
    bytes: int = 0
    busy_ns: int = 0
    servers: int = 0
    """Of all instances, those without a request included."""
    queues: bool = True
    """Whether it can be busy: nothing queues at a fixed delay."""
    busiest: str = ""
    """The name of the instance with the highest utilisation, the first of several."""
    most: float = -1.0
    """Its utilisation."""

    def add(self, name: str, one: PartResult, end_ns: int) -> None:
        """Add what one instance did."""
        self.servers += one.servers
        self.requests += one.requests
        self.bytes += one.bytes
        self.busy_ns += one.busy_ns if one.active_ns is None else one.active_ns
        if one.utilisation(end_ns) > self.most:
            self.busiest, self.most = name, one.utilisation(end_ns)

    def mean(self, end_ns: int) -> float:
        """Return the utilisation of all instances, those without a request included."""
        return self.busy_ns / (self.servers * end_ns) if end_ns and self.servers else 0.0


def used_parts(result: Result, plan: Plan) -> list[Used]:
    """Return the parts that had requests; the one with the busiest instance first."""
    used: dict[int, Used] = {}
    rows, labels = rows_of_instances(plan), labels_of(plan)
    counts = Counter(rows[name] for name in result.parts)
    for name, one in result.parts.items():
        row = rows[name]
        if row not in used:
            instances = plan.parts[row].count
            used[row] = Used(row, labels[row], one.kind, instances, queues=one.queues)
            used[row].servers = (instances - counts[row]) * plan.parts[row].servers
        used[row].add(name, one, result.end_ns)
    return sorted(used.values(), key=lambda row: -row.most)


def resources_table(result: Result, plan: Plan) -> Table:
    """Return a row for each part that had a request, the busiest first."""
    rows = [
        [
            row.part,
            row.kind,
            row.instances,
            row.requests,
            row.bytes,
            row.mean(result.end_ns) if row.queues else None,
            row.most if row.queues else None,
            row.busiest if row.instances > 1 and row.queues else "",
        ]
        for row in used_parts(result, plan)
    ]
    legend = "busy: the mean of all instances; busiest: the one with the highest utilisation."
    return Table(
        "resources",
        "Resources",
        _COLUMNS,
        rows,
        legend=legend,
        noun="resource",
        brief=MOST_LISTED,
    )


_COLUMNS = (
    Column("resource", "resource"),
    Column("kind", "kind", wide=True),
    Column("instances", "number", "count"),
    Column("requests", "requests", "count"),
    Column("bytes", "bytes", "size"),
    Column("busy", "busy", "share"),
    Column("busiest", "busiest", "share"),
    Column("which_one", ""),
)
