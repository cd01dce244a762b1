"""Counters of a simulated job lead back to its time."""

import json
from importlib.util import find_spec

import pytest

from simulator.cli.main import main
from tests.traces.simulated_counters import log_of_run

pytestmark = [
    pytest.mark.skipif(
        not (find_spec("darshan") and find_spec("duckdb")), reason="needs PyDarshan and DuckDB"
    ),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]

JOB = """\
format: workload/2
name: job
files:
  shared: {{size: 64 MB, shared: true}}
  own: {{size: 16 MB}}
  input: {{size: 64 MB, exists: true, shared: true}}
jobs:
  - name: rank
    processes: 4
    repeat: {repeat}
    record: {record}
    phases: [{phases}]
"""
JOBS = {
    "segments of a shared file, synced": (
        1, "1 MB", "{do: write, file: shared, offset: rank}, {do: sync, file: shared}",
    ),
    "small writes, each synced": (
        8, "64 kB", "{do: write, file: own, size: 128 kB, order: onward},"
        " {do: sync, file: own}",
    ),
    "random reads": (1, "64 kB", "{do: read, file: input, size: 4 MB, order: random}"),
    "interleaved records": (
        1, "256 kB", "{do: write, file: shared, offset: interleaved}, {do: sync, file: shared}",
    ),
    "computing between reads": (
        8, "1 MB", "{do: compute, time: 50 ms},"
        " {do: read, file: input, size: 2 MB, order: onward, offset: rank}",
    ),
}  # fmt: skip


def printed(capsys, *words):
    assert main([*words, "--no-limits"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", JOBS)
def test_the_time_of_a_job_is_within_the_interval_of_its_counters(capsys, tmp_path, name):
    repeat, size, phases = JOBS[name]
    job, store, log = (tmp_path / one for one in ("job.yaml", "job.parquet", "job.darshan"))
    job.write_text(JOB.format(repeat=repeat, record=size, phases=phases))
    ran = json.loads(
        printed(capsys, "run", "lustre-lab", str(job), "--store", str(store), "--format", "json")
    )
    assert log_of_run(store, log) == 4
    words = ("replay", str(log), "--on", "lustre-lab", "--samples", "8", "--format", "json")
    found = json.loads(printed(capsys, *words))["replay"]
    low, high = found["samples"]["interval_s"]
    before = 0.05 if phases.startswith("{do: compute") else 0.0  # A log begins with a call.
    assert low <= ran["elapsed_ns"] / 1e9 - before <= high
    assert high < 20 * low
    assert found["samples"]["unmet"] == 0
