"""What each part and store of a machine did in a run: what the block diagram is coloured by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.report.caches import kept_by
from simulator.report.utilisation import used_parts

if TYPE_CHECKING:
    from collections.abc import Collection

    from simulator.plan.plan import Plan
    from simulator.report.utilisation import Used
    from simulator.result.result import Result

LEVELS = (0.1, 0.5, 0.8)
"""Utilisations from which on a box has the next colour; the first is for what was not used."""


@dataclass(frozen=True, slots=True)
class Use:
    """What all instances of a part did, in one group of nodes."""

    most: float
    """Utilisation of the busiest instance."""
    requests: int


class Uses:
    """What the parts and stores of a run did."""

    def __init__(self, result: Result, plan: Plan) -> None:
        self._end_ns = result.end_ns
        self._parts: dict[tuple[str, int], list[Used]] = {}
        for row in used_parts(result, plan):
            part = plan.parts[row.row]
            self._parts.setdefault((part.name, part.group), []).append(row)
        self._stores = {one.store: one.counts for one in kept_by(result, plan)}

    def part(self, name: str, groups: Collection[int]) -> Use | None:
        """Return what a part did in some groups; None if it had no request."""
        rows = [
            row
            for (part, group), found in self._parts.items()
            if part == name and group in groups
            for row in found
        ]
        if not rows:
            return None
        return Use(max(row.most for row in rows), sum(row.requests for row in rows))

    def anywhere(self, name: str) -> Use | None:
        """Return what a part did in all groups."""
        return self.part(name, {group for _, group in self._parts})

    def store(self, name: str) -> Counter[str] | None:
        """Return the counters of a store; None if it was not used."""
        return self._stores.get(name)


def level(use: Use | None) -> int:
    """Return the colour of a part, from 0 (not used) to 4."""
    return 0 if use is None else 1 + sum(use.most >= least for least in LEVELS)
