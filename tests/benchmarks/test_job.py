"""The jobs of the benchmarks: the native engine does the same work as the programs in C++."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks import engines, striped
from benchmarks.job import PLAIN, make_plan, operations_of, plain_plan
from simulator.native.run import run_native

needs_compiler = pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")


@needs_compiler
@pytest.mark.compiled
@pytest.mark.slow
def test_striped_job_counts_what_its_twin_in_cpp_counts(tmp_path: Path) -> None:
    plan = striped.make_plan(0.4)  # more than the page caches hold
    _, limit = striped.Limit(tmp_path, plan).run()
    native = striped.counted(run_native(plan))
    assert striped.differences(native, limit) == []
    for name in ("pages.evicted", "pages.hits", "pages.limit_waits", "cache.fetched"):
        assert limit[name] > 0


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(("clients", "operations"), [(6, 600), (166, 2000)])  # no waiters; many
def test_job_of_records_ends_when_its_twin_in_cpp_ends(
    tmp_path: Path, clients: int, operations: int
) -> None:
    plan = make_plan(clients, operations)
    _, end = engines.Limit(tmp_path, plan).run()
    assert engines.native_end(plan) == engines.reference_end(plan) == end


def test_a_plain_job_makes_as_many_calls_as_asked_for() -> None:
    plan = plain_plan(4, 40, slots=64)
    assert operations_of(plan) == 40
    assert run_native(plan).stores["ssu"].counts["accepted_bytes"] == 40 * PLAIN
