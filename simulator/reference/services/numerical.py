"""Numerical servers, and one call of them from its submission to its end.

The caller converts the data (on its own processor); the server takes the call in, starts its
program, receives the data over the links, and converts them; it computes; the results go back the
same way.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import simpy

from simulator.kinds.parts.link.reference import Link
from simulator.kinds.parts.timeshare.reference import TimeShared
from simulator.kinds.parts.timeshare.spec import CpuSpec
from simulator.reference.actor import Actor, Steps
from simulator.reference.services.metaserver import Metaserver
from simulator.reference.services.network import Network, Route
from simulator.result.numerical import NumericalCall
from simulator.result.sums import IdentityError

if TYPE_CHECKING:
    from simulator.plan.services import CallerPlan, NumericalServerPlan, Target
    from simulator.reference.world import World


class NumericalServer:
    """A server: its processor, and the queue for computing if it has one."""

    def __init__(self, world: World, plan: NumericalServerPlan) -> None:
        self.plan = plan
        processor = world.machine.instance(plan.part, plan.member)
        assert isinstance(processor, TimeShared)
        self.processor = processor
        self.calls = 0
        """Calls that have ended."""
        self._free = plan.at_once
        self._queue: deque[Actor] = deque()

    @property
    def spec(self) -> CpuSpec:
        """Its PEs."""
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
        """Let the next call compute."""
        if self._queue:
            self._queue.popleft().wake()
        elif self.plan.at_once:
            self._free += 1


class Numerical:
    """All numerical servers, the links to them, and the calls so far."""

    def __init__(self, world: World) -> None:
        self.world = world
        plan = world.plan.services
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
        self.world.latency("call").add(call.ended_ns - call.submitted_ns)

    def check(self) -> None:
        """Raise IdentityError if the servers did not do the work that was asked of them.

        A task ends at the first whole nanosecond at which it is done: that is all the PE time that
        may be used beyond the work, but for gangs, which lose some to their barriers.
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
        """Reach the server, and have it take the call in and start its program."""
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

        No other sees the caller convert, nor the first byte on its way: both are one wait.
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
        """Bring the results back."""
        size = caller.bytes_out
        yield server.processor.take(actor, server.plan.host.convert_ns(size))
        yield actor.until(actor.now + self._travel_ns(actor, route))
        if route:
            yield self.network.send(actor, route, size)
        yield actor.until(actor.now + self._convert_ns(actor, caller, size))

    def _convert_ns(self, actor: Actor, caller: CallerPlan, size: int) -> int:
        """Return the time in which a caller, alone on its processor, converts ``size`` bytes."""
        takes = caller.host.convert_ns(size)
        actor.charge(self.world.plan.services.clients_column, 0, takes)
        return takes

    def _travel_ns(self, actor: Actor, route: Route) -> int:
        """Return the time that a first byte is under way."""
        takes = self.network.latency_ns(route)
        actor.charge(self.world.plan.services.latency_column, 0, takes)
        return takes

    def _loads(self, caller: CallerPlan) -> list[float]:
        if caller.choice == "fixed":
            return []
        for server in self.servers:
            server.processor.account()  # brings the load average up to now
        return [server.processor.load.value for server in self.servers]
