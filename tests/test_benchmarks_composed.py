"""The jobs of the benchmarks: the native engine does the same work as the programs in C++."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks import engines, striped
from benchmarks.job import composed_plan, make_plan
from simulator.native.run import run_native

needs_compiler = pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")


@needs_compiler
@pytest.mark.compiled("simulator.native.engine")  # seconds as compiled, a minute interpreted
def test_striped_job_counts_what_its_twin_in_cpp_counts(tmp_path: Path) -> None:
    plan = striped.make_plan(0.4)  # more than the page caches hold
    _, limit = striped.Limit(tmp_path, plan).run()
    native = striped.counted(run_native(plan))
    assert striped.differences(native, limit) == []
    for name in ("pages.evicted", "pages.hits", "pages.limit_waits", "cache.fetched"):
        assert limit[name] > 0


@needs_compiler
def test_job_of_records_ends_when_its_twin_in_cpp_ends(tmp_path: Path) -> None:
    plan, composed = make_plan(6, 600), composed_plan(6, 600)
    _, end = engines.Limit(tmp_path, plan).run()
    assert engines.composed_end(composed) == end
    assert engines.native_end(plan) == end
