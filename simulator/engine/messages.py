"""The engine of message-passing machines: nodes with servers, and one process on each.

The process of node 0 asks the process servers for the others, waits until all are there, and lets
them begin. Then each computes its block, sends its edges to its neighbours and waits for theirs,
loop after loop. In the same nanosecond processes act before message servers, these before process
servers, these before the network; each in the order of the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import simpy

from simulator.engine.mesh_plan import MeshPlan
from simulator.engine.mesh_result import (
    AWAITING,
    COMPUTING,
    PAGING,
    MeshResult,
    NodeResult,
)
from simulator.machine.actor import Actor, Steps
from simulator.machine.fair import FairStation
from simulator.machine.lan import Lan
from simulator.machine.message_server import Adapter, MessageServer
from simulator.machine.ports import Message, Port
from simulator.machine.process_server import ProcessServer
from simulator.machine.station import Station
from simulator.machine.workstation import Processor
from simulator.result.errors import SimulationError
from simulator.result.identities import IdentityError
from simulator.workload.follower import EDGES, REST, WHOLE, Follower, Part
from simulator.workload.split import BLACK, RED

STARTUP = "startup"


def port_name(rank: int) -> str:
    """The name of the port of a rank's process."""
    return f"mesh.{rank}"


@dataclass(slots=True)
class Progress:
    """How far all processes are."""

    started: bool = False
    """All processes have been told to begin."""
    began_ns: list[int] = field(default_factory=list)
    ended: list[list[int]] = field(default_factory=list)
    """For each loop, when each node was through it."""
    done: int = 0


