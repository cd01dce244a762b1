"""What the work of a workstation's process takes: updates, and lines that are missing."""

from __future__ import annotations

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.kinds.parts.processor.datacache import CacheSpec
from simulator.kinds.parts.processor.paging import PagingSpec
from simulator.kinds.parts.processor.spec import WorkstationSpec


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
