"""Numerical servers, and one call of them from its submission to its end.

The caller converts the data (on its own processor); the server accepts the call, starts its
program, receives the data over the links, and converts them; it computes; the results return the
same way.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING

import simpy

from simulator.kinds.parts.link.reference import Link, Network, Route
from simulator.plan.codes import CALLS
from simulator.reference.actor import Actor, Server, Steps
from simulator.reference.services import ServiceEngine
from simulator.result.numerical import LinkResult, NumericalCall, NumericalResult, ServerResult
from simulator.result.result import Result
from simulator.verification.sums import IdentityError
from simulator.workload.follower import Follower

from ...parts.timeshare.reference import TimeShared
from ...parts.timeshare.spec import CpuSpec
from .calls import CallPhase, Metaserver

if TYPE_CHECKING:
    from simulator.plan.jobs import PhasePlan
    from simulator.plan.services import (
        CallerPlan,
        NumericalServerPlan,
        ServicesPlan,
        Target,
    )
    from simulator.reference.process import Process
    from simulator.reference.world import World


class NumericalServer:
    """A server: its processor, and the queue for computing if it has one."""

    def __init__(self, world: World, plan: NumericalServerPlan) -> None:
        self.plan = plan
        processor = world.machine.instance(plan.part, plan.member)
        assert isinstance(processor, TimeShared)
        self.processor = processor
        self.calls = 0
        """Number of completed calls."""
        self._free = plan.at_once
        self._queue: deque[Actor] = deque()

    @property
    def spec(self) -> CpuSpec:
        """Specification of its processor."""
        return self.processor.spec

    def enter(self, actor: Actor) -> Steps:
        """Wait until a call may compute; first come, first served."""
        if self.plan.at_once and self._free == 0:
            self._queue.append(actor)
            since = actor.now
            yield actor.blocked(lambda: f"its turn to compute at {self.plan.name}")
            actor.charge(self.plan.queue_column, actor.now - since, 0)
        elif self.plan.at_once:
            self._free -= 1

    def leave(self) -> None:
        """Start the computing of the next call."""
        if self._queue:
            self._queue.popleft().wake()
        elif self.plan.at_once:
            self._free += 1


FIRST_CALL = 1 << 60
"""Number of the first call that runs concurrently with its process; the sampling actor precedes
it."""


class Numerical(ServiceEngine):
    """All numerical servers, the links to them, and the calls so far."""

    phases = (CALLS,)

    def __init__(self, world: World, followers: Mapping[int, Follower]) -> None:
        super().__init__(world, followers)
        plan = self.plan
        self.servers = [NumericalServer(world, one) for one in plan.servers]
        self.metaserver = Metaserver([server.spec.pes for server in self.servers])
        used = {
            link: None
            for caller in plan.callers
            for target in caller.targets
            for link in target.route
        }
        self._numbers = {link: number for number, link in enumerate(used)}
        links = [world.machine.instance(*link) for link in used]
        timer = min((link.timer for link in links), default=0)
        self.network = Network(
            world.machine.clock, timer, [link for link in links if isinstance(link, Link)]
        )
        self.calls: list[NumericalCall] = []
        self.passes: Counter[tuple[int, str]] = Counter()
        """Number of a process, and stream of trials -> number of phases that have used it."""
        self._beside: list[Actor] = []
        """Calls that run concurrently with their processes."""
        self._results: dict[str, ServerResult] = {}
        self._links: dict[str, LinkResult] = {}
        self._stock_ns = -1

    @classmethod
    def serves(cls, plan: ServicesPlan) -> bool:
        """Return whether a plan has numerical servers."""
        return bool(plan.servers)

    def begin(self) -> None:
        """Start the actor that samples counters when they are due."""
        if self.plan.stock_ns >= 0:
            clerk = Server(self.clock, FIRST_CALL - 1, "stock")
            clerk.begin(self._sample_when_due(clerk))

    def end(self) -> None:
        """Sample counters, if that is not still to come."""
        if self._stock_ns < 0 and self.plan.stock_ns < 0:
            self._sample()

    def phase(self, process: Process, phase: PhasePlan) -> Steps:
        """Make the calls of a phase."""
        return CallPhase(self, process, phase.row).run()

    def new_actor(self, name: str) -> Actor:
        """Return the actor of the next call that runs concurrently with its process."""
        self._beside.append(Actor(self.clock, FIRST_CALL + len(self._beside), name))
        return self._beside[-1]

    def call(self, actor: Actor, process: str, caller: CallerPlan) -> Steps:
        """Make one call."""
        target = self.metaserver.choose(caller, self._loads(caller))
        server = self.servers[target.server]
        route = tuple(self._numbers[link] for link in target.route)
        call = NumericalCall(
            process=process,
            job=caller.job,
            server=server.plan.name,
            operations=caller.operations,
            bytes=caller.bytes_in + caller.bytes_out,
            submitted_ns=actor.now,
        )
        self.calls.append(call)
        yield from self._begin(actor, server, route, call)
        yield from self._move_in(actor, server, route, caller)
        call.received_ns = actor.now
        self.metaserver.learn(target, caller.bytes_in, call.received_ns - call.started_ns)
        yield from server.enter(actor)
        call.computing_ns = actor.now
        yield self._compute(actor, server, target, caller)
        call.computed_ns = actor.now
        server.leave()
        yield from self._move_out(actor, server, route, caller)
        call.ended_ns = actor.now
        server.calls += 1
        self.world.count(caller.job, "call", call.ended_ns - call.submitted_ns)

    def check(self) -> None:
        """Raise IdentityError if the servers did not do the requested work.

        A task ends at the first whole nanosecond at which it is done: PE time exceeds the work by
        no more than that rounding, except for gangs, which lose some to barriers.
        """
        for server in self.servers:
            processor, spec = server.processor, server.spec
            used, asked = processor.account()[0], processor.work_ns
            most = asked + processor.requests * spec.pes if spec.gang == 1 else used
            if processor.runnable:
                raise IdentityError(f"{processor.name}: {processor.runnable} threads are left")
            if not asked <= used <= most:
                raise IdentityError(f"{processor.name}: {used} ns used for {asked} ns of work")

    def _compute(
        self, actor: Actor, server: NumericalServer, target: Target, caller: CallerPlan
    ) -> simpy.Event:
        library = target.library
        work = library.compute_ns(caller.operations, caller.length)
        return server.processor.take(actor, work, library.threads)

    def _begin(
        self, actor: Actor, server: NumericalServer, route: Route, call: NumericalCall
    ) -> Steps:
        """Reach the server; it accepts the call and starts its program."""
        host, urgent = server.plan.host, server.plan.favoured
        yield actor.until(actor.now + self._travel_ns(actor, route))
        yield server.processor.take(actor, host.accept_ns, urgent=urgent)
        call.accepted_ns = actor.now
        yield server.processor.take(actor, host.start_ns, urgent=urgent)
        call.started_ns = actor.now

    def _move_in(
        self, actor: Actor, server: NumericalServer, route: Route, caller: CallerPlan
    ) -> Steps:
        """Convert at the caller, send, convert at the server.

        The conversion at the caller and the latency are invisible to others: both are one wait.
        """
        size = caller.bytes_in
        time = self._convert_ns(actor, caller, size) + self._travel_ns(actor, route)
        yield actor.until(actor.now + time)
        if route:
            yield self.network.send(actor, route, size)
        yield server.processor.take(actor, server.plan.host.convert_ns(size))

    def _move_out(
        self, actor: Actor, server: NumericalServer, route: Route, caller: CallerPlan
    ) -> Steps:
        """Return the results to the caller."""
        size = caller.bytes_out
        yield server.processor.take(actor, server.plan.host.convert_ns(size))
        yield actor.until(actor.now + self._travel_ns(actor, route))
        if route:
            yield self.network.send(actor, route, size)
        yield actor.until(actor.now + self._convert_ns(actor, caller, size))

    def _convert_ns(self, actor: Actor, caller: CallerPlan, size: int) -> int:
        """Return the time for a caller, alone on its processor, to convert ``size`` bytes."""
        takes = caller.host.convert_ns(size)
        actor.charge(self.world.plan.services.clients_column, 0, takes)
        return takes

    def _travel_ns(self, actor: Actor, route: Route) -> int:
        """Return the latency of a first byte."""
        takes = self.network.latency_ns(route)
        actor.charge(self.world.plan.services.latency_column, 0, takes)
        return takes

    def _loads(self, caller: CallerPlan) -> list[float]:
        if caller.choice == "fixed":
            return []
        for server in self.servers:
            server.processor.account()  # brings the load average up to now
        return [server.processor.load.value for server in self.servers]

    def _sample_when_due(self, clerk: Server) -> Steps:
        yield clerk.until(self.plan.stock_ns)
        self._sample()

    def _sample(self) -> None:
        now = self._stock_ns = self.clock.now
        for server in self.servers:
            used, threads = server.processor.account()
            loads = tuple(server.processor.load.samples)
            self._results[server.plan.name] = ServerResult(
                pes=server.spec.pes,
                calls=server.calls,
                used_ns=used,
                load_mean=fmean(loads) if loads else 0.0,
                load_peak=max(loads, default=0.0),
                runnable_mean=threads / now if now else 0.0,
                loads=loads,
            )
        network = self.network
        for link, moved in zip(network.links, network.carried(), strict=True):
            self._links[link.name] = LinkResult(rate=link.spec.rate, bytes=moved)

    def add_to(self, result: Result) -> None:
        """Add the calls, and the counters of servers and links."""
        beside: dict[int, tuple[int, int]] = {}
        for actor in self._beside:
            for column, (wait, service) in actor.spent.items():
                known = beside.get(column, (0, 0))
                beside[column] = known[0] + wait, known[1] + service
        result.numerical = NumericalResult(
            stock_ns=self._stock_ns,
            calls=self.calls,
            servers=self._results,
            links=self._links,
            beside=self.named(beside),
        )
