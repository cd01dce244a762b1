"""Memory with paging: the rule against a naive twin, the closed form against the rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.disk import DiskSpec
from simulator.machine.paging import LruPages, PagingSpec

DISK = DiskSpec(rate=2e6, seek_ns=10_000_000, turn_ns=16_000_000, overhead_ns=500_000)
PAGES = st.lists(st.integers(0, 9), max_size=60)


class NaivePages:
    """An LRU too simple to be wrong: a list, newest last."""

    def __init__(self, frames: int) -> None:
        self.frames = frames
        self.order: list[int] = []

    def touch(self, page: int) -> bool:
        hit = page in self.order
        self.order = [*(one for one in self.order if one != page), page][-self.frames :]
        return hit


@given(st.integers(1, 6), PAGES)
def test_it_agrees_with_the_naive_one(frames: int, pages: list[int]) -> None:
    fast, naive = LruPages(frames), NaivePages(frames)
    assert [fast.touch(page) for page in pages] == [naive.touch(page) for page in pages]


@given(st.integers(1, 6), PAGES)
def test_more_frames_never_mean_more_faults(frames: int, pages: list[int]) -> None:
    """Mattson and others, 1970."""
    small, large = LruPages(frames), LruPages(frames + 1)
    assert sum(map(small.touch, pages)) <= sum(map(large.touch, pages))


@given(st.integers(1, 30), st.integers(1, 40 * 512))
def test_a_sweep_faults_as_often_as_the_rule_says(frames: int, size: int) -> None:
    spec = PagingSpec(resident=frames * 512 + 100, page=512, disk=DISK)
    memory = LruPages(spec.frames)
    sweep = range(spec.pages(size))
    for page in sweep:
        memory.touch(page)
    assert spec.sweep_faults(size) == sum(not memory.touch(page) for page in sweep)


def test_a_fault_takes_a_page_out_and_one_in() -> None:
    spec = PagingSpec(resident=8192, page=4096, disk=DISK)
    one_way = 500_000 + 10_000_000 + 8_000_000 + 2_048_000
    assert spec.fault_ns() == 2 * one_way
    assert spec.sweep_ns(8192) == 0
    assert spec.sweep_ns(8193) == 3 * 2 * one_way


def test_memory_without_a_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one page frame, got 0"):
        LruPages(0)
