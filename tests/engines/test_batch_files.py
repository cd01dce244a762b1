"""Files with batch queues, drawn from their sections, and plans with queues: engines agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.plan.services import needs_reference
from simulator.reference.run import run_reference
from tests.config.queue_texts import PHASES, machine, plan_of, wrong
from tests.draws.queuefiles import draw_queue_files
from tests.draws.queues import drawn_queue_plan
from tests.engines.compare import Run, complaint

BOTH: dict[str, Run] = {"reference": run_reference, "native": run_native}


def thousands(step: int, slow: int, most: int) -> list[Any]:
    """Return the first seeds of a few quick ones, of some more, and of all."""
    marks = {
        n: pytest.mark.slow if n <= slow else pytest.mark.long for n in range(step, most, step)
    }
    return [0, *(pytest.param(n, marks=mark) for n, mark in marks.items())]


@pytest.mark.parametrize("first", thousands(50, 100, 1500))
def test_files_with_queues_run_alike(first: int, tmp_path: Path) -> None:
    """Disks, stores, drains, locks, stripes, memory: whatever the sections of files can say."""
    compared = 0
    for seed in range(first, first + (20 if first == 0 else 50)):
        found = draw_queue_files(seed, tmp_path)
        if found is not None and not needs_reference(found[2]):
            assert not complaint(BOTH, found[2]), seed
            compared += 1
    assert compared > 5


@pytest.mark.parametrize("first", thousands(100, 300, 3000))
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


# -- data that are brought by writing them, and taken away by reading ----------------------------

BRINGS = "name: in, on: fe, policy: posix, record: 1 MB, phases: [{do: write, file: o}]"
TAKES = "name: out, on: fe, policy: posix, record: 1 MB, phases: [{do: read, file: o}]"


def test_a_job_reads_what_is_written_for_it_and_what_it_has_is_taken_away() -> None:
    """Three jobs of one node: 0.1 s to bring 10 MB at 100 MB/s, as long to read and take them."""
    moved = "submit: {at: [0 s, 10 s, 20 s]}, stage_in: in, stage_out: out, record: 1 MB"
    read = "phases: [{do: read, file: o, policy: posix}, {do: compute, time: 1 s}]"
    plan = plan_of(machine(), f"name: a, {moved}, {read}", BRINGS, TAKES)
    assert not complaint(BOTH, plan)
    result = run_native(plan)
    (queue,) = result.queues
    assert [round((a - b) / 1e9, 2) for a, b in zip(queue.start, queue.submit, strict=True)] == [
        *(0.1, 0.1, 0.1)
    ]
    assert [round((a - b) / 1e9, 2) for a, b in zip(queue.end, queue.start, strict=True)] == [
        *(1.1, 1.1, 1.1)
    ]
    moves = {one.name: (one.read.bytes, one.write.bytes) for one in result.processes}
    assert moves == {
        f"{name}.{number}": (0 if name == "in" else 10**7, 10**7 if name == "in" else 0)
        for name in ("a", "in", "out")
        for number in range(3)
    }


@pytest.mark.parametrize(
    ("stage", "nodes"),
    [
        ("on: fe", [0, 1, 0, 1, 0]),
        ("on: fe, first_node: 1", [1, 1, 1, 1, 1]),
        ("on: fe, processes: 2", [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]),
    ],
)
def test_data_of_jobs_are_moved_by_the_nodes_in_turn(stage: str, nodes: list[int]) -> None:
    ranks = "processes: 2, " if "processes" in stage else ""
    job = f"name: a, {ranks}submit: {{every: 1 s, count: 5}}, stage_in: in, {PHASES}"
    plan = plan_of(machine(), job, BRINGS.replace("on: fe", stage))
    assert [one.node for one in plan.processes if one.job == "in"] == nodes
    assert not complaint(BOTH, plan)


READS = "record: 1 MB, phases: [{do: read, file: o}]"


@pytest.mark.parametrize(
    ("jobs", "reader"),
    [
        ((f"name: a, {READS}", BRINGS), 0),  # Nothing says that the one is for the other.
        ((f"name: a, stage_out: in, {READS}", BRINGS), 0),  # It is written after the job's end.
        ((f"name: a, stage_in: out, {PHASES}", TAKES), 1),
        ((f"name: a, stage_in: out, stage_out: in, {PHASES}", TAKES, BRINGS), 1),
        ((f"name: a, stage_in: in, {PHASES}", BRINGS, f"name: b, {READS}"), 2),
    ],
)
def test_what_nobody_has_written_before_cannot_be_read(jobs: tuple[str, ...], reader: int) -> None:
    (found,) = wrong(machine(), *jobs)
    assert found.startswith(f"jobs.{reader}.phases.0.file: 'o' neither exists nor is written")
