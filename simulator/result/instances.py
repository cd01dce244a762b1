"""Instances of resources in a result: the resource of each, and the busiest of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


def rows_of_instances(plan: Plan) -> dict[str, int]:
    """Return the name of each instance of each resource, and the row of the resource."""
    return {
        plan.instance_name(part, index): row
        for row, part in enumerate(plan.parts)
        for index in range(part.count)
    }


def labels_of(plan: Plan) -> list[str]:
    """Return the label of each resource: name and direction, with its group if ambiguous.

    A resource on nodes of several groups is several rows: ``client.nic.in``, ``server.nic.in``.
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
