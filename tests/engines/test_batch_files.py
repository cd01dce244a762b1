"""Files with batch queues, drawn from their sections, and plans with queues: engines agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.plan.services import needs_reference
from simulator.reference.run import run_reference
from tests.config.queue_texts import machine, plan_of
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

EVENTS = "events: [{at: 30 ms, part: disk, lasts: 50 ms}]\n"
WRITE = "record: 100 kB, phases: [{do: read, file: f}, {do: compute, time: 20 ms, spread: 50 %}"
TEXT = """\
format: machine/2
name: m
nodes:
  node: {count: 4, memory: 64 MB, larger: {count: 1, memory: 128 MB}, queue: {backfill: easy}}
  big: {count: 2, queue: {order: fair-share, half_life: 50 ms, backfill: conservative}}
  fe: {count: 1, cores: 1}
parts:
  nic: {kind: network, at: [node, big, fe], rate: 500 MB/s}
  disk: {kind: disk, rate: 100 MB/s}
stores:
  pages: {at: [node], capacity: elastic, block: 64 kB}
filesystems:
  fs: {tiers: [nic, disk]}
"""


def several(text: str) -> Plan:
    """Two queues whose jobs use one disk, and a job on other nodes beside them."""
    jobs = (
        f"name: a, submit: {{every: 5 ms, count: 20}}, user: x, {WRITE}]",
        f"name: b, submit: {{every: 9 ms, count: 9}}, processes: 3, {WRITE}, {{do: barrier}}]",
        f"name: c, on: big, submit: {{every: 9 ms, count: 9}}, user: x, stage_out: s, {WRITE}]",
        f"name: d, on: big, submit: {{every: 9 ms, count: 9}}, nodes: 2, {WRITE}]",
        f"name: e, on: fe, repeat: 9, {WRITE}]",
        "name: s, on: fe, record: 100 kB, phases: [{do: write, file: o}]",
        f"name: g, processes: 3, {WRITE}, {{do: message, to: next, size: 1 MB}}]",
    )
    return plan_of(text, *jobs)


@pytest.mark.parametrize("text", [TEXT, TEXT + EVENTS], ids=["plain", "a disk is down"])
def test_two_queues_and_a_job_without_one(text: str) -> None:
    plan = several(
        text.replace("stores:\n  pages: {at: [node], capacity: elastic, block: 64 kB}\n", "")
    )
    assert [one.name for one in plan.queues] == ["node", "big"]
    assert not complaint(BOTH, plan)
    for run in range(1, 3):
        assert not complaint(BOTH, plan.with_run(run, 3))


def test_the_text_of_a_machine_with_a_queue_is_a_plan_with_one() -> None:
    assert len(plan_of(machine(), "name: a, phases: [{do: compute, time: 1 s}]").queues) == 1
