"""What the engine of message-passing machines carries out: nodes, blocks of a mesh, loops.

Times are ns, sizes bytes, rates bytes per second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simulator.machine.mixing import mix
from simulator.machine.noise import SILENT, Noise, stream_key

if TYPE_CHECKING:
    from simulator.machine.message_server import MessageServerSpec
    from simulator.machine.process_server import ProcessServerSpec
    from simulator.machine.station import ServiceSpec
    from simulator.machine.workstation import WorkstationSpec
    from simulator.workload.split import Block


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
    overlap: bool
    """The edges are computed and sent first, and go while the rest is computed."""
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

    def block_bytes(self, block: Block) -> int:
        """Bytes that a block takes, with the ring of its neighbours' edges around it."""
        return (block.rows + 2) * (block.columns + 2) * self.point_bytes

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
