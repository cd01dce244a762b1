"""Work of a workstation's process: updates, its data cache, memory with paging."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.kinds.parts.processor.spec import CacheSpec, PagingSpec, WorkstationSpec
from tests.twins.caches import NaiveLru


def test_a_sweep_costs_updates_and_missing_lines() -> None:
    disk = DiskSpec(rate=1e6, seek_ns=100, turn_ns=50)
    memory = PagingSpec(resident=8192, page=4096, disk=disk)
    plain = WorkstationSpec(update_ns=10, memory=memory)
    assert plain.sweep_cpu_ns(1000, 8000) == 10_000
    cache = CacheSpec(size=8192, line=16, line_ns=100, page=4096)
    cached = WorkstationSpec(update_ns=10, memory=memory, cache=cache)
    # Two pages in a cache for two: each meets the other in its place every second time.
    assert cached.sweep_cpu_ns(1000, 8000) == 10_000 + 500 * 100 // 2
    assert cached.sweep_cpu_ns(500, 4096) == 5_000


PAGE, LINE = 4096, 16


def cache(pages: int) -> CacheSpec:
    return CacheSpec(size=pages * PAGE, line=LINE, line_ns=100, page=PAGE)


@pytest.mark.parametrize(("places", "pages"), [(8, 4), (8, 8), (16, 40), (128, 60)])
def test_pages_that_are_alone_in_their_place_stay(places: int, pages: int) -> None:
    rng = np.random.default_rng(1992)
    runs, alone = 4000, []
    for _ in range(runs):
        counts = np.bincount(rng.integers(0, places, pages), minlength=places)
        alone.append((counts == 1).sum() / pages)
    error = np.std(alone) / runs**0.5
    assert cache(places).hit_share(pages * PAGE) == pytest.approx(np.mean(alone), abs=4.5 * error)


@given(st.integers(1, 200), st.integers(1, 10**7), st.integers(1, 10**7))
def test_more_data_never_wait_less(places: int, size: int, more: int) -> None:
    spec = cache(places)
    assert spec.sweep_ns(size) <= spec.sweep_ns(size + more)
    assert 0 <= spec.hit_share(size) <= 1


def test_no_line_is_missing_in_one_page_and_all_in_very_many() -> None:
    assert cache(4).sweep_ns(PAGE) == 0
    assert cache(4).sweep_ns(10**6 * PAGE) == 10**6 * PAGE // LINE * 100


DISK = DiskSpec(rate=2e6, seek_ns=10_000_000, turn_ns=16_000_000, overhead_ns=500_000)


@given(st.integers(1, 30), st.integers(1, 40 * 512))
def test_a_sweep_faults_as_often_as_the_rule_says(frames: int, size: int) -> None:
    spec = PagingSpec(resident=frames * 512 + 100, page=512, disk=DISK)
    memory = NaiveLru(spec.frames)
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
