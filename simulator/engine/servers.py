"""Numerical servers and their clients as SimPy processes, on the parts of ``machine/``.

A call goes through these steps: its client converts the data (on its own processor); the server
takes the call in, starts its program, receives the data over the links, and converts them; it
computes; the results go back the same way. Receiving and converting follow each other, as on a
machine with blocking reads.

Not modelled: memory and paging of the server, calls that fail or give up, a client's other work.
"""

from __future__ import annotations

from collections import deque
from statistics import fmean

import simpy

from simulator.engine.callplan import CallerPlan, CallPlan, ServerPlan, Target
from simulator.engine.callresult import Call, CallsResult, LinkResult, ServerResult
from simulator.engine.metaserver import Metaserver
from simulator.machine.actor import Actor, Steps
from simulator.machine.cpu import Cpu
from simulator.machine.link import Network
from simulator.machine.mixing import mix
from simulator.machine.noise import stream_key
from simulator.result.errors import SimulationError
from simulator.result.identities import IdentityError

_DRAWS = 2**64
CLIENTS, LATENCY = "clients", "latency"
"""What is charged for the work of clients themselves, and for first bytes under way."""


def trial_ns(caller: CallerPlan, key: int, since_ns: int, until_ns: int) -> int:
    """The time of the first trial from ``since_ns`` on that starts a call; -1: none by ``until``.

    Trials are numbered by their time, so that a client draws the same whatever became of its
    earlier calls.
    """
    number = max(0, -(-(since_ns - caller.first_ns) // caller.every_ns))
    while (time := caller.first_ns + number * caller.every_ns) <= until_ns:
        if mix(key, number) < caller.chance * _DRAWS:
            return time
        number += 1
    return -1


class Server:
    """A server: its processor, and the queue for computing if it has one."""

    def __init__(self, env: simpy.Environment, number: int, plan: ServerPlan) -> None:
        self.plan = plan
        self.cpu = Cpu(env, number, f"{plan.name} cpu", plan.cpu)
        self.free = plan.at_once
        self.queue: deque[Actor] = deque()
        self.calls = 0

    def enter(self, actor: Actor) -> Steps:
        """Wait until the call may compute; first come, first served."""
        if self.plan.at_once and self.free == 0:
            self.queue.append(actor)
            before = actor.now
            yield actor.blocked()
            actor.charge(f"{self.plan.name} queue", actor.now - before, 0)
        elif self.plan.at_once:
            self.free -= 1

    def leave(self) -> None:
        """Let the next call compute."""
        if self.queue:
            self.queue.popleft().wake()
        elif self.plan.at_once:
            self.free += 1


class Serving:
    """One run: the parts, the clients' processes, and the calls so far."""

    def __init__(self, plan: CallPlan) -> None:
        self.plan = plan
        self.env = simpy.Environment()
        first = len(plan.callers)
        self.network = Network(self.env, first, plan.links, plan.link_specs)
        self.servers = [
            Server(self.env, first + 1 + number, one) for number, one in enumerate(plan.servers)
        ]
        self.metaserver = Metaserver(plan.choice, plan.servers)
        self.calls: list[Call] = []
        self.actors: dict[int, Actor] = {}
        """Who has called, by number."""
        self._next = first + 1 + len(plan.servers)
        self._taken: tuple[dict[str, ServerResult], dict[str, LinkResult]] = ({}, {})

    def run(self, debug: bool = False) -> CallsResult:
        """Run until the last call has ended; ``debug`` checks the sample-path identities too."""
        clock = Actor(self.env, self._new_number(), "clock")
        self.env.process(self._take_stock(clock))
        for number, caller in enumerate(self.plan.callers):
            actor = Actor(self.env, number, caller.name)
            self.env.process(self._live(actor, number, caller))
        self.env.run()
        self._check()
        if debug:
            self._check_books()
        plan, (servers, links) = self.plan, self._taken
        return CallsResult(
            machine=plan.machine,
            workload=plan.workload,
            seed=plan.seed,
            run=plan.run,
            digest=plan.digest,
            duration_ns=plan.duration_ns,
            end_ns=max((one.ended_ns for one in self.calls), default=plan.duration_ns),
            callers=tuple(one.name for one in plan.callers),
            calls=self.calls,
            servers=servers,
            links=links,
            parts=self._where(),
        )

    def _where(self) -> dict[str, tuple[int, int]]:
        """Add up the accounts of all who have called."""
        parts: dict[str, tuple[int, int]] = {}
        for actor in self.actors.values():
            for name, (wait, service) in actor.spent.items():
                before = parts.get(name, (0, 0))
                parts[name] = (before[0] + wait, before[1] + service)
        return parts

    def _new_number(self) -> int:
        self._next += 1
        return self._next - 1

    # -- clients ------------------------------------------------------------------------

    def _live(self, actor: Actor, number: int, caller: CallerPlan) -> Steps:
        """The life of a client: trials, and the calls that they start."""
        plan = self.plan
        key = stream_key(plan.seed, plan.run, caller.name)
        since = 0
        while (time := trial_ns(caller, key, since, plan.duration_ns)) >= 0:
            yield actor.until(time)
            if caller.continues:
                other = Actor(self.env, self._new_number(), caller.name)
                self.env.process(self._call(other, number, caller))
            else:
                yield from self._call(actor, number, caller)
            # The trial at which a call ends counts again; the one that started it does not.
            since = max(time + 1, actor.now)

    def _call(self, actor: Actor, number: int, caller: CallerPlan) -> Steps:
        """One call from its submission to its end."""
        target = self.metaserver.choose(caller, self._loads())
        server, problem = self.servers[target.server], caller.problem
        call = Call(
            caller=number,
            server=target.server,
            group=caller.group,
            operations=problem.operations,
            bytes=problem.bytes_in + problem.bytes_out,
            submitted_ns=actor.now,
        )
        self.calls.append(call)
        self.actors[actor.number] = actor
        yield from self._begin(actor, server, target, call)
        yield from self._move_in(actor, server, target, caller)
        call.received_ns = actor.now
        self.metaserver.learn(target, problem.bytes_in, call.received_ns - call.started_ns)
        yield from server.enter(actor)
        call.computing_ns = actor.now
        library = target.library
        work = library.compute_ns(problem.operations, problem.length)
        yield server.cpu.take(actor, work, library.threads)
        call.computed_ns = actor.now
        server.leave()
        yield from self._move_out(actor, server, target, caller)
        call.ended_ns = actor.now
        server.calls += 1

    def _begin(self, actor: Actor, server: Server, target: Target, call: Call) -> Steps:
        """Reach the server, and have it take the call in and start its program."""
        host, urgent = server.plan.host, server.plan.favoured
        yield actor.until(actor.now + self._travel_ns(actor, target))
        yield server.cpu.take(actor, host.accept_ns, urgent=urgent)
        call.accepted_ns = actor.now
        yield server.cpu.take(actor, host.start_ns, urgent=urgent)
        call.started_ns = actor.now

    def _move_in(self, actor: Actor, server: Server, target: Target, caller: CallerPlan) -> Steps:
        """Convert at the client, send, convert at the server.

        Nobody else sees the client convert, nor the first byte on its way: both are one wait.
        """
        size = caller.problem.bytes_in
        time = self._convert_ns(actor, caller, size) + self._travel_ns(actor, target)
        yield actor.until(actor.now + time)
        if target.route:
            yield self.network.send(actor, target.route, size)
        yield server.cpu.take(actor, server.plan.host.convert_ns(size))

    def _move_out(self, actor: Actor, server: Server, target: Target, caller: CallerPlan) -> Steps:
        """The same the other way round."""
        size = caller.problem.bytes_out
        yield server.cpu.take(actor, server.plan.host.convert_ns(size))
        yield actor.until(actor.now + self._travel_ns(actor, target))
        if target.route:
            yield self.network.send(actor, target.route, size)
        yield actor.until(actor.now + self._convert_ns(actor, caller, size))

    def _convert_ns(self, actor: Actor, caller: CallerPlan, size: int) -> int:
        """Time in which a client, which has its processor for itself, converts ``size`` bytes."""
        takes = caller.host.convert_ns(size)
        actor.charge(CLIENTS, 0, takes)
        return takes

    def _travel_ns(self, actor: Actor, target: Target) -> int:
        """Time that a first byte is under way."""
        takes = self.network.latency_ns(target.route)
        actor.charge(LATENCY, 0, takes)
        return takes

    # -- what it comes to ---------------------------------------------------------------

    def _loads(self) -> list[float]:
        if self.plan.choice == "fixed":
            return []
        for server in self.servers:
            server.cpu.account()  # brings the load average up to now
        return [server.cpu.load.value for server in self.servers]

    def _take_stock(self, clock: Actor) -> Steps:
        """Note at the end of the time for starts what servers and links have done until then."""
        span = self.plan.duration_ns
        yield clock.until(span)
        servers, links = self._taken
        for one in self.servers:
            used, threads = one.cpu.account()
            loads = tuple(one.cpu.load.samples)
            servers[one.plan.name] = ServerResult(
                pes=one.plan.cpu.pes,
                calls=one.calls,
                used_ns=used,
                load_mean=fmean(loads) if loads else 0.0,
                load_peak=max(loads, default=0.0),
                runnable_mean=threads / span if span else 0.0,
                loads=loads,
            )
        network = self.network
        for name, spec, moved in zip(network.names, network.specs, network.carried(), strict=True):
            links[name] = LinkResult(rate=spec.rate, bytes=moved)

    def _check(self) -> None:
        """Whether every call has ended, and all bytes and all work have been done."""
        if stuck := [one for one in self.calls if one.ended_ns < 0]:
            names = {self.plan.callers[one.caller].name for one in stuck}
            raise SimulationError(f"calls wait for ever: {', '.join(sorted(names))}")
        sent: list[int] = [0] * len(self.plan.links)
        for call in self.calls:
            target = next(
                one for one in self.plan.callers[call.caller].targets if one.server == call.server
            )
            for link in target.route:
                sent[link] += call.bytes
        if sent != self.network.bytes:
            raise IdentityError(f"links carried {self.network.bytes} bytes of {sent}")
        if any(server.cpu.runnable for server in self.servers):
            raise IdentityError("tasks are left on a processor though all calls have ended")

    def _check_books(self) -> None:
        """Whether every nanosecond of a call is accounted for, and PEs did the work asked of them.

        A task ends at the first whole nanosecond at which it is done: that is all the PE time that
        may be used beyond the work, but for gangs, which lose some to their barriers.
        """
        spent = sum(wait + service for wait, service in self._where().values())
        elapsed = sum(call.elapsed_ns for call in self.calls)
        if spent != elapsed:
            raise IdentityError(f"{spent} ns of {elapsed} ns of calls are accounted for")
        for server in self.servers:
            used, asked = server.cpu.account()[0], server.cpu.work_ns
            spec = server.plan.cpu
            most = asked + server.cpu.requests * spec.pes if spec.gang == 1 else used
            if not asked <= used <= most:
                raise IdentityError(f"{server.cpu.name}: {used} ns used for {asked} ns of work")


def serve(plan: CallPlan, *, debug: bool = False) -> CallsResult:
    """Carry out a plan on the reference engine."""
    return Serving(plan).run(debug)
