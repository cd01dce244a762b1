"""A file that processes reach by several ways: each operation takes that of its own process."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from tests.config.queue_texts import plan_of
from tests.draws.queuefiles import draw_queue_files
from tests.engines.compare import Run, complaint

BOTH: dict[str, Run] = {"reference": run_reference, "native": run_native}
TEXT = """\
format: machine/2
name: m
nodes: {node: 1, fe: 3, server: 1}
parts:
  nic: {kind: network, at: [node, fe, server], rate: 256 MB/s, overhead: 9 us}
  old: {kind: delay, at: server, overhead: 20 ms}
  disk: {kind: disk, at: server, rate: 100 MB/s}
  lookup: {kind: delay, at: server, overhead: 1 ms}
stores:
  pages: {at: node, capacity: 64 MB, block: 64 kB}
filesystems:
  fs:
    paths:
      usual: {tiers: [pages, [nic, disk]]}
      other: {tiers: [[nic, disk]]}
      slow: {tiers: [[nic, old, disk]]}
    metadata: [[nic], {work: lookup}]
"""
READ = "record: 1 MB, phases: [{do: read, file: f, policy: posix}]"
LATE = "on: fe, first_node: 2, start: 1 s, record: 1 MB, policy: posix"


def times(*jobs: str) -> dict[str, float]:
    """Return the milliseconds of each job, which are the same on both engines."""
    plan = plan_of(TEXT, *jobs)
    assert not complaint(BOTH, plan)
    starts = {one.name: one.start_ns for one in plan.processes}
    return {one.name: (one.ended_ns - starts[one.name]) / 1e6 for one in run_native(plan).processes}


@pytest.mark.parametrize("first", ["name: a, " + READ, "name: a, on: fe, path: slow, " + READ])
def test_a_name_is_looked_up_from_the_node_of_the_process(first: str) -> None:
    """A message takes 11 us each way, a lookup 1 ms; the first group has no such node."""
    late = f"name: b, {LATE}, path: other, phases: [{{do: stat, file: f, count: 3}}]"
    assert times(first, late)["b"] == pytest.approx(3 * (1 + 2 * 0.011))


@pytest.mark.parametrize("order", ["random", "sequential"])
@pytest.mark.parametrize(("path", "each"), [("other", 10), ("slow", 20)])
def test_calls_take_the_path_of_their_own_phase(order: str, path: str, each: int) -> None:
    """Ten calls of 1 MB, each as long as it is on the slowest part of its way, or a little more."""
    reads = f"name: b, {LATE}, phases: [{{do: read, file: f, path: {path}, order: {order}}}]"
    alone, shared = times(reads)["b"], times(f"name: a, {READ}", reads)["b"]
    assert alone == shared == pytest.approx(10 * each, rel=0.05)


def test_a_sync_takes_the_path_of_the_write_before_it() -> None:
    """The file was met on the way without pages; 10 MB in them are on the disk after 0.1 s."""
    moves = "{do: read, file: f, path: other}, {do: write, file: f, path: usual}"
    begin = f"name: b, record: 1 MB, policy: posix, phases: [{moves}"
    before, after = (times(f"{begin}{end}]")["b"] for end in ("", ", {do: sync, file: f}"))
    assert 80 < after - before < 101


def on_paths_of_other_nodes(plan: Plan) -> list[str]:
    """Return operations whose path does not begin at the nodes of their process."""
    table = plan.operations
    return [
        f"{one.name} {plan.files[table.file[row]].name}"
        for one in plan.processes
        for phase in one.phases
        for row in range(phase.first, phase.first + phase.count)
        if table.file[row] >= 0 and plan.paths[plan.path_of(row)].places[0] != one.group
    ]


def test_paths_begin_at_the_nodes_of_their_processes(tmp_path: Path) -> None:
    """Files of two groups whose jobs share a file: the first of them once led astray all others."""
    drawn = [draw_queue_files(seed, tmp_path) for seed in (*range(40), 1302)]
    plans = [one[2] for one in drawn if one is not None]
    assert len(plans) > 10
    assert not [found for plan in plans for found in on_paths_of_other_nodes(plan)]
