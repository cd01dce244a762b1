"""What the engine of message-passing machines carries out: nodes, blocks of a mesh, loops.

Times are ns, sizes bytes, rates bytes per second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from simulator.machine.mixing import mix
from simulator.machine.noise import SILENT, Noise, stream_key
from simulator.workload.split import points_of_colour

if TYPE_CHECKING:
    from simulator.machine.message_server import MessageServerSpec
    from simulator.machine.process_server import ProcessServerSpec
    from simulator.machine.station import ServiceSpec
    from simulator.machine.workstation import WorkstationSpec
    from simulator.workload.split import Block


Order: TypeAlias = Literal["blocks", "edges-first", "colours"]
"""``blocks``: from the first point of a block to the last, then the edges are sent.
``edges-first``: the edges, which are then on their way while the rest is computed.
``colours``: all red points as on a chessboard, their edges are exchanged, then the black ones."""


@dataclass(frozen=True, slots=True)
class MeshPlan:
    """One run: a mesh divided over nodes, a number of loops."""

    machine: str
    workload: str
    station: WorkstationSpec
    messages: MessageServerSpec
    processes: ProcessServerSpec
    link: ServiceSpec
    fair: bool
    """The network is shared by all messages at once, instead of one after the other."""
    deviation: float
    """How much the processor time of one loop varies, as a fraction."""
    rows: int
    columns: int
    point_bytes: int
    blocks: tuple[Block, ...]
    loops: int
    order: Order
    """In which order the points of a block are computed, and when edges are sent."""
    seed: int
    noisy: bool
    """Processor times vary, and servers begin to poll at random times."""
    digest: str
    run: int = 0

    @property
    def nodes(self) -> int:
        """Nodes that take part."""
        return len(self.blocks)

    @property
    def points(self) -> int:
        """Points of the whole mesh."""
        return self.rows * self.columns

    @property
    def exchanges(self) -> int:
        """Exchanges of edges in one loop."""
        return 2 if self.order == "colours" else 1

    def edge_sizes(self, block: Block, colour: int | None) -> list[tuple[int, int]]:
        """(neighbour, bytes of the message to it): all points of the edge, or those of a colour."""
        edges = block.neighbours
        if colour is not None:
            places = [(rank, block.edge(self.blocks[rank])) for rank, _ in edges]
            edges = tuple((rank, points_of_colour(*edge, colour)) for rank, edge in places)
        header = self.messages.header
        return [(rank, header + points * self.point_bytes) for rank, points in edges]

    def block_bytes(self, block: Block) -> int:
        """Bytes that a block takes, with the ring of its neighbours' edges around it."""
        return block.bytes_with_ring(self.point_bytes)

    def with_run(self, run: int) -> MeshPlan:
        """The same plan, with the draws of another run."""
        return replace(self, run=run)

    def noise(self, node: int) -> Noise:
        """How the processor time of a node's loops varies."""
        if not self.noisy:
            return SILENT
        name = f"cpu{node}"
        return Noise.of(self.seed, self.run, name, run_sd=0.0, request_sd=self.deviation)

    def first_poll_ns(self, node: int) -> int:
        """When a server begins to poll: drawn evenly from one interval, or spread over it."""
        interval = self.messages.interval_ns
        if self.noisy:
            return mix(stream_key(self.seed, self.run, f"poll{node}"), 1) % interval
        return interval * node // self.nodes
