"""How busy the parts of a machine were: one row for each part, with its busiest instance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.report.lined import table
from simulator.report.quantity import size_cell
from simulator.result.instances import labels_of, rows_of_instances
from simulator.wording import percent

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import PartResult, Result

MOST_LISTED = 20
"""Rows of a table; the parts after them are counted only."""


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


def utilisation_text(result: Result, plan: Plan) -> str:
    """Write the utilisation of the parts as a table; empty if none was used."""
    used = used_parts(result, plan)
    if not used:
        return ""
    rows = [
        [
            row.part,
            f"{row.instances:,}",
            f"{row.requests:,}",
            size_cell(row.bytes),
            percent(row.mean(result.end_ns), 1) if row.queues else "-",
            percent(row.most, 1) if row.queues else "-",
            row.busiest if row.instances > 1 and row.queues else "",
        ]
        for row in used[:MOST_LISTED]
    ]
    head = ["resource", "number", "requests", "bytes", "busy", "busiest", ""]
    text = table(head, rows, "lrrrrrl")
    more = len(used) - MOST_LISTED
    return f"{text}\n({more} more)" if more > 0 else text
