"""Which part of a plan each instance of a result belongs to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.plan.plan import Plan


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
