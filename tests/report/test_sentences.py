"""The share of computing in a run, and what the SS-ken report calls such a job."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.report.sentences import computing_record, computing_text, kind_of
from simulator.result.result import Result
from tests.verification.handmade import a_result

MACHINE = """\
format: machine/2
name: small
parts:
  cpu: {kind: cpu, call_overhead: 0 s, record_overhead: 0 s, copy_rate: 1 TB/s}
  disk: {kind: disk, rate: 100 MB/s, seek: 0 s}
filesystems: {home: [disk]}
"""
WORKLOAD = """\
format: workload/2
name: job
files: {data: {size: 1 MB}}
jobs:
  - {name: job, record: 1 MB, phases: [{do: write, file: data}, {do: compute, time: 10 ms}]}
"""


def result(computing: int, elapsed: int = 1000, idle: int = 0) -> Result:
    made = a_result()
    made.processes = [
        replace(one, compute_ns=computing, started_ns=0, ended_ns=elapsed, idle_ns=idle)
        for one in made.processes
    ]
    return made


@pytest.mark.parametrize(
    ("share", "kind"), [(0, "I/O"), (0.0999, "I/O"), (0.1, None), (0.899, None), (0.9, "CPU")]
)
def test_the_report_draws_the_line_at_a_tenth_and_near_nine(share: float, kind: str | None) -> None:
    assert kind_of(share) == kind
    assert computing_record(result(round(10**6 * share), 10**6))["job"] == kind


def test_idle_time_does_not_count_and_a_run_without_time_has_no_kind() -> None:
    assert computing_record(result(90, 1000, 900)) == {"share": 0.9, "job": "CPU"}
    assert computing_record(result(0, 0)) == {"share": 0.0, "job": None}


def test_a_line_says_it_unless_nothing_is_computed() -> None:
    assert computing_text(result(0)) == ""
    for computing, words in ((50, "an I/O job"), (500, "neither an I/O job"), (950, "a CPU job")):
        text = computing_text(result(computing))
        assert text.startswith(f"computing {computing / 10:.1f} % of the time: {words}")


def test_run_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1 MB at 100 MB/s and 10 ms of computing: half of the time each."""
    (tmp_path / "m.yaml").write_text(MACHINE)
    (tmp_path / "w.yaml").write_text(WORKLOAD)
    words = ["run", str(tmp_path / "m.yaml"), str(tmp_path / "w.yaml")]
    assert main(words) == 0
    assert "\ncomputing 50 % of the time: neither " in capsys.readouterr().out.replace("50.0", "50")
    assert main([*words, "--set", "workload.jobs.*.phases.1.time=1 ms", "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)["computing"]
    assert record == {"share": pytest.approx(1 / 11, rel=1e-3), "job": "I/O"}
