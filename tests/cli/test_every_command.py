"""Every command on every shipped machine, with a shipped workload that fits it.

The workloads are made small by settings; what all commands say is looked at in tests of their own.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator.config.fitting import fit
from simulator.config.formats import MACHINE, load_machine, load_workload
from tests.cli.commands import Capture, as_json, done

pytestmark = [pytest.mark.compiled, pytest.mark.few(3)]

MACHINES = list(MACHINE.shipped())
COPY = ("copy-file", "--source.size", "8 MB", "--copy.size", "8 MB")
OWN = {
    "nwt": ("test-write", "--output.size", "8 MB"),
    "burst-node": ("checkpoint-shared", "--checkpoint.size", "256 MiB"),
    "lustre-lab": ("shared-records", "--output.size", "16 MiB"),
    "mesh-lab": ("mesh-checkpoint", "--set", "workload.jobs.*.repeat=1"),
    "ninf": ("ninf-single",),
    "orion": ("orion-mesh", "--set", "workload.jobs.*.phases.*.loops=2"),
    "sr8000": ("sr8000-write-col", "--array.size", "4 MiB"),
}
"""The workload that a machine was made for, where that is not to copy a file."""
SLOW = {"lustre-lab", "mesh-lab"}
"""Machines like others here, or that take seconds: only ``make test-slow`` runs them."""


def case(name: str, words: tuple[str, ...]) -> Any:
    """A machine with its workload."""
    return pytest.param(name, words, marks=[pytest.mark.slow] if name in SLOW else [])


RUNS = [case(name, OWN.get(name, COPY)) for name in MACHINES]
WITHOUT_CALLS = {"ninf": COPY, "orion": COPY}
STORED = [case(name, (OWN | WITHOUT_CALLS).get(name, COPY)) for name in MACHINES]
"""Runs with calls on files; copy-file stands in where there are none."""
TIMES = ("one", "two", "three")
both = pytest.mark.parametrize(("machine", "words"), RUNS, ids=MACHINES)
each = pytest.mark.parametrize("machine", MACHINES)


# -- run ----------------------------------------------------------------------------------------


@both
def test_run_says_the_same_in_every_format(
    machine: str, words: tuple[str, ...], capsys: Capture
) -> None:
    record = as_json(capsys, "run", machine, *words, "--debug")
    assert record["machine"] == machine
    assert record["elapsed_ns"] > 0
    assert record["processes"]
    assert "elapsed" in done(capsys, "run", machine, *words)
    done(capsys, "check", machine, words[0])
    assert f"settings of {machine}" in done(capsys, "run", machine, words[0], "--help")
    rows = list(csv.DictReader(io.StringIO(done(capsys, "run", machine, *words, "--format=csv"))))
    # One row for each process, and maybe one for all of them.
    assert len(rows) >= len(record["processes"])


@both
def test_compare_adds_up(machine: str, words: tuple[str, ...], capsys: Capture) -> None:
    """The same run on both sides, and then with a seed for B."""
    pairs = zip(words[1::2], words[2::2], strict=True)
    settings = [word if name == "--set" else f"{name[2:]}={word}" for name, word in pairs]
    asked = ["compare", machine, words[0], *(f"--set={one}" for one in settings)]
    assert "no difference: both sides agree" in done(capsys, *asked)
    record = as_json(capsys, *asked, "--b-seed", "1")
    assert record["values"] == []
    assert sum(one["difference_ns"] for one in record["where"]) == record["difference_ns"]
    rows = list(csv.DictReader(io.StringIO(done(capsys, *asked, "--format=csv"))))
    assert {row["difference_ns"] for row in rows} == {"0"}


@pytest.mark.parametrize(("machine", "words"), STORED, ids=MACHINES)
def test_a_store_of_a_run_replays_to_the_nanosecond(
    machine: str, words: tuple[str, ...], tmp_path: Path, capsys: Capture
) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "calls.parquet"
    if machine in ("mesh-lab", "sr8000"):  # Edges of meshes and MPI-IO are no calls.
        words = COPY
    run = json.loads(done(capsys, "run", machine, *words, "--store", str(path), "--format=json"))
    told = as_json(capsys, "replay", str(path), "--on", machine)
    for key in ("elapsed_ns", "end_ns"):
        assert told[key] == run[key]
    assert "busiest" in done(capsys, "replay", str(path), "--on", machine, "--debug", "--full")


SMALL = {
    "checkpoint-hourly": {"processes": "12", **{f"{one}.size": "64 MB" for one in TIMES}},
    "checkpoint-interval": {"processes": "12", "checkpoint.size": "64 MB"},
    "checkpoint-restart": {"processes": "12", "checkpoint.size": "4 MB"},
    "checkpoint-shared": {"checkpoint.size": "256 MiB"},
    "copy-file": {"source.size": "8 MB", "copy.size": "8 MB"},
    "morning": {
        "tools.size": "8 MB",
        "results.size": "2 MB",
        "workload.jobs.0.processes": "4",
        "workload.jobs.1.arrivals.count": "60",
    },
    "nwt-each": {"input.size": "16 MB"},
    "nwt-job": {"large-input.size": "16 MB", "large-output.size": "8 MB"},
    "nwt-neighbours": {"output.size": "8 MB", "other.size": "16 MB"},
    "nwt-print": {"print.size": "500 kB"},
    "nwt-print-lan": {"print.size": "500 kB", "moved.size": "500 kB"},
    "shared-file": {"output.size": "32 MiB", "input.size": "32 MiB"},
    **{name: {"input.size": "8 MB"} for name in ("test-read", "test-read-parallel")},
    **{name: {"output.size": "8 MB"} for name in ("test-write", "test-write-parallel")},
    "test-write-120MB": {"output.size": "8 MB"},
}
"""Workloads with calls on files, and what makes them small."""


def fitting() -> list[tuple[str, str]]:
    """Each of them with each machine that it fits."""
    machines = {name: load_machine(name) for name in MACHINES}
    workloads = {name: load_workload(name) for name in SMALL}
    return [
        (name, other)
        for name, machine in machines.items()
        for other, workload in workloads.items()
        if all(one.severity != "error" for one in fit(machine, workload))
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("machine", "workload"), fitting())
def test_every_workload_replays_on_every_machine(
    machine: str, workload: str, tmp_path: Path, capsys: Capture
) -> None:
    pytest.importorskip("pyarrow")
    path = str(tmp_path / "calls.parquet")
    settings = [f"--set={name}={value}" for name, value in SMALL[workload].items()]
    words = ("run", machine, workload, *settings, "--debug", "--store", path, "--format", "json")
    run = json.loads(done(capsys, *words))
    told = as_json(capsys, "replay", path, "--on", machine)
    waited = any(cpu["wait_ns"] for cpu in cpus_of(run))
    idle = any(job.arrivals for job in load_workload(workload).jobs)
    if waited or idle:  # Gaps between recorded calls have that time in them, and share cores.
        assert told["elapsed_ns"] >= run["elapsed_ns"]
        return
    assert (told["elapsed_ns"], told["end_ns"]) == (run["elapsed_ns"], run["end_ns"])


def cpus_of(run: dict[str, Any]) -> Iterator[dict[str, int]]:
    """Yield the column of the cpu in each account."""
    for one in run["processes"]:
        columns = one["where"]["columns"]
        yield from (times for name, times in columns.items() if name in ("cpu", "pe"))


CALLS = """\
client,do,file,offset,size,gap_ns
a,file,input,1000000,1000000,0
a,file,output,0,1000000,0
a,start,,,,0
a,open,input,0,0,0
a,read,input,0,500000,1000
a,read,input,500000,500000,1000
a,close,input,0,0,0
b,start,,,,5000
b,write,output,0,1000000,10
b,sync,output,0,0,0
"""
JOB = """\
format: workload/2
name: listed
jobs:
  - {name: listed, calls: {file: calls.csv}}
