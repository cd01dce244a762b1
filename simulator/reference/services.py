"""All services of a run beside the storage: they begin with it, and end with the last process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, TypeVar

from simulator.kinds import kind_class, names
from simulator.plan.services import NO_SERVICES
from simulator.reference.actor import Steps
from simulator.result.result import Result
from simulator.workload.follower import Follower

if TYPE_CHECKING:
    from simulator.plan.jobs import PhasePlan
    from simulator.plan.services import ServicesPlan
    from simulator.reference.process import Process
    from simulator.reference.world import World


class ServiceEngine:
    """All services of one kind in a run, and what their users do with them."""

    phases: ClassVar[tuple[int, ...]] = ()
    """The kinds of phases that it carries out (:mod:`simulator.plan.codes`)."""

    def __init__(self, world: World, followers: Mapping[int, Follower]) -> None:
        """``followers`` observe meshes, by their rows in the plan."""
        self.world = world
        self.plan = world.plan.services
        self.clock = world.machine.clock

    @classmethod
    def serves(cls, plan: ServicesPlan) -> bool:
        """Return whether a plan has services of this kind."""
        raise NotImplementedError

    def begin(self) -> None:
        """Start all servers; processes exist already."""

    def end(self) -> None:
        """Record counters after the last process has ended."""

    def phase(self, process: Process, phase: PhasePlan) -> Steps:
        """Return the steps of a process's phase."""
        raise NotImplementedError

    def send(self, process: Process, channel: int, size: int) -> Steps:
        """Send a message along a channel that leads through a service."""
        raise NotImplementedError

    def await_start(self, process: Process) -> Steps:
        """Wait until a process is created and started."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise IdentityError if servers did not do the requested work."""

    def add_to(self, result: Result) -> None:
        """Add what the services did to the result of the run."""

    def named(self, spent: Mapping[int, tuple[int, int]]) -> dict[str, tuple[int, int]]:
        """Return an account by the names of its categories; only those that are not zero."""
        columns = self.world.plan.columns
        found = ((columns[column], times) for column, times in spent.items() if any(times))
        return dict(sorted(found))


Engine = TypeVar("Engine", bound=ServiceEngine)


class Services:
    """The services of a run, by their kinds."""

    def __init__(self, world: World, followers: Mapping[int, Follower]) -> None:
        self._kinds = [kind(world, followers) for kind in _kinds_of(world.plan.services)]

    def of(self, kind: type[Engine]) -> Engine:
        """Return the services of a kind that the plan has."""
        return next(one for one in self._kinds if isinstance(one, kind))

    def begin(self) -> None:
        """Start all servers; processes exist already."""
        for one in self._kinds:
            one.begin()

    def end(self) -> None:
        """Record counters of services after the last process has ended."""
        for one in self._kinds:
            one.end()

    def phase(self, process: Process, phase: PhasePlan) -> Steps:
        """Return the steps of a phase that a service carries out."""
        return next(one for one in self._kinds if phase.kind in one.phases).phase(process, phase)

    def send(self, process: Process, channel: int, size: int) -> Steps:
        """Send a message along a channel, through the service of the process's node."""
        return self._first().send(process, channel, size)

    def await_start(self, process: Process) -> Steps:
        """Wait until a process is created and started."""
        return self._first().await_start(process)

    def _first(self) -> ServiceEngine:
        """Return the services of messages."""
        return next(one for one in self._kinds if one.plan.messages)

    def check(self) -> None:
        """Raise IdentityError if servers did not do the requested work."""
        for one in self._kinds:
            one.check()

    def add_to(self, result: Result) -> None:
        """Add what the services did to the result of the run."""
        for one in self._kinds:
            one.add_to(result)


def _kinds_of(plan: ServicesPlan) -> list[type[ServiceEngine]]:
    """Return the classes of the services that a plan has."""
    if plan == NO_SERVICES:
        return []
    kinds = names("services", "reference")
    found = [kind_class("services", one, "reference", ServiceEngine) for one in kinds]
    return [one for one in found if one.serves(plan)]
