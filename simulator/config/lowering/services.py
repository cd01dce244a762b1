"""Services of a machine, and what phases need of them, as rows of a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from simulator.kinds import kind_class, names
from simulator.plan.services import NO_SERVICES, ServicesPlan

if TYPE_CHECKING:
    from simulator.config.lowering.plan import Lowering
    from simulator.config.phase import JobNodes


class ServiceRows:
    """The rows that the services of one kind and their users need."""

    def __init__(self, whole: Lowering, used: Mapping[int, int]) -> None:
        """``used``: group -> how many of its nodes, from the first on, processes run on."""
        self.whole = whole
        self.machine = whole.machine
        self.tables = whole.machine.tables
        self.used = used

    def of_messages(self, group: int) -> int:
        """Return the row of the message service of a group of nodes; -1 without any."""
        del group
        return -1

    def launch(self, group: int, first: int, count: int) -> None:
        """Create the processes of a job when it begins, ``first`` and those after it."""

    def add(self, plan: ServicesPlan, first: int) -> ServicesPlan:
        """Return a plan with the rows; ``first`` is the number of the first actor of services."""
        raise NotImplementedError


Rows = TypeVar("Rows", bound=ServiceRows)


class AllServices:
    """The rows of all services."""

    def __init__(self, whole: Lowering, places: Sequence[JobNodes]) -> None:
        used: dict[int, int] = {}
        for job, place in zip(whole.workload.jobs, places, strict=True):
            last = max(place.members, default=0) + job.nodes
            used[place.group] = max(last, used.get(place.group, 0))
        there = {one.kind for one in whole.machine.services.values()}
        self._kinds: list[ServiceRows] = [
            kind_class("services", kind, "lowering", ServiceRows)(whole, used)
            for kind in sorted(there.intersection(names("services", "lowering")))
        ]

    def of(self, kind: type[Rows]) -> Rows:
        """Return the rows of a kind that the machine has."""
        return next(one for one in self._kinds if isinstance(one, kind))

    def of_messages(self, group: int) -> int:
        """Return the row of the message service of a group of nodes; -1 without any."""
        return max((one.of_messages(group) for one in self._kinds), default=-1)

    def launch(self, group: int, first: int, count: int) -> None:
        """Have the processes of a job created by services of their group."""
        for one in self._kinds:
            one.launch(group, first, count)

    def plan(self, first: int) -> ServicesPlan:
        """Return all services; ``first`` is the number of their first actor."""
        plan = NO_SERVICES
        for one in self._kinds:
            plan = one.add(plan, first + plan.actors)
        return plan
