"""Instances of parts in a result: which part each belongs to, and the busiest of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


def rows_of_instances(plan: Plan) -> dict[str, int]:
    """Return the name of each instance of each part, and the row of its part."""
    return {
        plan.instance_name(part, index): row
        for row, part in enumerate(plan.parts)
        for index in range(part.count)
    }


def labels_of(plan: Plan) -> list[str]:
    """Return what to call each part: its name and direction; with its group if that is not unique.

    A part that nodes of several groups have is several rows: ``client.nic.in``, ``server.nic.in``.
    """
    labels = [part.label for part in plan.parts]
    many = Counter(labels)
    return [
        f"{plan.groups[part.group].name}.{label}" if many[label] > 1 else label
        for part, label in zip(plan.parts, labels, strict=True)
    ]


def busiest_instance(result: Result) -> str:
    """Return the instance with the highest utilisation, the first of several; empty without any."""
    parts = {name: one for name, one in result.parts.items() if one.queues}
    return max(parts, key=lambda name: parts[name].utilisation(result.end_ns), default="")
