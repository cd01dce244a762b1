"""Files with batch queues, drawn from their sections, and plans with queues: engines agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.plan.services import needs_reference
from simulator.reference.run import run_reference
from tests.config.queue_texts import plan_of
from tests.draws.queuefiles import draw_queue_files
from tests.draws.queues import drawn_queue_plan
from tests.engines.compare import Run, complaint

BOTH: dict[str, Run] = {"reference": run_reference, "native": run_native}
SLOW = pytest.mark.slow


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=SLOW) for n in range(50, 1500, 50))])
def test_files_with_queues_run_alike(first: int, tmp_path: Path) -> None:
    """Disks, stores, drains, locks, stripes, memory: whatever the sections of files can say."""
    compared = 0
    for seed in range(first, first + (20 if first == 0 else 50)):
        found = draw_queue_files(seed, tmp_path)
        if found is not None and not needs_reference(found[2]):
            assert not complaint(BOTH, found[2]), seed
            compared += 1
    assert compared > 5


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=SLOW) for n in range(100, 3000, 100))]
)
def test_drawn_plans_with_queues_run_alike(first: int) -> None:
    for seed in range(first, first + (60 if first == 0 else 100)):
        assert not complaint(BOTH, drawn_queue_plan(seed, computing=seed % 5 == 0)), seed


# -- several queues, and jobs without one ---------------------------------------------------------

FAILURE = "events: [{at: 30 ms, part: disk, repair: 50 ms}]\n"
WORK = (
    "record: 1 MB, phases: [{do: read, file: f}, {do: compute, time: 20 ms, spread: 50 %,"
    " memory: 14 MB}, {do: write, file: o}"
)
OTHER = "on: big, path: other"
TEXT = """\
format: machine/2
name: m
nodes:
  node: {count: 4, memory: 16 MB, larger: {count: 1, memory: 32 MB}, queue: {backfill: easy}}
  big: {count: 2, memory: 64 MB, queue: {order: fair-share, half_life: 50 ms}}
  fe: {count: 1, memory: 64 MB, cores: 1}
  server: 1
parts:
  nic: {kind: network, at: [node, big, fe, server], rate: 500 MB/s}
  disk: {kind: disk, at: server, rate: 100 MB/s}
stores:
  pages: {at: node, capacity: 8 MB, block: 64 kB, elastic: true}
filesystems:
  fs: {paths: {usual: {tiers: [pages, [nic, disk]]}, other: {tiers: [[nic, disk]]}}}
messages: [nic]
"""


def several(text: str) -> Plan:
    """Two queues whose jobs use one disk, and a job on other nodes beside them."""
    jobs = (
        f"name: a, submit: {{every: 5 ms, count: 8}}, user: x, {WORK}]",
        f"name: b, submit: {{every: 9 ms, count: 4}}, processes: 3, {WORK}, {{do: barrier}}]",
        f"name: c, stage_out: s, {OTHER}, submit: {{every: 9 ms, count: 4}}, user: x, {WORK}]",
        f"name: d, {OTHER}, submit: {{every: 9 ms, count: 4}}, nodes: 2, {WORK}]",
        f"name: e, on: fe, path: other, repeat: 3, {WORK}]",
        "name: s, on: fe, path: other, record: 100 kB, phases: [{do: write, file: o}]",
        f"name: g, processes: 3, {WORK}, {{do: message, to: next, size: 1 MB}}]",
    )
    return plan_of(text, *jobs)


@pytest.mark.parametrize("text", [TEXT, TEXT + FAILURE], ids=["plain", "a disk fails"])
def test_two_queues_and_a_job_without_one(text: str) -> None:
    """With memory that programs take from an elastic store, messages, and a disk that fails."""
    plan = several(text)
    assert [one.name for one in plan.queues] == ["node", "big"]
    for run in range(2):
        assert not complaint(BOTH, plan.with_run(run, 2))
