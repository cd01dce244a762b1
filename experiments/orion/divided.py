"""A mesh that is really computed while a run is simulated: what processes know is what they got.

Each process has its own array: its block with a ring around it. It computes when the simulated
process has computed; an edge is copied into a message when the simulated process sends it, and into
the ring when the simulated process takes it. If a message of the simulated exchange were missing,
late or for another process, the numbers would be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.workload.follower import EDGES, REST, WHOLE, Follower, Part

from .poisson import (
    Mesh,
    edge_places,
    problem,
    rest_of,
    sweep,
    sweep_colour,
    update,
)

if TYPE_CHECKING:
    from simulator.workload.split import Block


class Divided(Protocol):
    """A mesh in blocks, as plans have it."""

    @property
    def rows(self) -> int:
        """Rows of the whole mesh."""
        ...

    @property
    def columns(self) -> int:
        """Columns of the whole mesh."""
        ...

    @property
    def blocks(self) -> Sequence[Block]:
        """Its blocks, by rank."""
        ...

    @property
    def order(self) -> str:
        """In which order points are computed."""
        ...


class DividedMesh(Follower):
    """The blocks of all nodes, and the edges that are on their way."""

    def __init__(self, plan: Divided) -> None:
        self.plan = plan
        self._start, source = problem(plan.rows, plan.columns)
        self._u = [self._start[_with_ring(block)].copy() for block in plan.blocks]
        self._source = [source[_with_ring(block)].copy() for block in plan.blocks]
        self._under_way: dict[tuple[int, int, int], Mesh] = {}
        """(sender, receiver, exchange) -> values of the edge."""

    def compute(self, rank: int, part: Part) -> None:
        """Compute a part of a node's block, from what the node has."""
        block, u, source = self.plan.blocks[rank], self._u[rank], self._source[rank]
        size = self.plan.rows, self.plan.columns
        if part == WHOLE:
            sweep(u, source, 0, block.rows, 0, block.columns)
        elif part == EDGES:
            places = edge_places(block, *size)
            update(u, source, [(i - block.top, j - block.left) for i, j in places])
        elif part == REST:
            top, bottom, left, right = rest_of(block, *size)
            down, across = block.top, block.left
            sweep(u, source, top - down, bottom - down, left - across, right - across)
        elif isinstance(part, int):
            sweep_colour(u, source, block, part)

    def send(self, rank: int, neighbour: int, exchange: int) -> None:
        """Copy the edge to a neighbour as it is now."""
        blocks = self.plan.blocks
        edge = blocks[rank].edge(blocks[neighbour])
        self._under_way[rank, neighbour, exchange] = self._u[rank][_at(edge, blocks[rank])].copy()

    def take(self, rank: int, neighbour: int, exchange: int) -> None:
        """Put a neighbour's edge into the ring; KeyError if it was never sent, or taken before."""
        blocks = self.plan.blocks
        edge = blocks[neighbour].edge(blocks[rank])
        values = self._under_way.pop((neighbour, rank, exchange))
        sent = self._was_sent(edge, exchange)
        self._u[rank][_at(edge, blocks[rank])][sent] = values[sent]

    def _was_sent(self, edge: tuple[int, int, int, int], exchange: int) -> NDArray[np.bool_]:
        """Return the points of an edge that it holds: all, or those of the colour just computed."""
        top, bottom, left, right = edge
        places = np.add.outer(np.arange(top, bottom), np.arange(left, right))
        return places % 2 == exchange % 2 if self.plan.order == "colours" else places >= 0

    def whole(self) -> Mesh:
        """Return the mesh put together, with the fixed values around it."""
        mesh = self._start.copy()
        for rank in range(len(self.plan.blocks)):
            self.block_in(mesh, rank)[:] = self.block_of(rank)
        return mesh

    def block_of(self, rank: int) -> Mesh:
        """Return the points of a node."""
        return self._u[rank][1:-1, 1:-1]

    def block_in(self, mesh: Mesh, rank: int) -> Mesh:
        """Return the points of a node in a whole mesh with its ring."""
        return mesh[_with_ring(self.plan.blocks[rank])][1:-1, 1:-1]

    @property
    def untaken(self) -> int:
        """Edges that were sent and not taken."""
        return len(self._under_way)


def _with_ring(block: Block) -> tuple[slice, slice]:
    """Return the place of a block with its ring in the mesh with its own ring."""
    return np.s_[block.top : block.bottom + 2, block.left : block.right + 2]


def _at(place: tuple[int, int, int, int], block: Block) -> tuple[slice, slice]:
    """Return the place of rows and columns of the mesh in the array of a block with its ring."""
    top, bottom, left, right = place
    down, across = 1 - block.top, 1 - block.left
    return np.s_[top + down : bottom + down, left + across : right + across]
