"""Memory with paging: the closed form against an LRU too simple to be wrong."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.kinds.parts.processor.paging import PagingSpec
from tests.twins.caches import NaiveLru

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
