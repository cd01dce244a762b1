"""Limits of dirty data as sizes and as percentages, and the default that follows the limit."""

from __future__ import annotations

import pytest

import nwtsim
from simulator.config.errors import ConfigError
from simulator.config.formats import parse_machine
from simulator.inputfile import Text
from simulator.plan.parts import StorePlan
from simulator.run import load_inputs

MACHINE = """\
format: machine/2
name: m
parts:
  disk: {kind: disk, rate: 100 MB/s}
stores:
  pages: {capacity: 1000 kB, block: 1 kB, extent: 1 kB, KEYS}
filesystems:
  home: [pages, disk]
"""
JOB = """\
format: workload/2
name: job
files: {a: {size: 900 kB}}
jobs: [{name: job, record: 10 kB, phases: [{do: write, file: a}]}]
"""


def store(keys: str) -> StorePlan:
    """Return the store of a plan."""
    machine = Text(MACHINE.replace("KEYS", keys), "m.yaml")
    (one,) = load_inputs(machine, Text(JOB, "w.yaml")).plan().stores
    return one


@pytest.mark.parametrize(
    ("keys", "limit", "high", "low"),
    [
        ("write: back", 200, 100, 100),
        ("dirty: 300 kB", 300, 100, 100),
        ("dirty: 30 %", 300, 100, 100),
        ("dirty: 5 %", 50, 50, 50),
        ("dirty: 50 kB", 50, 50, 50),
        ("dirty: 50.5 kB", 50, 50, 50),
        ("dirty: 50 kB, low: 20 kB", 50, 50, 20),
        ("dirty: 40 %, high: 250 kB, low: 5 %", 400, 250, 50),
        ("dirty: 5 %, start: [close]", 50, 100, 100),
    ],
)
def test_sizes_and_percentages_in_blocks(keys: str, limit: int, high: int, low: int) -> None:
    one = store(keys)
    assert (one.dirty_limit, one.high, one.low) == (limit, high, low)


@pytest.mark.parametrize(
    ("keys", "key", "told"),
    [
        ("dirty: 5 %, high: 10 %", "high", "10 % is above the dirty limit (5 %), which would"),
        ("dirty: 50 kB, high: 6 %", "high", "6 % is above the dirty limit (50 kB), which"),
        ("high: 300 kB", "high", "300 kB is above the dirty limit (20 %), which would never"),
        ("dirty: 5 %, low: 60 kB", "low", "60 kB is above the high watermark; write 5 % or less"),
        ("dirty: 2 MB", "dirty", "2 MB is more than the capacity; write 1 MB or less, or"),
        ("dirty: 5", "dirty", "'5' has no unit; write '5 %'"),
        ("write: through, dirty: 1 kB", "dirty", "has no effect on a store that writes through"),
    ],
)
def test_contradictions_are_told_at_their_line(keys: str, key: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_machine(MACHINE.replace("KEYS", keys), "m.yaml")
    (problem,) = caught.value.problems
    assert (problem.line, problem.key) == (6, f"stores.pages.{key}")
    assert problem.message.startswith(told)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_size_does_what_its_percentage_does(engine: nwtsim.calls.Engine) -> None:
    """And with a limit of 50 kB some 850 of 900 kB are written at the disk's 100 MB/s: 8.5 ms."""
    times = [
        nwtsim.run(MACHINE.replace("KEYS", keys), JOB, engine=engine).elapsed_s
        for keys in ("dirty: 50 kB", "dirty: 5 %")
    ]
    assert times[0] == times[1] == pytest.approx(8.5e-3, rel=0.05)


def test_sizes_are_varied_and_their_shown_values_are_those_that_count() -> None:
    machine = nwtsim.load_machine(MACHINE.replace("KEYS", "dirty: 20 %"))
    values = {
        one["path"]: one["value"] for one in machine.replace({"pages.dirty": "70 kB"}).values()
    }
    assert values["stores.pages.high"] == "70 kB"
    swept = nwtsim.sweep(machine, JOB, {"pages.dirty": ["50 kB", "5 %", "20 %", "700 kB"]})
    times = [row["elapsed_ns"] for row in swept]
    assert times[0] == times[1] > times[2] > times[3]
