"""Runs of message servers, processors and page frames under loads that theory has an answer for.

Each function drives the real parts and returns what happened; what should have happened is in
:mod:`simulator.study.oracles_messages`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import simpy

from simulator.machine.actor import Actor, Steps
from simulator.machine.lan import Lan
from simulator.machine.message_server import Adapter, MessageServer, MessageServerSpec
from simulator.machine.paging import LruPages
from simulator.machine.ports import Message, Port
from simulator.machine.station import ServiceSpec, Station
from simulator.machine.workstation import Processor
from simulator.study.oracle_runs import Times


class Office:
    """Nodes with a processor and a message server each, on one LAN; a port ``port<i>`` on each."""

    def __init__(self, spec: MessageServerSpec, link: ServiceSpec, nodes: int = 2) -> None:
        self.env = env = simpy.Environment()
        lan = Lan(Station("lan", link))
        self.clients = [Actor(env, number, f"client{number}") for number in range(nodes)]
        self.cpus = [Processor(f"cpu{number}") for number in range(nodes)]
        self.servers: list[MessageServer] = []
        self.adapters: list[Adapter] = []
        for number, cpu in enumerate(self.cpus):
            adapter = Adapter(Actor(env, 2 * nodes + number, f"adapter{number}"), lan)
            actor = Actor(env, nodes + number, f"ms{number}")
            server = MessageServer(number, actor, cpu, spec, adapter)
            server.ports[f"port{number}"] = Port(f"port{number}")
            self.servers.append(server)
            self.adapters.append(adapter)
        for number, (server, adapter) in enumerate(zip(self.servers, self.adapters, strict=True)):
            self.servers[0].directory[f"port{number}"] = number
            adapter.servers = self.servers
            env.process(adapter.run())
            env.process(server.run(0))

    def arrive(self, node: int) -> None:
        """A message is there, without having been sent."""
        self.servers[node].arrive(Message("data", f"port{node}", node, node, 0))

    def await_message(self, node: int) -> Steps:
        """Let the node's client wait for a message and take it."""
        port = self.servers[node].ports[f"port{node}"]
        while not port.box:
            yield port.wait(self.clients[node])
        port.box.popleft()

    def send(self, sender: int, receiver: int, size: int) -> Steps:
        """Let the sender's client send a message of ``size`` bytes, its header included."""
        message = Message("data", f"port{receiver}", sender, receiver, size)
        yield from self.servers[sender].send(self.clients[sender], message)

    def run(self, *lives: Steps) -> None:
        """Go on until all of these have ended; servers poll for ever."""
        self.env.run(until=self.env.all_of([self.env.process(one) for one in lives]))


def unfound_ns(spec: MessageServerSpec, gaps: Times) -> Times:
    """How long each message lies there until a poll finds it; they come after these gaps."""
    office = Office(spec, ServiceSpec(1e9), nodes=1)
    client, server = office.clients[0], office.servers[0]
    found = []

    def arrive() -> Steps:
        for gap in gaps.tolist():
            yield client.until(client.now + gap)
            before = server.unfound_ns
            office.arrive(0)
            yield from office.await_message(0)
            found.append(server.unfound_ns - before)

    office.run(arrive())
    return np.array(found)


def works_ns(spec: MessageServerSpec, work_ns: int, count: int) -> int:
    """Time of ``count`` pieces of work one after the other, on a processor that polls."""
    office = Office(spec, ServiceSpec(1e9), nodes=1)
    client = office.clients[0]

    def live() -> Steps:
        for _ in range(count):
            yield from office.cpus[0].compute(client, work_ns, "work")

    office.run(live())
    return client.now


def loops_ns(spec: MessageServerSpec, work_ns: int, pauses: Times) -> Times:
    """Time of loops of work and one detection, the pauses that make both come at random left out.

    Each loop has two pauses: one before the work, one before the message arrives.
    """
    office = Office(spec, ServiceSpec(1e9), nodes=1)
    client, cpu = office.clients[0], office.cpus[0]
    times = []

    def live() -> Steps:
        for before, between in pauses.reshape(-1, 2).tolist():
            yield client.until(client.now + before)
            began = client.now
            yield from cpu.compute(client, work_ns, "work")
            worked = client.now - began
            yield client.until(client.now + between)
            began = client.now
            office.arrive(0)
            yield from office.await_message(0)
            times.append(worked + client.now - began)

    office.run(live())
    return np.array(times)


def latency_ns(spec: MessageServerSpec, link: ServiceSpec, size: int) -> int:
    """From the begin of sending one message to its delivery, on idle nodes and an idle LAN."""
    office = Office(spec, link)
    for server in office.servers:
        server.locations.learn("port1", 1)
    began = 0

    def send() -> Steps:
        nonlocal began
        client = office.clients[0]
        yield client.until(spec.interval_ns // 2)  # Between two polls.
        began = client.now
        yield from office.send(0, 1, size)

    office.run(send(), office.await_message(1))
    return office.clients[1].now - began


def twin_queues(gaps: Times, works: Sequence[Times]) -> Times:
    """Time until the last part of each job is done; each processor does one part of every job."""
    env = simpy.Environment()
    source = Actor(env, 0, "source")
    cpus = [Processor(f"cpu{number}") for number in range(len(works))]
    times = []

    def arrive() -> Steps:
        for gap, *parts in zip(gaps.tolist(), *(one.tolist() for one in works), strict=True):
            yield source.until(source.now + gap)
            ends = [cpu.serve(source.now, part) for cpu, part in zip(cpus, parts, strict=True)]
            times.append(max(ends) - source.now)

    env.process(arrive())
    env.run()
    return np.array(times)


def page_hits(frames: int, pages: Sequence[int]) -> Times:
    """1 for each use of a page that is in memory, else 0."""
    memory = LruPages(frames)
    return np.array([int(memory.touch(page)) for page in pages])
