"""A mesh divided over nodes: every point once, edges on both sides, for any mesh and nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.workload.split import BLACK, RED, Block, grid_of, split

SIZES = st.tuples(st.integers(1, 24), st.integers(1, 24), st.integers(1, 17)).filter(
    lambda one: grid_of(one[2], one[0], one[1]) is not None
)


def owners(rows: int, columns: int, blocks: tuple[Block, ...]) -> np.ndarray:
    owner = np.full((rows, columns), -1)
    for block in blocks:
        part = owner[block.top : block.bottom, block.left : block.right]
        assert (part == -1).all()
        part[:] = block.rank
    return owner


@given(SIZES)
def test_every_point_is_in_one_block(size: tuple[int, int, int]) -> None:
    rows, columns, nodes = size
    blocks = split(rows, columns, nodes)
    assert [block.rank for block in blocks] == list(range(nodes))
    assert (owners(rows, columns, blocks) >= 0).all()
    assert sum(block.points for block in blocks) == rows * columns
    assert max(b.rows for b in blocks) - min(b.rows for b in blocks) <= 1
    assert max(b.columns for b in blocks) - min(b.columns for b in blocks) <= 1


@given(SIZES)
def test_neighbours_are_those_that_touch_and_edges_are_what_touches(
    size: tuple[int, int, int],
) -> None:
    rows, columns, nodes = size
    blocks = split(rows, columns, nodes)
    owner = owners(rows, columns, blocks)
    touching: dict[tuple[int, int], int] = {}
    for mine, other in ((owner[1:], owner[:-1]), (owner[:, 1:], owner[:, :-1])):
        for one, two in zip(mine.ravel().tolist(), other.ravel().tolist(), strict=True):
            if one != two:
                touching[one, two] = touching.get((one, two), 0) + 1
                touching[two, one] = touching.get((two, one), 0) + 1
    said = {(b.rank, rank): points for b in blocks for rank, points in b.neighbours}
    assert said == touching
    for (one, two), points in said.items():
        top, bottom, left, right = blocks[one].edge(blocks[two])
        assert (bottom - top) * (right - left) == points
        assert (owner[top:bottom, left:right] == one).all()


@given(SIZES)
def test_colours_divide_each_block(size: tuple[int, int, int]) -> None:
    rows, columns, nodes = size
    for block in split(rows, columns, nodes):
        places = [
            (i + j) % 2
            for i in range(block.top, block.bottom)
            for j in range(block.left, block.right)
        ]
        assert [block.colour_points(one) for one in (RED, BLACK)] == [
            places.count(RED),
            places.count(BLACK),
        ]


def test_the_paper_s_example() -> None:
    """1000 x 1000 points of 8 bytes on 4 nodes: 2 MB a node, 8 kB sent in a loop."""
    for block in split(1000, 1000, 4):
        assert (8 * block.points, 8 * block.edge_points) == (2_000_000, 8_000)


@pytest.mark.parametrize(("nodes", "grid"), [(3, (1, 3)), (5, (1, 5)), (8, (2, 4)), (16, (4, 4))])
def test_any_number_of_nodes_has_a_grid(nodes: int, grid: tuple[int, int]) -> None:
    assert grid_of(nodes, 1000, 1000) == grid


def test_a_mesh_without_enough_rows_and_columns_is_refused() -> None:
    assert grid_of(7, 6, 6) is None
    with pytest.raises(ValueError, match="6 x 6 points has no 7 equal blocks"):
        split(6, 6, 7)
