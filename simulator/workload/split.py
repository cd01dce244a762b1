"""A mesh of points, divided over nodes in equal blocks, and the edges that blocks share.

Any number of nodes divides any mesh that has as many rows and columns as needed: the blocks form
a rectangle of nodes, the one of all factorings with the fewest edge points, and differ by at
most one row and one column.
"""

from __future__ import annotations

from dataclasses import dataclass

RED, BLACK = 0, 1
"""The colours of points, as on a chessboard; the first point of a mesh is red."""


def points_of_colour(top: int, bottom: int, left: int, right: int, colour: int) -> int:
    """Return the points of one colour in the rows and columns from the first to before the last.

    >>> points_of_colour(0, 3, 0, 3, RED), points_of_colour(0, 3, 1, 4, RED)
    (5, 4)
    """
    points = (bottom - top) * (right - left)
    return (points + (1 if (top + left) % 2 == colour else 0)) // 2


@dataclass(frozen=True, slots=True)
class Block:
    """The part of a mesh that one node has: rows and columns from the first to before the last."""

    rank: int
    top: int
    bottom: int
    left: int
    right: int
    neighbours: tuple[tuple[int, int], ...]
    """(rank of a neighbour, points on the edge to it): above, below, left, right."""

    @property
    def rows(self) -> int:
        """Rows of the block."""
        return self.bottom - self.top

    @property
    def columns(self) -> int:
        """Columns of the block."""
        return self.right - self.left

    @property
    def points(self) -> int:
        """Points of the block."""
        return self.rows * self.columns

    def bytes_with_ring(self, point: int) -> int:
        """Return its bytes, with those of the ring of its neighbours' edges around it."""
        return (self.rows + 2) * (self.columns + 2) * point

    def colour_points(self, colour: int) -> int:
        """Return its points of one colour."""
        return points_of_colour(self.top, self.bottom, self.left, self.right, colour)

    def edge(self, other: Block) -> tuple[int, int, int, int]:
        """Return the points next to a neighbour: (top, bottom, left, right), as in a block."""
        if other.bottom == self.top:
            return self.top, self.top + 1, self.left, self.right
        if other.top == self.bottom:
            return self.bottom - 1, self.bottom, self.left, self.right
        if other.right == self.left:
            return self.top, self.bottom, self.left, self.left + 1
        return self.top, self.bottom, self.right - 1, self.right

    @property
    def edge_points(self) -> int:
        """Points that it sends in one loop."""
        return sum(points for _, points in self.neighbours)


def grid_of(nodes: int, rows: int, columns: int) -> tuple[int, int] | None:
    """Return how many blocks (down, across): the fewest edge points; of equal ones the flattest.

    None if there is no factoring with a point for each block.

    >>> grid_of(4, 1000, 1000), grid_of(2, 1000, 1000), grid_of(3, 10, 90)
    ((2, 2), (1, 2), (1, 3))
    """
    pairs = [(down, nodes // down) for down in range(1, nodes + 1) if nodes % down == 0]
    fitting = [(down, across) for down, across in pairs if down <= rows and across <= columns]
    if not fitting:
        return None
    return min(fitting, key=lambda one: ((one[0] - 1) * columns + (one[1] - 1) * rows, one))


def split(rows: int, columns: int, nodes: int) -> tuple[Block, ...]:
    """Divide a mesh over nodes; ValueError if it has too few rows or columns.

    >>> [(one.points, one.edge_points) for one in split(1000, 1000, 4)][0]
    (250000, 1000)
    """
    grid = grid_of(nodes, rows, columns)
    if grid is None:
        raise ValueError(f"a mesh of {rows} x {columns} points has no {nodes} equal blocks")
    down, across = grid
    return tuple(_block(rows, columns, down, across, rank) for rank in range(nodes))


def _block(rows: int, columns: int, down: int, across: int, rank: int) -> Block:
    row, column = divmod(rank, across)
    top, bottom = rows * row // down, rows * (row + 1) // down
    left, right = columns * column // across, columns * (column + 1) // across
    neighbours = []
    if row > 0:
        neighbours.append((rank - across, right - left))
    if row < down - 1:
        neighbours.append((rank + across, right - left))
    if column > 0:
        neighbours.append((rank - 1, bottom - top))
    if column < across - 1:
        neighbours.append((rank + 1, bottom - top))
    return Block(rank, top, bottom, left, right, tuple(neighbours))
