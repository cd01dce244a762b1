"""What limits where calls have to be durable: a journal's commits, or the device below it."""

from __future__ import annotations

import pytest

from simulator.answers.again import InputsAgain
from simulator.answers.limits import Limits, limits_of
from simulator.inputfile import Text
from simulator.run import Inputs, load_inputs, run_plan

pytestmark = pytest.mark.compiled

MACHINE = """\
format: machine/2
name: local
parts:
  journal: {{kind: journal, at: node, overhead: {commit}}}
  disk: {{kind: queue, at: node, rate: 100 MB/s, overhead: 0.1 ms}}
stores: {{pages: {{at: node, capacity: 16 MB}}}}
filesystems: {{home: [pages, {{sync: journal}}, disk]}}
"""
WORKLOAD = """\
format: workload/2
name: log
files: {log: {size: 256 KiB}}
jobs:
  - name: writer
    processes: 3
    skew: 1 ms
    record: 4 KiB
    phases: [{do: write, file: log, synchronous: true}]
"""


def limits(commit: str) -> tuple[Inputs, Limits]:
    inputs = load_inputs(Text(MACHINE.format(commit=commit), "m"), Text(WORKLOAD, "w"))
    plan = inputs.plan()
    return inputs, limits_of(InputsAgain(inputs), plan, run_plan(plan))


def test_a_slow_commit_is_what_limits_and_it_is_latency() -> None:
    inputs, found = limits("5 ms")
    first = found.first
    assert first is not None
    assert (first.lever.name, first.lever.kind) == ("journal.overhead", "latency")
    text = MACHINE.format(commit="2.5 ms")
    half = run_plan(load_inputs(Text(text, "m"), Text(WORKLOAD, "w")).plan())
    assert first.saves_ns == run_plan(inputs.plan()).elapsed_ns - half.elapsed_ns > 0


def test_a_fast_commit_is_not() -> None:
    _, found = limits("1 us")
    assert found.first is not None
    assert found.first.lever.owner == "disk"