class Node:
    """A workstation with its servers and its process."""

    def __init__(self, run: Run, number: int, link: Lan) -> None:
        plan, env = run.plan, run.env
        count = plan.nodes
        self.run_of = run
        self.number = number
        self.port = port_name(number)
        self.block = plan.blocks[number]
        self.noise = plan.noise(number)
        self.cpu = Processor(f"cpu{number}")
        self.process = Actor(env, number, f"node{number}")
        self.adapter = Adapter(Actor(env, 3 * count + number, f"adapter{number}"), link)
        server = Actor(env, count + number, f"ms{number}")
        self.messages = MessageServer(number, server, self.cpu, plan.messages, self.adapter)
        maker = Actor(env, 2 * count + number, f"ps{number}")
        self.maker = ProcessServer(maker, self.messages, plan.processes, self._begin)
        self.messages.hands = {"create": self.maker.ask}
        self.loops = 0
        self.counted_from_ns = 0
        self._early: dict[int, list[int]] = {}
        """Exchange -> neighbours whose edges of it have come."""

    def _begin(self, port: str) -> None:
        """The process server has made this node's process."""
        self.process.now = int(self.run_of.env.now)
        self.run_of.env.process(self._live(port))

    # -- the process ------------------------------------------------------------------------

    def _live(self, port: str) -> Steps:
        """Wait for the word to start, then go through all loops."""
        actor = self.process
        yield actor.until(actor.now)
        yield from self._await(port, "start")
        actor.started_ns = actor.now
        self.run_of.progress.began_ns.append(actor.now)
        plan = self.run_of.plan
        for loop in range(plan.loops):
            yield from self._loop(loop)
            self.loops += 1
            self.run_of.progress.ended[loop].append(actor.now)
            if loop == 0:
                actor.spent.clear()
                self.counted_from_ns = actor.now
        actor.ended_ns = actor.now
        self.run_of.finish()

    def _loop(self, loop: int) -> Steps:
        """One loop: compute the block, exchange edges with the neighbours."""
        plan, block = self.run_of.plan, self.block
        if plan.order == "colours":
            for colour in (RED, BLACK):
                exchange = loop * plan.exchanges + colour
                work = self._work(block.colour_points(colour), exchange)
                yield from self._compute(work, colour)
                yield from self._page()
                yield from self._exchange(exchange, colour)
            return
        work = self._work(block.points, loop)
        if plan.order == "blocks":
            yield from self._compute(work, WHOLE)
            yield from self._page()
            yield from self._exchange(loop)
            return
        edges = work * min(block.edge_points, block.points) // block.points
        yield from self._compute(edges, EDGES)
        yield from self._send_edges(loop, None)
        yield from self._compute(work - edges, REST)
        yield from self._page()
        yield from self._await_edges(loop)

    def _work(self, points: int, exchange: int) -> int:
        """Processor time to compute this many points spread over the block."""
        plan = self.run_of.plan
        alone = plan.station.sweep_cpu_ns(points, plan.block_bytes(self.block))
        return self.noise.stretch(alone, exchange + 1)

    def _compute(self, work_ns: int, part: Part) -> Steps:
        yield from self.cpu.compute(self.process, work_ns, COMPUTING)
        self.run_of.follower.compute(self.number, part)

    def _exchange(self, exchange: int, colour: int | None = None) -> Steps:
        yield from self._send_edges(exchange, colour)
        yield from self._await_edges(exchange)

    def _page(self) -> Steps:
        plan = self.run_of.plan
        time = plan.station.sweep_paging_ns(plan.block_bytes(self.block))
        if time:
            actor = self.process
            actor.charge(PAGING, 0, time)
            yield actor.until(actor.now + time)

    def _send_edges(self, exchange: int, colour: int | None) -> Steps:
        for rank, size in self.run_of.plan.edge_sizes(self.block, colour):
            edge = Message("data", port_name(rank), self.number, rank, size, exchange)
            self.run_of.follower.send(self.number, rank, exchange)
            yield from self.messages.send(self.process, edge)

    def _await_edges(self, exchange: int) -> Steps:
        """Wait until all neighbours' edges of this exchange have come; one may be one ahead."""
        port = self.messages.ports[self.port]
        began = self.process.now
        self.run_of.follower.wait(self.number, exchange)
        while True:
            while port.box:
                message = port.box.popleft()
                self._early.setdefault(message.exchange, []).append(message.source)
            if len(self._early.get(exchange, ())) == len(self.block.neighbours):
                break
            yield port.wait(self.process)
        for source in self._early.pop(exchange, ()):
            self.run_of.follower.take(self.number, source, exchange)
        self.process.charge(AWAITING, self.process.now - began, 0)

    def _await(self, name: str, purpose: str) -> Steps:
        """Wait for one message of this purpose; edges that come before it are kept."""
        port = self.messages.ports[name]
        while True:
            for message in port.box:
                if message.purpose == purpose:
                    port.box.remove(message)
                    return
            yield port.wait(self.process)

    # -- the outcome ------------------------------------------------------------------------

    def result(self) -> NodeResult:
        """What this node did in the counted loops."""
        return NodeResult(
            node=self.number,
            points=self.block.points,
            elapsed_ns=self.process.ended_ns - self.counted_from_ns,
            parts={part: (w, s) for part, (w, s) in sorted(self.process.spent.items()) if w or s},
            polls=self.messages.polls,
            found=self.messages.found,
            unfound_ns=self.messages.unfound_ns,
            server_ns=self.cpu.server_ns,
        )


