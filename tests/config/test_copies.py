"""Who copies what calls move: the cpu, or a memory that requests pass, but not both."""

from __future__ import annotations

import pytest

from tests.reference.runs import both, planned, spent

MACHINE = """nodes: {pc: 1}
parts:
  cpu: {kind: cpu, copy_rate: 1 GB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  memory: {kind: core, at: pc, rate: 2 GB/s%s}
  disk: {kind: queue, at: pc, rate: 0.5 GB/s}
stores: {pages: {at: pc, capacity: 1 GB, block: 1 MB}}
filesystems:
  home: [[memory], pages, disk]
  raw: [pages, [memory], disk]
"""
JOBS = """files: {f: {size: 4 MB, filesystem: %s}}
jobs: [{name: job, record: 1 MB, policy: %s, phases: [{do: write, file: f}]}]
"""
MS = 10**6


@pytest.mark.parametrize(
    ("key", "filesystem", "policy", "cpu", "memory"),
    [
        ("", "home", "posix", 4 * MS, 2 * MS),
        (", copies: false", "home", "posix", 4 * MS, 2 * MS),
        (", copies: true", "home", "posix", 0, 2 * MS),
        (", copies: true", "raw", "posix", 4 * MS, 0),  # It is behind the store.
        (", copies: true", "home", "gfortran", 4 * MS, 2 * MS),
    ],
)
def test_what_is_moved_is_copied_once_by_a_memory_that_copies(
    key: str, filesystem: str, policy: str, cpu: int, memory: int
) -> None:
    account = spent(both(planned(MACHINE % key, JOBS % (filesystem, policy))))
    assert account.get("cpu", (0, 0))[1] == cpu
    assert account.get("memory", (0, 0))[1] == pytest.approx(memory, rel=1e-4)


def test_a_change_of_the_key_is_seen_by_plans_that_follow() -> None:
    """Paths are made anew: a sweep over the key has both."""
    import nwtsim

    swept = nwtsim.sweep(
        nwtsim.Machine(f"format: machine/2\nname: pc\ntitle: pc\n{MACHINE % ''}"),
        nwtsim.Workload(f"format: workload/2\nname: w\ntitle: w\n{JOBS % ('home', 'posix')}"),
        {"machine.parts.memory.copies": ["false", "true"]},
        jobs=1,
    )
    times = [row["elapsed_ns"] for row in swept]
    assert times[0] - times[1] == 4 * MS
