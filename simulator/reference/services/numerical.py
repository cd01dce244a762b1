"""Numerical servers, and one call of them from its submission to its end.

The caller converts the data (on its own processor); the server accepts the call, starts its
program, receives the data over the links, and converts them; it computes; the results return the
same way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

import simpy

from simulator.kinds.parts.link.reference import Link
from simulator.kinds.parts.timeshare.reference import TimeShared
from simulator.kinds.parts.timeshare.spec import CpuSpec
from simulator.mixing import mix
from simulator.plan.noise import stream_key
from simulator.reference.actor import Actor, Steps
from simulator.reference.services.network import Network, Route
from simulator.result.numerical import NumericalCall
from simulator.verification.sums import IdentityError

if TYPE_CHECKING:
    from simulator.plan.services import CallerPlan, NumericalServerPlan, Target
    from simulator.reference.process import Process
    from simulator.reference.world import World


SMOOTHING = 0.5
"""Weight of the newest measurement of a bandwidth."""


class Metaserver:
    """Choice of a server for each call, with the bandwidths measured so far."""

    def __init__(self, pes: Sequence[int]) -> None:
        """``pes``: the number of PEs of each numerical server."""
        self.pes = pes
        self._bandwidth: dict[object, float] = {}

    def choose(self, caller: CallerPlan, loads: Sequence[float]) -> Target:
        """Return the server for the next call, by the servers' load averages; the first of equals.

        By load it is that with the least load per PE.
        """
        if caller.choice == "fixed":
            return caller.targets[0]
        if caller.choice == "load":
            return min(caller.targets, key=lambda one: loads[one.server] / self.pes[one.server])
        return min(caller.targets, key=lambda one: self.estimate_s(caller, one, loads[one.server]))

    def estimate_s(self, caller: CallerPlan, target: Target, load: float) -> float:
        """Estimate the seconds of a call: computing among ``load`` others, and moving its bytes.

        ``compute`` leaves the bytes out, ``bandwidth`` the computing.
        """
        computing = 0.0 if caller.choice == "bandwidth" else self._compute_s(caller, target, load)
        return computing + (0.0 if caller.choice == "compute" else self._move_s(caller, target))

    def _compute_s(self, caller: CallerPlan, target: Target, load: float) -> float:
        """Return the computing time, stretched by (load + threads) / PEs where that is above 1."""
        library = target.library
        computing = library.compute_ns(caller.operations, caller.length) / 1e9
        return computing * max(1.0, (load + library.threads) / self.pes[target.server])

    def _move_s(self, caller: CallerPlan, target: Target) -> float:
        """Return the transfer time; an unmeasured bandwidth is infinite: each server is tried."""
        known = self._bandwidth.get((target.route, target.server))
        return (caller.bytes_in + caller.bytes_out) / known if known else 0.0

    def learn(self, target: Target, size: int, took_ns: int) -> None:
        """Record the measured bandwidth of a call's data to its server."""
        if not took_ns:
            return
        key = (target.route, target.server)
        measured = size * 1e9 / took_ns
        known = self._bandwidth.get(key, measured)
        self._bandwidth[key] = known + SMOOTHING * (measured - known)


_DRAWS = 2**64


def trial_ns(caller: CallerPlan, key: int, since_ns: int) -> int:
    """Return the time of the first trial from ``since_ns`` on that starts a call; -1 for none.

    Times are relative to the begin of the phase. Trials are numbered by their time, so that the
    draws of a caller do not depend on its earlier calls.
    """
    number = max(0, -(-(since_ns - caller.first_ns) // caller.every_ns))
    while (time := caller.first_ns + number * caller.every_ns) <= caller.duration_ns:
        if mix(key, number) < caller.chance * _DRAWS:
            return time
        number += 1
    return -1


class CallPhase:
    """One phase of calls of a process."""

    def __init__(self, process: Process, row: int) -> None:
        self.process = process
        self.actor = process.actor
        self.plan = process.world.plan.services.callers[row]
        self.numerical = process.world.services.numerical
        self._out = 0
        """Number of calls under way concurrently with the process."""
        self._ending = False

    def run(self) -> Steps:
        """Make all calls, and wait for those under way."""
        if self.plan.count:
            for _ in range(self.plan.count):
                yield from self.numerical.call(self.actor, self.process.plan.name, self.plan)
            return
        yield from self._tries()
        if self._out:
            began = self.actor.now
            self._ending = True
            yield self.actor.blocked(lambda: "its calls to end")
            self.process.idle_ns += self.actor.now - began

    def _tries(self) -> Steps:
        plan, actor, process = self.plan, self.actor, self.process
        begin = actor.now
        key = self._key()
        since = 0
        while (time := trial_ns(plan, key, since)) >= 0:
            process.idle_ns += begin + time - actor.now
            yield actor.until(begin + time)
            if plan.continues:
                self._call_beside()
            else:
                yield from self.numerical.call(actor, process.plan.name, plan)
            # The trial at which a call ends counts again; the one that started it does not.
            since = max(time + 1, actor.now - begin)

    def _key(self) -> int:
        """Return the key of the trials; each pass through the phase has its own."""
        plan = self.process.world.plan
        number = self.process.times_called.get(self.plan.stream, 0)
        self.process.times_called[self.plan.stream] = number + 1
        stream = f"{self.plan.stream}#{number}" if number else self.plan.stream
        return stream_key(plan.seed, plan.run, stream)

    def _call_beside(self) -> None:
        """Start a call that runs concurrently with the next trials."""
        services = self.process.world.services
        self._out += 1
        other = Actor(self.actor.clock, services.new_number(), self.process.plan.name)
        services.beside.append(other)
        other.begin(self._beside(other))

    def _beside(self, other: Actor) -> Steps:
        yield from self.numerical.call(other, self.process.plan.name, self.plan)
        self._out -= 1
        if self._ending and not self._out:
            self.actor.wake()


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
        self.world.latencies["call"].add(call.ended_ns - call.submitted_ns)

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
