"""Striping: every byte has one place, and comes back from it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.runtime.subfiles import Region, SubFiles

BLOCK = 64


@st.composite
def layouts(draw: st.DrawFn) -> SubFiles:
    regions = []
    for _ in range(draw(st.integers(1, 3))):
        order = draw(st.permutations(range(draw(st.integers(1, 4)))))
        stripe = draw(st.sampled_from([1, 7, 16, 64, 100, 128]))
        regions.append(Region(draw(st.integers(1, 900)), stripe, tuple(order)))
    return SubFiles(tuple(regions), BLOCK)


@given(layouts())
def test_every_byte_has_a_place_of_its_own_and_comes_back(files: SubFiles) -> None:
    places = [files.location(offset) for offset in range(files.size)]
    assert len(set(places)) == files.size
    assert [files.origin(*place) for place in places] == list(range(files.size))
    for node, offset in places:
        assert offset < files.lengths[node]


@given(layouts())
def test_what_is_no_place_of_a_byte_is_padding(files: SubFiles) -> None:
    back = [
        files.origin(node, offset)
        for node, length in files.lengths.items()
        for offset in range(length)
    ]
    assert sorted(one for one in back if one is not None) == list(range(files.size))


@given(layouts(), st.data())
def test_extents_are_the_places_of_the_bytes(files: SubFiles, data: st.DataObject) -> None:
    wanted = []
    for _ in range(data.draw(st.integers(1, 4))):
        offset = data.draw(st.integers(0, files.size - 1))
        wanted.append((offset, data.draw(st.integers(1, files.size - offset))))
    for offset, size in wanted:
        made: dict[int, list[tuple[int, int, int]]] = {}
        files.cut(offset, size, made)
        laid = Counter(
            (node, block * BLOCK + at)
            for node, extents in made.items()
            for block, low, high in extents
            for at in range(low, high)
        )
        assert laid == Counter(files.location(offset + i) for i in range(size))
        for extents in made.values():
            assert all(0 <= low < high <= BLOCK for _, low, high in extents)
            joints = pairwise(extents)
            assert not any(one[0] == two[0] and one[2] == two[1] for one, two in joints)


def test_the_files_of_the_paper() -> None:
    """64 KiB on each of 8 disks in turn: 128 MiB of a GiB on each."""
    files = SubFiles((Region(1 << 30, 65536, tuple(range(8))),), 65536)
    assert set(files.lengths.values()) == {128 << 20}
    assert files.location(65536 * 9 + 5) == (1, 65536 + 5)


def test_the_order_of_sub_files() -> None:
    files = SubFiles((Region(300, 100, (2, 0)),), 100)
    assert [files.location(one) for one in (0, 100, 200)] == [(2, 0), (0, 0), (2, 100)]


@pytest.mark.parametrize("region", [(0, 1, (0,)), (1, 0, (0,)), (1, 1, ()), (1, 1, (2, 2))])
def test_regions_that_are_none(region: tuple[int, int, tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match=r"need bytes|twice"):
        Region(*region)


def test_no_byte_beyond_the_end() -> None:
    files = SubFiles((Region(10, 4, (0,)),), 4)
    with pytest.raises(ValueError, match="10 is not in a file of 10 bytes"):
        files.location(10)