"""


@each
def test_a_job_with_listed_calls_runs_and_its_store_replays(
    machine: str, tmp_path: Path, capsys: Capture
) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "calls.csv").write_text(CALLS, encoding="utf-8")
    job, store = tmp_path / "job.yaml", str(tmp_path / "calls.parquet")
    job.write_text(JOB, encoding="utf-8")
    run = as_json(capsys, "run", machine, str(job), "--store", store)
    moved = [(one["read"]["bytes"], one["write"]["bytes"]) for one in run["processes"]]
    assert moved == [(1_000_000, 0), (0, 1_000_000)]
    told = as_json(capsys, "replay", store, "--on", machine)
    assert (told["elapsed_ns"], told["end_ns"]) == (run["elapsed_ns"], run["end_ns"])


# -- sweep --------------------------------------------------------------------------------------

VARIED = {"ninf": "j90-pes.pes=2,4", "orion": "lan.rate=1 MB/s,2 MB/s"}


@both
def test_sweep(machine: str, words: tuple[str, ...], tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "sweep"
    vary = VARIED.get(machine, "cpu.copy_rate=1 GB/s,2 GB/s")
    vary = "pe.copy_rate=300 MB/s,676 MB/s" if machine == "nwt" else vary
    where = ("--out", str(folder), "--no-plot", "--jobs", "1")
    done(capsys, "sweep", machine, *words, "--vary", vary, *where)
    rows = list(csv.DictReader((folder / "points.csv").read_text(encoding="utf-8").splitlines()))
    assert len({row[vary.partition("=")[0]] for row in rows}) == 2


# -- what is asked of a machine -----------------------------------------------------------------


@each
def test_show_check_and_knobs(machine: str, capsys: Capture) -> None:
    table = done(capsys, "show", machine)
    assert "+--" in table
    values = as_json(capsys, "show", machine)
    assert values["machine"] == machine
    knobs: dict[str, Any] = json.loads(done(capsys, "show", machine, "--knobs", "--format=json"))
    listed = done(capsys, "show", machine, "--knobs", "--full")
    assert [line.split()[0] for line in listed.splitlines()[2:]] == [f"--{name}" for name in knobs]
    assert f"machine {machine} of machine/2" in done(capsys, "check", machine)
