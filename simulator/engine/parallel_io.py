"""The reference engine of parallel input and output: processes, messages and I/O nodes on SimPy.

One actor for each thread, and one for each pair of a thread and an I/O node, which carries the
thread's requests there and back. When two act in the same nanosecond, the lower number goes first:
threads, then the pairs, by thread and node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import simpy

from simulator.engine.ioresult import IoResult, NodeResult, ThreadResult, check_books
from simulator.machine.actor import Actor, Steps
from simulator.machine.buffercache import BufferCache
from simulator.machine.crossbar import Port, cross
from simulator.machine.locks import Barrier, Lock
from simulator.machine.raid import RaidUnit
from simulator.machine.station import ServiceSpec, Station
from simulator.result.errors import SimulationError
from simulator.runtime.iocodes import (
    AT_BARRIER,
    BARRIER,
    CROSSBAR,
    DISKS,
    FILE_LOCK,
    LATER,
    LOCK,
    MERGING,
    NODES,
    PARTS,
    READ,
    REST,
    SEND,
    START,
    UNLOCK,
    WAIT,
    WRITE,
)

if TYPE_CHECKING:
    from simulator.engine.ioplan import IoPlan
    from simulator.runtime.iosteps import Thread


class IoNode:
    """A node with its port, its processors, its buffer cache and its RAID unit."""

    def __init__(self, plan: IoPlan, number: int) -> None:
        machine = plan.machine
        self.port = Port(
            Station(PARTS[CROSSBAR], machine.port), Station(PARTS[CROSSBAR], machine.port)
        )
        self.processors = Station(PARTS[NODES], ServiceSpec(1e9), servers=machine.servers)
        self.raid = RaidUnit(machine.raid, machine.block, plan.blocks[number])
        rows = plan.extents
        self.cache = BufferCache(
            self.raid,
            slots=machine.cache_slots,
            block=machine.block,
            blocks=plan.blocks[number],
            ahead=machine.ahead,
            stored=plan.stored,
            askers=len(plan.threads),
            tables=(rows.block, rows.low, rows.high),
        )

    def work(self, actor: Actor, service_ns: int) -> simpy.Event:
        """Have a processor do something; yield what it returns."""
        station = self.processors
        server = station.next_free()
        start = max(actor.now, station.free_at[server])
        actor.charge(station.name, start - actor.now, service_ns)
        return actor.until(station.occupy(server, start, service_ns, 0))

    def result(self) -> NodeResult:
        """What it did."""
        cache, raid, port = self.cache, self.raid, self.port
        return NodeResult(
            requests=self.processors.requests,
            busy_ns=self.processors.busy_ns,
            sent=port.outward.bytes,
            received=port.inward.bytes,
            messages=port.outward.requests,
            hits=cache.hits,
            misses=cache.misses,
            read_ahead=cache.read_ahead,
            used_ahead=cache.used_ahead,
            evicted=cache.evicted,
            disk_reads=raid.reads,
            disk_writes=raid.writes,
            disk_read=raid.read_bytes,
            disk_written=raid.written_bytes,
            disk_busy_ns=raid.media_busy,
            bus_busy_ns=raid.bus_busy,
            raid_hits=raid.hits,
        )


class World:
    """The machine, and everybody in it."""

    def __init__(self, env: simpy.Environment, plan: IoPlan) -> None:
        self.plan = plan
        self.nodes = [IoNode(plan, number) for number in range(plan.machine.nodes)]
        self.lock = Lock(PARTS[FILE_LOCK])
        self.barrier = Barrier(PARTS[AT_BARRIER], len(plan.processes))
        self.gathered: list[list[Actor]] = [[] for _ in plan.groups.members]
        count, nodes = len(plan.threads), plan.machine.nodes
        self.runners = [
            Runner(self, Actor(env, number, thread.name), thread)
            for number, thread in enumerate(plan.threads)
        ]
        self.couriers = [
            Courier(self, Actor(env, count + at, f"{at // nodes}-{at % nodes}"), at // nodes)
            for at in range(count * nodes)
        ]


class Courier:
    """Carries the requests of one thread to one I/O node."""

    def __init__(self, world: World, actor: Actor, thread: int) -> None:
        self.world = world
        self.actor = actor
        self.thread = thread
        self.runner = world.runners[thread]
        self.request = -1
        self.write = False

    def run(self) -> Steps:
        """Its life: wait for a request, carry it, and again."""
        while True:
            yield self.actor.blocked()
            self.actor.spent.clear()
            yield from self._carry(self.request, self.write)
            self.runner.answered(self.actor)

    def _carry(self, request: int, write: bool) -> Steps:
        plan, actor = self.world.plan, self.actor
        rows, machine = plan.requests, plan.machine
        number = rows.node[request]
        node, home = self.world.nodes[number], self.world.nodes[self.runner.thread.node]
        size = rows.size[request]
        if node is not home:
            asked = machine.header + rows.message[request] + (size if write else 0)
            yield actor.until(cross(actor, home.port, node.port, asked))
        handling = machine.request_ns + rows.pieces[request] * machine.piece_ns
        group = rows.group[request]
        if group < 0:
            span = (rows.first[request], rows.count[request])
            work = handling + machine.copy.service_ns(size)
            yield from self._access(node, span, write, work, self.thread)
        else:
            yield node.work(actor, handling)
            yield from self._merge(node, group, write)
        if node is not home:
            answer = machine.header + (0 if write else size)
            yield actor.until(cross(actor, node.port, home.port, answer))

    def _merge(self, node: IoNode, group: int, write: bool) -> Steps:
        """Wait for the other members; the last of them does the work for all."""
        plan, actor, rows = self.world.plan, self.actor, self.world.plan.groups
        here = self.world.gathered[group]
        if len(here) + 1 < rows.members[group]:
            began = actor.now
            here.append(actor)
            yield actor.blocked()
            actor.charge(PARTS[MERGING], actor.now - began, 0)
            return
        span = (rows.first[group], rows.count[group])
        work = plan.machine.copy.service_ns(rows.size[group]) + rows.more[group]
        yield from self._access(node, span, write, work, -1)
        for other in here:
            other.wake()

    def _access(
        self, node: IoNode, span: tuple[int, int], write: bool, work_ns: int, asker: int
    ) -> Steps:
        """Ask for the blocks; when they are there, have the processor do the rest."""
        actor = self.actor
        ready = node.cache.access(actor.now, *span, write, asker)
        if ready > actor.now:
            actor.charge(PARTS[DISKS], ready - actor.now, 0)
            yield actor.until(ready)
        yield node.work(actor, work_ns)
        if write:
            node.cache.written(actor.now, *span)


class Runner:
    """One thread: goes through its steps."""

    def __init__(self, world: World, actor: Actor, thread: Thread) -> None:
        self.world = world
        self.actor = actor
        self.thread = thread
        self.open = 0
        """Requests that are not answered yet."""
        self.waiter: Actor | None = None
        """Who waits for the end of this thread."""

    def run(self) -> Steps:
        """Its life."""
        actor, thread, steps = self.actor, self.thread, self.world.plan.steps
        if thread.start_ns < 0:
            yield actor.blocked()
        else:
            yield actor.until(thread.start_ns)
        actor.started_ns = actor.now
        for row in range(thread.first, thread.first + thread.count):
            think = steps.think[row]
            if think:
                actor.charge(PARTS[steps.part[row]], 0, think)
                yield actor.until(actor.now + think)
            yield from self._do(steps.kind[row], steps.first[row], steps.count[row])
        actor.ended_ns = actor.now
        if self.waiter is not None:
            self.waiter.wake()

    def _do(self, kind: int, first: int, count: int) -> Steps:
        world, actor = self.world, self.actor
        if kind in (READ, WRITE):
            yield from self._ask(kind == WRITE, first, count)
        elif kind == SEND:
            home = world.nodes[self.thread.node]
            there = world.nodes[world.plan.threads[first].node]
            yield actor.until(cross(actor, home.port, there.port, count))
        elif kind == LOCK:
            yield from world.lock.take(actor)
        elif kind == UNLOCK:
            world.lock.release()
        elif kind == BARRIER:
            yield from world.barrier.meet(actor)
        elif kind == START:
            world.runners[first].actor.wake()
        elif kind == WAIT and world.runners[first].actor.ended_ns < 0:
            began = actor.now
            world.runners[first].waiter = actor
            yield actor.blocked()
            actor.charge(PARTS[LATER], actor.now - began, 0)
        else:
            assert kind in (REST, WAIT)

    def _ask(self, write: bool, first: int, count: int) -> Steps:
        """Send requests to I/O nodes, all at once, and wait for the last answer."""
        world = self.world
        base = self.actor.number * world.plan.machine.nodes
        for request in range(first, first + count):
            courier = world.couriers[base + world.plan.requests.node[request]]
            courier.request, courier.write = request, write
            courier.actor.wake()
        self.open = count
        yield self.actor.blocked()

    def answered(self, courier: Actor) -> None:
        """A request is answered; where the last one spent its time, the thread did."""
        self.open -= 1
        if not self.open:
            for part, (wait, service) in courier.spent.items():
                self.actor.charge(part, wait, service)
            self.actor.wake()

    def result(self) -> ThreadResult:
        """What it did."""
        thread, actor = self.thread, self.actor
        return ThreadResult(
            name=thread.name,
            started_ns=actor.started_ns,
            ended_ns=actor.ended_ns,
            read=thread.read,
            written=thread.written,
            calls=thread.calls,
            parts={
                part: (actor.spent[part][0], actor.spent[part][1])
                for part in PARTS
                if any(actor.spent.get(part, ()))
            },
        )


def run_reference_io(plan: IoPlan, *, debug: bool = False) -> IoResult:
    """Carry out a plan with SimPy; SimulationError names the threads that wait for ever."""
    env = simpy.Environment()
    world = World(env, plan)
    for runner in world.runners:
        env.process(runner.run())
    for courier in world.couriers:
        env.process(courier.run())
    env.run()
    blocked = [one.thread.name for one in world.runners if one.actor.ended_ns < 0]
    if blocked:
        raise SimulationError(f"processes wait for ever: {', '.join(blocked)}")
    elapsed = max(one.actor.ended_ns for one in world.runners)
    actors = [one.actor for one in world.runners] + [one.actor for one in world.couriers]
    result = IoResult(
        machine=plan.machine.name,
        workload=plan.workload,
        engine="reference",
        seed=plan.seed,
        digest=plan.digest,
        elapsed_ns=elapsed,
        end_ns=max(node.cache.drain(elapsed) for node in world.nodes),
        threads=tuple(one.result() for one in world.runners if one.thread.start_ns >= 0),
        nodes=tuple(node.result() for node in world.nodes),
        memory=dict(plan.memory),
        server_calls=plan.server_calls,
        copied=plan.copied,
        events=sum(actor.alarms for actor in actors),
    )
    if debug:
        check_books(result)
    return result