class Run:
    """One run: the machine put together, the process that begins it, and its end."""

    def __init__(self, plan: MeshPlan, follower: Follower | None = None) -> None:
        self.plan = plan
        self.env = simpy.Environment()
        self.follower = follower or Follower()
        self.follower.clock = lambda: int(self.env.now)
        self.progress = Progress(ended=[[] for _ in range(plan.loops)])
        self.over = self.env.event()
        lan = Lan(_link(self.env, plan))
        self.link = lan.link
        self.nodes = [Node(self, number, lan) for number in range(plan.nodes)]
        self.master = Actor(self.env, -1, "master")
        servers = [node.messages for node in self.nodes]
        for node in self.nodes:
            node.adapter.servers = servers
        self.nodes[0].messages.watch = self._look  # One that looks is enough.

    def finish(self) -> None:
        """One process has gone through all its loops."""
        self.progress.done += 1
        if self.progress.done == self.plan.nodes:
            self.over.succeed()

    def carry_out(self) -> MeshResult:
        """Run until the last process has ended."""
        env = self.env
        for node in self.nodes:
            env.process(node.adapter.run())
            env.process(node.maker.run())
            env.process(node.messages.run(self.plan.first_poll_ns(node.number)))
        env.process(self._start())
        env.run(until=self.over)
        return self._collect()

    def _start(self) -> Steps:
        """Have all processes made, wait until they are there, and let them begin."""
        first, header = self.nodes[0].messages, self.plan.messages.header
        box = first.ports[STARTUP] = Port(STARTUP)
        first.hands = {**first.hands, "created": box.put}
        yield self.master.until(0)
        for rank in range(self.plan.nodes):
            asked = Message("create", port_name(rank), 0, rank, header)
            yield from self._send(asked)
        while len(box.box) < self.plan.nodes:
            yield box.wait(self.master)
        for rank in range(self.plan.nodes):
            yield from self._send(Message("start", port_name(rank), 0, rank, header))
        self.progress.started = True

    def _send(self, message: Message) -> Steps:
        server = self.nodes[0].messages
        cost = server.spec.send_cost_ns(message.size)
        yield self.master.until(server.cpu.serve(self.master.now, cost))
        server.post(message)

    def _look(self) -> None:
        """Stop a run in which nothing can happen any more but polls."""
        progress = self.progress
        if not progress.started or progress.done == self.plan.nodes:
            return
        waiting = [node for node in self.nodes if node.process.ended_ns < 0]
        for node in waiting:  # most of the time the first is not even waiting
            port = node.messages.ports.get(node.port)
            if port is None or not port.awaited or port.box:
                return
        if not self._under_way():
            names = ", ".join(node.process.name for node in waiting)
            raise SimulationError(f"processes wait for ever: {names}")

    def _under_way(self) -> bool:
        """Whether any message is on its way to a port."""
        sent = sum(node.messages.posted for node in self.nodes)
        return sent != sum(node.messages.delivered for node in self.nodes)

    def _collect(self) -> MeshResult:
        plan = self.plan
        servers = [node.messages for node in self.nodes]
        counts = {
            "posted": sum(one.posted for one in servers),
            "found": sum(one.found for one in servers),
            "delivered": sum(one.delivered for one in servers),
            "over_the_network": sum(node.adapter.sent for node in self.nodes),
            "network_bytes": sum(node.adapter.bytes for node in self.nodes),
            "queries": sum(one.queries for one in servers),
            "polls": sum(one.polls for one in servers),
        }
        actors = [a for n in self.nodes for a in (n.process, n.messages.actor, n.adapter.actor)]
        return MeshResult(
            machine=plan.machine,
            workload=plan.workload,
            engine="reference",
            seed=plan.seed,
            run=plan.run,
            digest=plan.digest,
            points=plan.points,
            setup_ns=max(self.progress.began_ns),
            loop_ends_ns=tuple(max(ends) for ends in self.progress.ended),
            nodes=tuple(node.result() for node in self.nodes),
            counts=counts,
            link_busy_ns=self.link.busy_ns,
            events=sum(actor.alarms for actor in actors),
        )


def _link(env: simpy.Environment, plan: MeshPlan) -> Station | FairStation:
    if plan.fair:
        return FairStation(env, 4 * plan.nodes, "lan", plan.link)
    return Station("lan", plan.link)


def run_mesh(
    plan: MeshPlan, *, debug: bool = False, follower: Follower | None = None
) -> MeshResult:
    """Carry out a plan; ``debug`` checks that no message and no nanosecond was lost.

    A follower is told what is computed, sent and taken, in the order in which it happens.
    """
    result = Run(plan, follower).carry_out()
    if debug:
        check_mesh(plan, result)
    return result


def check_mesh(plan: MeshPlan, result: MeshResult) -> None:
    """Raise :class:`IdentityError` listing every law of conservation that does not hold."""
    broken = [
        f"node{node.node}: {accounted} ns of {node.elapsed_ns} accounted for"
        for node in result.nodes
        if (accounted := node.computation_ns + node.communication_ns) != node.elapsed_ns
    ]
    edges = plan.loops * plan.exchanges * sum(len(block.neighbours) for block in plan.blocks)
    counts = result.counts
    wanted = 4 * plan.nodes + edges + 2 * counts["queries"]
    if not counts["posted"] == counts["found"] == counts["delivered"] == wanted:
        broken.append(f"{counts}: {wanted} messages were wanted, each once")
    if broken:
        raise IdentityError("; ".join(broken))
