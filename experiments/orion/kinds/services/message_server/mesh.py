"""A phase in which processes compute the blocks of a mesh and exchange their edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.workload.follower import EDGES, REST, WHOLE, Part
from simulator.workload.split import BLACK, RED

from ...parts.processor.reference import Workstation
from .ports import Message

if TYPE_CHECKING:
    from simulator.reference.actor import Steps
    from simulator.reference.process import Process

    from .reference import Messages


class MeshWork:
    """Work of one process on one mesh, over all of its phases."""

    def __init__(self, services: Messages, process: Process, row: int) -> None:
        self.process = process
        self.early = services.early[process.number]
        self.actor = process.actor
        self.row = row
        self.plan = services.plan.meshes[row]
        self.service = services.messages[self.plan.service]
        self.server = self.service.servers[process.node]
        self.follower = services.followers[row]
        self.rank = process.number - self.plan.first
        self.block = self.plan.blocks[self.rank]
        processor = process.processor
        assert isinstance(processor, Workstation)
        self.processor = processor
        self.ends: list[int] = []
        """End of each iteration."""
        self.counted_ns = 0
        """Time in all iterations but the first."""
        self.compute_ns = 0
        """Computing time in them."""
        self.spent: dict[int, tuple[int, int]] = {}
        """The rest of their account: category -> (waiting ns, service ns)."""

    def run(self, loops: int) -> Steps:
        """Run some iterations; all but the very first are counted."""
        since = self.actor.now, *self._account()
        for _ in range(loops):
            yield from self._loop(len(self.ends))
            self.ends.append(self.actor.now)
            if len(self.ends) == 1:
                since = self.actor.now, *self._account()
        self._count(*since)

    def _account(self) -> tuple[int, dict[int, tuple[int, int]]]:
        spent = {column: (wait, service) for column, (wait, service) in self.actor.spent.items()}
        return self.process.compute_ns, spent

    def _count(self, since_ns: int, compute_ns: int, before: dict[int, tuple[int, int]]) -> None:
        self.counted_ns += self.actor.now - since_ns
        computed, spent = self._account()
        self.compute_ns += computed - compute_ns
        for column, (wait, service) in spent.items():
            old, known = before.get(column, (0, 0)), self.spent.get(column, (0, 0))
            self.spent[column] = known[0] + wait - old[0], known[1] + service - old[1]

    def _loop(self, loop: int) -> Steps:
        """Compute the block once, and exchange edges with the neighbours."""
        plan, block = self.plan, self.block
        if plan.order == "colours":
            for colour in (RED, BLACK):
                exchange = 2 * loop + colour
                yield from self._compute(self._work_ns(block.colour_points(colour)), colour)
                yield from self._page()
                yield from self._send_edges(exchange, colour)
                yield from self._await_edges(exchange)
            return
        work = self._work_ns(block.points)
        if plan.order == "blocks":
            yield from self._compute(work, WHOLE)
            yield from self._page()
            yield from self._send_edges(loop, None)
            yield from self._await_edges(loop)
            return
        edges = work * min(block.edge_points, block.points) // block.points
        yield from self._compute(edges, EDGES)
        yield from self._send_edges(loop, None)
        yield from self._compute(work - edges, REST)
        yield from self._page()
        yield from self._await_edges(loop)

    def _work_ns(self, points: int) -> int:
        return self.processor.sweep_ns(points, self.plan.block_bytes(self.block))

    def _compute(self, work_ns: int, part: Part) -> Steps:
        yield from self.process.compute(work_ns)
        self.follower.compute(self.rank, part)

    def _page(self) -> Steps:
        time = self.processor.spec.sweep_paging_ns(self.plan.block_bytes(self.block))
        if time:
            self.actor.charge(self.plan.paging_column, 0, time)
            yield self.actor.until(self.actor.now + time)

    def _send_edges(self, exchange: int, colour: int | None) -> Steps:
        processes, node = self.process.world.processes, self.process.node
        header = self.service.plan.spec.header
        for rank, size in self.plan.edge_sizes(self.block, colour, header):
            target = processes[self.plan.first + rank]
            edge = Message("data", target.plan.name, node, target.node, size)
            edge.mesh, edge.rank, edge.exchange = self.row, self.rank, exchange
            self.follower.send(self.rank, rank, exchange)
            yield from self.server.send(self.actor, edge)

    def _await_edges(self, exchange: int) -> Steps:
        """Wait until all edges of this exchange have arrived; a neighbour may be one ahead."""
        port = self.server.ports[self.process.plan.name]
        early = self.early
        began = self.actor.now
        self.follower.wait(self.rank, exchange)
        while True:
            while port.box:
                message = port.box.popleft()
                early.setdefault((message.mesh, message.exchange), []).append(message.rank)
            if len(early.get((self.row, exchange), ())) == len(self.block.neighbours):
                break
            yield port.wait(self.actor)
        for source in early.pop((self.row, exchange), ()):
            self.follower.take(self.rank, source, exchange)
        self.actor.charge(self.service.plan.awaiting_column, self.actor.now - began, 0)
