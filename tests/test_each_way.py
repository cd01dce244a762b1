"""An overhead for reading and one for writing."""

from __future__ import annotations

import pytest

from simulator.answers.levers import levers_of
from simulator.config.formats import MACHINE
from simulator.run import Text, load_plan, run_plan

MACHINE_TEXT = """
format: machine/2
name: apart
parts:
  cpu: {{kind: cpu, call_overhead: 0 s, copy_rate: 1000 GB/s}}
  flash: {{kind: {kind}, rate: 1 GB/s, overhead: {overhead}}}
filesystems:
  home: [flash]
"""
WORKLOAD = """
format: workload/2
name: both
files: {source: {size: 1 MB, exists: true}, copy: {size: 1 MB}}
jobs:
  - {name: job, record: 100 kB, phases: [{do: read, file: source}, {do: write, file: copy}]}
"""


def elapsed(overhead: str, kind: str, engine: str) -> tuple[int, int]:
    machine = Text(MACHINE_TEXT.format(kind=kind, overhead=overhead), "apart")
    plan = load_plan(machine, Text(WORKLOAD, "both"))
    result = run_plan(plan, engine=engine, debug=True)  # type: ignore[arg-type]
    return result.mean_calls_ns("read"), result.mean_calls_ns("write")


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("kind", ["queue", "delay"])
def test_each_direction_takes_its_own(kind: str, engine: str) -> None:
    read, write = elapsed("{read: 80 us, write: 1 ms}", kind, engine)
    usual = elapsed("0 s", kind, engine)
    assert (read - usual[0], write - usual[1]) == (10 * 80_000, 10 * 1_000_000)


def test_its_lever_moves_both() -> None:
    text = MACHINE_TEXT.format(kind="queue", overhead="{read: 80 us, write: 1 ms}")
    machine = MACHINE.parse(text, "apart", ())[0]
    lever = next(
        one for one in levers_of(machine) if (one.resource, one.what) == ("flash", "overhead")
    )
    path, moved = lever.settings("twice")[0]
    assert (path, moved) == ("machine.parts.flash.overhead", "{read: 40 us, write: 500 us}")
