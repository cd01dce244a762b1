"""Phases of a user's own: with operations, or made of others (docs/extending.md has one more)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.docs.extending import ran

THINK = '''
from typing import Literal

from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Phase
from simulator.config.quantities import Time
from simulator.mixing import mix
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan
from simulator.plan.noise import stream_key


class Think(Phase):
    """Compute for a time that is drawn for each process."""

    do: Literal["think"]
    most: Time

    def lower(self, process: ProcessBuilder) -> None:
        key = stream_key(process.whole.seed, 0, process.stream)
        process.append(PhasePlan(kind=codes.COMPUTE, compute_ns=mix(key, 0) % self.most))


class Twice(Phase):
    """Think two times, in a round whose end all wait for."""

    do: Literal["think-twice"]
    most: Time

    @property
    def inner(self):
        return (Think(do="think", most=self.most),) * 2
'''
JOB = """
format: workload/2
name: thinking
jobs:
  - {name: a, processes: 3, phases: [{do: barrier}, {do: think-twice, most: 1 s}, {do: barrier}]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "phases").mkdir()
    (tmp_path / "phases" / "think.py").write_text(THINK)
    (tmp_path / "job.yaml").write_text(JOB)
    return tmp_path


def test_both_engines_carry_them_out(folder: Path) -> None:
    run = "nwtsim run workstation job.yaml --format json --no-limits --engine"
    native, reference = (
        json.loads(ran(f"{run} {engine} 2> /dev/null", folder))
        for engine in ("native", "reference")
    )
    assert native["processes"] == reference["processes"]
    times = {one["where"]["compute_ns"] for one in native["processes"]}
    assert max(times) == native["elapsed_ns"] > 0
    assert len(times) == 3  # Each draws its own.


def test_its_keys_are_read_as_all_are(folder: Path) -> None:
    wrong = JOB.replace("most: 1 s", "most: 1")
    (folder / "job.yaml").write_text(wrong)
    said = ran("nwtsim check job.yaml", folder)
    assert said.startswith("job.yaml:5:77: jobs.0.phases.1.most: '1' has no unit; write '1 ns'")
