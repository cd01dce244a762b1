"""Striping is arithmetic: nothing is lost, and no volume has much more than another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.plan.stripe import pieces


@pytest.mark.parametrize(
    ("size", "stripes", "volumes", "first", "dealt"),
    [
        (100, 1, 1, 0, [(0, 100)]),
        (100, 1, 4, 6, [(2, 100)]),
        (100, 32, 1, 0, [(0, 100)]),
        (100, 2, 4, 3, [(3, 50), (0, 50)]),
        # Pieces of 25; the fourth goes to the first volume again.
        (100, 4, 3, 0, [(0, 50), (1, 25), (2, 25)]),
        (10, 4, 4, 1, [(1, 2), (2, 3), (3, 2), (0, 3)]),
        # Pieces of 1, 1, 2, 1 and 2, in turn.
        (7, 5, 2, 0, [(0, 5), (1, 2)]),
        (3, 4, 4, 0, [(1, 1), (2, 1), (3, 1)]),
    ],
)
def test_by_hand(
    size: int, stripes: int, volumes: int, first: int, dealt: list[tuple[int, int]]
) -> None:
    assert pieces(size, stripes=stripes, volumes=volumes, first=first) == dealt


sizes = st.integers(1, 10**9)
counts = st.integers(1, 40)


@given(sizes, counts, counts, st.integers(0, 60))
def test_the_pieces_add_up_and_go_to_different_volumes(
    size: int, stripes: int, volumes: int, first: int
) -> None:
    dealt = pieces(size, stripes=stripes, volumes=volumes, first=first)
    assert sum(share for _, share in dealt) == size
    assert all(share > 0 for _, share in dealt)
    places = [volume for volume, _ in dealt]
    assert len(set(places)) == len(places) <= min(stripes, volumes)
    assert set(places) <= set(range(volumes))


@given(sizes, counts, counts)
def test_no_volume_has_a_piece_more_than_another(size: int, stripes: int, volumes: int) -> None:
    dealt = dict(pieces(size, stripes=stripes, volumes=volumes))
    shares = [dealt.get(volume, 0) for volume in range(min(stripes, volumes))]
    piece = -(-size // stripes)
    count = -(-stripes // len(shares))
    assert max(shares) - min(shares) <= piece + count
    if stripes % len(shares) == 0 and size % stripes == 0:
        assert len(set(shares)) == 1


@given(sizes, counts, counts, st.integers(0, 60), st.integers(0, 60))
def test_the_first_volume_only_turns_them_round(
    size: int, stripes: int, volumes: int, first: int, further: int
) -> None:
    here = pieces(size, stripes=stripes, volumes=volumes, first=first)
    there = pieces(size, stripes=stripes, volumes=volumes, first=first + further)
    assert there == [((volume + further) % volumes, share) for volume, share in here]
