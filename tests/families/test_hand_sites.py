"""Machines of sites written from docs/machines.md alone, against seconds counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.families.test_hand_estimates import CALLS, IO_NODES, MIXED, SERVERS, SHARED, run, seconds


def test_transfers_share_a_rate_that_falls_with_their_number() -> None:
    job = """\
files: {input: {size: 100 MB, exists: true, filesystem: direct}}
jobs: [{name: four, processes: 4, record: 100 MB, phases: [{do: read, file: input}]}]
"""
    assert seconds(run(SHARED, job)) == pytest.approx(400 / 40 + 0.1 / 5, rel=1e-3)


def test_a_sync_waits_for_what_the_dirty_limit_left() -> None:
    job = """\
files: {out: {size: 60 MB, filesystem: cached}}
jobs: [{name: one, record: 1 MB, phases: [{do: write, file: out}, {do: sync, file: out}]}]
"""
    result = run(SHARED, job)
    assert seconds(result) == pytest.approx(60 / 60 + 60 / 100, rel=0.03)  # One writer: in turn.
    sync = result.latencies["sync"].mean_ns / 1e9
    assert sync == pytest.approx(20 * (1 / 60 + 1 / 100), rel=0.1)


def test_an_array_is_read_by_four_raid_units_and_written_into_buffers() -> None:
    job = """\
files:
  a: {size: 64 MiB, shared: true, exists: true}
  b: {size: 64 MiB, shared: true}
jobs:
  - name: solver
    processes: 4
    phases:
      - {do: mpi-read, file: a, block: 64 KiB, access: view}
      - {do: compute, time: 2 s}
      - {do: barrier}
      - {do: mpi-write, file: b, block: 64 KiB, access: collective}
"""
    result = run(IO_NODES, job)
    disks = 64 * 2**20 / (4 * 40e6)
    assert seconds(result) == pytest.approx(disks + 2, rel=0.03)
    assert (result.end_ns - result.elapsed_ns) / 1e9 == pytest.approx(disks, rel=0.05)


def test_a_call_of_a_numerical_server_is_the_sum_of_its_steps() -> None:
    job = "jobs: [{name: one, phases: [{do: solve, problem: linpack, n: 1000, server: solver}]}]"
    n = 1000
    sent, back = 8 * n * n + 8 * n, 8 * n
    moved = (sent + back) * (1 / 15e6 + 1 / 10e6 + 1 / 4e6)
    computed = (2 / 3 * n**3 + 2 * n**2) / (600e6 * n / (n + 200))
    by_hand = 0.02 + 0.3 + moved + computed
    assert seconds(run(SERVERS, job)) == pytest.approx(by_hand, rel=0.01)


def test_one_job_mixes_phases_and_another_lists_its_calls(tmp_path: Path) -> None:
    (tmp_path / "calls.csv").write_text(CALLS, "utf-8")
    job = f"""\
files: {{in: {{size: 10 MB, exists: true}}, out: {{size: 10 MB}}}}
jobs:
  - name: mixed
    on: node
    processes: 4
    record: 1 MB
    start: 1 s
    phases:
      - {{do: read, file: in}}
      - {{do: compute, time: 1 s}}
      - {{do: barrier}}
      - {{do: message, to: next, size: 1 MB}}
      - {{do: exchange, pattern: mesh, rows: 2, columns: 2, size: 1 MB}}
      - {{do: mesh, rows: 400, columns: 400, loops: 5}}
      - {{do: write, file: out}}
  - {{name: listed, on: node, calls: {tmp_path / "calls.csv"}}}
"""
    result = run(MIXED, job)
    mixed, listed = result.processes[:4], result.processes[4:]
    moved = 2 * 40 * (1 / 100 + 0.008)  # Four places take turns at the disk.
    swept = 5 * 160_000 * 1e-6 / 4
    by_hand = moved + 1 + (1 + 2) * 1 / 100 + swept
    assert max(one.elapsed_ns for one in mixed) / 1e9 == pytest.approx(by_hand, rel=0.05)
    alone = 2 * 1 / 100  # Disk, then network; the other job comes later, or is over.
    first, second = (one.elapsed_ns / 1e9 for one in listed)
    assert first == pytest.approx(0.008 + alone, rel=0.02)
    assert second == pytest.approx(0.001 + 0.008 + alone / 2, rel=0.02)


@pytest.mark.parametrize(
    ("costs", "line", "by_hand"),
    [
        ("latency: 10 ms", 0, 0.2),
        ("overhead: 10 ms", 0, 0.34),
        ("latency: 10 ms, switching: circuit", 0, 0.34),
        ("latency: 0 s", 10, 0.2),
    ],
)
def test_overhead_keeps_a_port_and_latency_keeps_none(
    costs: str, line: int, by_hand: float
) -> None:
    machine = f"""\
format: machine/2
name: far
nodes: {{client: 1, server: 1}}
parts:
  nic: {{kind: network, at: [client, server], rate: 100 MB/s, {costs}}}
  line: {{kind: delay, overhead: {line} ms}}
  disk: {{kind: delay, at: server}}
filesystems:
  home: [{{route: [nic, line], request: 1 MB, window: 8, header: 1 B}}, disk]
"""
    job = """\
files: {input: {size: 16 MB, exists: true}}
jobs: [{name: job, record: 8 MB, phases: [{do: read, file: input}]}]
"""
    # Two calls of eight requests: 80 ms of data, and 10 ms each way, or 10 ms for each message.
    assert seconds(run(machine, job)) == pytest.approx(by_hand, rel=0.02)
