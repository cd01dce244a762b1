"""Bounds of the time that a lever can save, by what its resource did in a run."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

from simulator.config.lowering.tables import MERGING, MPI_CALLS, MPI_COPIES
from simulator.config.rates import ByGroup, EachWay
from simulator.kinds.traits import traits_of
from simulator.plan.cores import crowded_groups
from simulator.result.instances import rows_of_instances

if TYPE_CHECKING:
    from simulator.answers.levers import Lever
    from simulator.plan.plan import Plan
    from simulator.result.result import PartResult, Result


_ACTED = ("misses", "read_back", "evicted", "limit_waits", "rewrites_waited", "released")
"""Counters of a store; if all are 0 more room changes nothing."""


class Possible:
    """Time that better resources could save of a run."""

    def __init__(self, plan: Plan, result: Result) -> None:
        self._plan = plan
        self._result = result
        self._parts: dict[str, list[PartResult]] = defaultdict(list)
        self._groups: set[int] = set()
        rows = rows_of_instances(plan)
        for name, one in result.parts.items():
            part = plan.parts[rows[name]]
            self._parts[part.name].append(one)
            group = part.group
            while group >= 0:
                self._groups.add(group)
                group = plan.groups[group].parent
        self._waited = {queue.group for queue in plan.queues}
        """Groups for whose nodes jobs wait."""
        self._counts = cache(result.counts)
        self._alone = bool(plan.services.messages or plan.services.servers or plan.buffers)

        own = (MPI_CALLS, MPI_COPIES, MERGING)
        self._library = plan.asked is not None or any(
            column in one.spent for one in result.processes for column in own
        )

    def utilisation(self, lever: Lever) -> float | None:
        """Return the utilisation of the busiest instance of a part; None without one."""
        parts = self._parts.get(lever.owner, []) if lever.where == "part" else []
        end = self._result.end_ns
        return max((one.utilisation(end) for one in parts if one.queues), default=None)

    def saving_ns(self, lever: Lever) -> float:
        """Return a bound of the time that moving a lever saves; the whole time if none is known."""
        whole = float(self._result.elapsed_ns)
        if lever.where == "part":
            return self._part(lever, whole)
        acts = {
            "event": self._happened,
            "store": self._is_store_acting,
            "cache": self._is_store_acting,
            "nodes": self._are_nodes_used,
        }
        found = acts.get(lever.where)
        if found is not None:
            return whole if found(lever) else 0.0
        return whole if lever.where != "library" or self._library else 0.0

    def _are_nodes_used(self, lever: Lever) -> bool:
        names = {group.name: number for number, group in enumerate(self._plan.groups)}
        group = names.get(lever.owner)
        if lever.what == "cores":
            return group in crowded_groups(self._plan)
        return self._alone or group in self._groups or group in self._waited

    def _happened(self, lever: Lever) -> bool:
        """Return whether an event happened in the run: its time had come, or its part was hit."""
        (value,) = lever.values
        if value.path.endswith(".at"):
            return bool(value.now < self._result.end_ns)
        rows = [part.label for part in self._plan.parts if part.name == lever.owner]
        states = [one for one in self._result.states.values() if one.part in rows]
        arrays = [one for one in self._result.arrays.values() if one.part in rows]
        return any(one.failures or one.slow_ns for one in states) or any(
            one.failures for one in arrays
        )

    def _part(self, lever: Lever, whole: float) -> float:
        parts = self._parts.get(lever.owner, [])
        if not parts or any(traits_of(one.kind).order == "own" for one in parts):
            return whole if self._alone or parts else 0.0
        busy = float(sum(one.busy_ns for one in parts))
        if lever.aspect == "number":
            return busy
        if lever.what in ("overhead", "latency"):
            overhead = float(sum(one.requests for one in parts) * _most(lever.values[0].now))
            if lever.what == "latency" and self._has_packets(lever.owner):
                return overhead  # It keeps no port.
            return min(busy / 2, overhead)  # Loose: noise stretches an overhead too.
        return busy / 2

    def _has_packets(self, name: str) -> bool:
        """Return whether a part is a network of packets."""
        return any(one.name == name and one.latency_ns for one in self._plan.parts)

    def _is_store_acting(self, lever: Lever) -> bool:
        counts = self._counts(lever.owner)
        acted = {"writers": ("written_back",), "dirty": ("limit_waits",)}.get(lever.what, _ACTED)
        return any(counts[one] for one in acted)


def _most(now: Any) -> float:
    """Return the largest of a time's numbers."""
    if isinstance(now, EachWay):
        return max(now.read, now.write)
    return float(max(now.numbers) if isinstance(now, ByGroup) else now)
