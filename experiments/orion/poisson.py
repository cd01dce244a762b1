"""Poisson's equation on a mesh by Gauss-Seidel sweeps, really computed.

Every point becomes the mean of its four neighbours, less its source; around the mesh lie fixed
values. A mesh is an array with one more row and column on each side, for these or for the edges of
neighbouring blocks. ``sweep`` and ``sweep_colour`` compute many points at once; ``undivided``
computes the same point by point, slowly, in one array, without blocks that know only their edges.

Not modelled: when to stop; the number of loops is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simulator.workload.split import BLACK, RED, split

if TYPE_CHECKING:
    from simulator.workload.split import Block

Mesh: TypeAlias = NDArray[np.float64]


def problem(rows: int, columns: int) -> tuple[Mesh, Mesh]:
    """A mesh of zeros within fixed values, and the sources of its points, with the ring.

    The values are those of x^2 - y on the ring; the sources are waves.
    """
    y, x = np.meshgrid(np.linspace(0, 1, rows + 2), np.linspace(0, 1, columns + 2), indexing="ij")
    values = x * x - y
    values[1:-1, 1:-1] = 0.0
    source = np.sin(7 * x) * np.cos(5 * y) / (rows * columns)
    return values, source


def solution(rows: int, columns: int) -> Mesh:
    """The mesh on which no sweep changes anything any more by 10^-12 or more."""
    values, source = problem(rows, columns)
    (whole,) = split(rows, columns, 1)
    change = 1.0
    while change >= 1e-12:
        before = values.copy()
        for colour in (RED, BLACK):
            sweep_colour(values, source, whole, colour)
        change = float(np.abs(values - before).max())
    return values


def sweep(u: Mesh, source: Mesh, top: int, bottom: int, left: int, right: int) -> None:
    """Compute the points of some rows and columns, each after those above and left of it.

    One diagonal after the other, since the points of a diagonal do not need each other. Rows and
    columns count from 0 inside the ring, to before the last.
    """
    if top >= bottom or left >= right:
        return
    width = u.shape[1]
    flat, sources = u.reshape(-1), source.reshape(-1)
    for diagonal in range(top + left, bottom + right - 1):
        first = max(top, diagonal - right + 1)
        last = min(bottom - 1, diagonal - left)
        begin = (first + 1) * width + diagonal - first + 1
        end = begin + (last - first) * (width - 1) + 1

        def moved(by: int, begin: int = begin, end: int = end) -> Mesh:
            return flat[begin + by : end + by : width - 1]

        around = moved(-width) + moved(-1) + moved(1) + moved(width)
        flat[begin : end : width - 1] = around * 0.25 - sources[begin : end : width - 1]


def sweep_colour(u: Mesh, source: Mesh, block: Block, colour: int) -> None:
    """Compute all points of one colour of a block; the others are all that they need."""
    for row in (0, 1):
        column = (row + block.top + block.left + colour) % 2
        i, j = slice(row + 1, -1, 2), slice(column + 1, -1, 2)
        up, down = slice(row, -2, 2), slice(row + 2, None, 2)
        before, after = slice(column, -2, 2), slice(column + 2, None, 2)
        around = u[up, j] + u[i, before] + u[i, after] + u[down, j]
        u[i, j] = around * 0.25 - source[i, j]


# -- without division ---------------------------------------------------------------------------


def undivided(rows: int, columns: int, blocks: Sequence[Block], order: str, loops: int) -> Mesh:
    """The whole mesh after some loops, point by point in the order that the blocks have.

    A point of another block has the value from before the loop, except in ``colours``: there the
    blocks do not matter.
    """
    u, source = problem(rows, columns)
    everywhere = list(_places(0, rows, 0, columns))
    for _ in range(loops):
        if order == "colours":
            for colour in (RED, BLACK):
                update(u, source, ((i, j) for i, j in everywhere if (i + j) % 2 == colour))
            continue
        before = u.copy()
        for block in blocks:
            seen = before.copy()
            if order == "edges-first":
                update(seen, source, edge_places(block, rows, columns))
                update(seen, source, _places(*rest_of(block, rows, columns)))
            else:
                update(seen, source, _places(block.top, block.bottom, block.left, block.right))
            inside = np.s_[block.top + 1 : block.bottom + 1, block.left + 1 : block.right + 1]
            u[inside] = seen[inside]
    return u


def rest_of(block: Block, rows: int, columns: int) -> tuple[int, int, int, int]:
    """The points that no neighbour needs: (top, bottom, left, right), counted in the whole mesh.

    >>> from simulator.workload.split import split
    >>> rest_of(split(10, 10, 4)[0], 10, 10)
    (0, 4, 0, 4)
    """
    return (
        block.top + (block.top > 0),
        block.bottom - (block.bottom < rows),
        block.left + (block.left > 0),
        block.right - (block.right < columns),
    )


def edge_places(block: Block, rows: int, columns: int) -> list[tuple[int, int]]:
    """The points that neighbours need, in the order of reading, counted in the whole mesh."""
    top, bottom, left, right = rest_of(block, rows, columns)
    return [
        (i, j)
        for i, j in _places(block.top, block.bottom, block.left, block.right)
        if not (top <= i < bottom and left <= j < right)
    ]


def update(u: Mesh, source: Mesh, places: Iterable[tuple[int, int]]) -> None:
    """Compute points one after the other; they count from 0 inside the ring."""
    for i, j in places:
        around = u[i, j + 1] + u[i + 1, j] + u[i + 1, j + 2] + u[i + 2, j + 1]
        u[i + 1, j + 1] = around * 0.25 - source[i + 1, j + 1]


def _places(top: int, bottom: int, left: int, right: int) -> Iterator[tuple[int, int]]:
    """Rows and columns in the order of reading."""
    return ((i, j) for i in range(top, bottom) for j in range(left, right))
