"""A trace on machines of format machine/2; what was simulated replays to the nanosecond."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.config.formats import MACHINE
from simulator.plan.codes import OPERATIONS
from simulator.replay.observed import observe
from simulator.traces.logs import read_logs

pytest.importorskip("pyarrow")

Capture = pytest.CaptureFixture[str]

SEVERAL = ("workstation", "nfs-lab", "beegfs-like")
WORKLOAD = """
format: workload/2
name: mixed
files:
  out: {size: 3 MB}
  in: {size: 2 MB, exists: true, shared: true}
jobs:
  - name: writer
    processes: 3
    record: 40 kB
    buffer: 100 kB
    policy: gfortran
    phases: [{do: write, file: out}, {do: sync, file: out}, {do: read, file: out}]
  - name: reader
    processes: 2
    record: 64 KiB
    policy: posix
    start: 3 ms
    phases: [{do: compute, time: 5 ms}, {do: read, file: in}, {do: stat, file: in}]
"""
MEETING = """
format: workload/2
name: meeting
files:
  out: {size: 1 MB}
  in: {size: 1 MB, exists: true, shared: true}
jobs:
  - name: writer
    processes: 3
    record: 40 kB
    phases:
      - {do: compute, time: 2 ms}
      - {do: write, file: out}
      - {do: barrier}
      - {do: lock, name: turn}
      - {do: read, file: out}
      - {do: unlock, name: turn}
      - {do: message, to: next, size: 10 kB}
      - {do: barrier}
  - name: reader
    processes: 2
    start: 3 ms
    record: 64 kB
    phases: [{do: lock, name: turn}, {do: read, file: in}, {do: unlock, name: turn}]
"""
LISTED = """
format: workload/2
name: listed
jobs: [{name: job, calls: {file: calls.csv}}]
"""
CALLS = """\
client,do,file,offset,size,gap_ns
,file,in,500000,500000,
,file,out,0,300000,
a,start,,,,7
a,open,in,,,1000
a,read,in,0,100000,2000
a,seek,in,400000,,
a,read,in,400000,100000,3000
a,fork,b,,,500
a,write,out,0,70001,
a,write,out,70001,129999,4000
a,sync,out,,,100
a,stat,out,,,
a,wait,b,,,
a,read,out,10,200,
a,close,out,,1,
a,sync,in,,,
b,write,out,200000,100000,50
b,sync,out,,,50
b,read,in,100000,250000,
b,close,in,,,
"""
FORKS = """\
10 10:00:00.001000 read(3</data/in>, ""..., 65536) = 65536 <0.002000>
10 10:00:00.004000 clone(child_stack=NULL) = 11 <0.000500>
10 10:00:00.006000 read(3</data/in>, ""..., 65536) = 65536 <0.002000>
11 10:00:00.007000 read(3</data/in>, ""..., 65536) = 65536 <0.002000>
11 10:00:00.010000 +++ exited with 0 +++
10 10:00:00.010500 wait4(11, NULL, 0, NULL) = 11 <0.000100>
10 10:00:00.012000 read(3</data/in>, ""..., 65536) = 65536 <0.002000>
10 10:00:00.020000 +++ exited with 0 +++
"""
LOG = """\
10 10:00:00.000000 openat(AT_FDCWD, "/data/in", O_RDONLY) = 3 <0.000100>
10 10:00:00.001000 read(3, ""..., 65536) = 65536 <0.002000>
10 10:00:00.004000 fsync(3) = 0 <0.000500>
10 10:00:00.005000 newfstatat(AT_FDCWD, "/data/in", {st_mode=S_IFREG|0644}, 0) = 0 <0.000300>
10 10:00:00.006000 read(3, ""..., 65536) = 65536 <0.002000>
10 10:00:00.009000 close(3) = 0 <0.000100>
10 10:00:00.010000 +++ exited with 0 +++
"""


def record_of(capsys: Capture, *words: str) -> Any:
    assert main([*words, "--format", "json", "--debug"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("machine", "text"),
    [
        *((machine, WORKLOAD) for machine in MACHINE.shipped()),
        *((machine, text) for machine in ("nwt", *SEVERAL) for text in (MEETING, LISTED)),
    ],
)
def test_what_was_simulated_replays_to_the_nanosecond(
    machine: str, text: str, tmp_path: Path, capsys: Capture
) -> None:
    workload = tmp_path / "mixed.yaml"
    workload.write_text(text, encoding="utf-8")
    (tmp_path / "calls.csv").write_text(CALLS, encoding="utf-8")
    store = tmp_path / "calls.parquet"
    ran = record_of(capsys, "run", machine, str(workload), "--store", str(store))
    again = record_of(capsys, "replay", str(store), "--on", machine)
    assert [one["elapsed_ns"] for one in again["processes"]] == [
        one["elapsed_ns"] for one in ran["processes"]
    ]
    assert again["end_ns"] == ran["end_ns"]
    assert again["stores"] == ran["stores"]
    for call in again["replay"]["calls"]:
        if call["predicted_s"] is not None:
            assert call["predicted_s"] == call["observed_s"]


@pytest.mark.parametrize("machine", SEVERAL)
def test_what_a_library_of_mpi_io_did_replays_to_the_nanosecond(
    machine: str, tmp_path: Path, capsys: Capture
) -> None:
    """Two-phase and data sieving: reads, writes, locks, messages and barriers."""
    small = ["--set", "workload.files.array.size=2 MiB"]
    store = tmp_path / "calls.parquet"
    ran = record_of(capsys, "run", machine, "mpi-array", "--store", str(store), *small)
    again = record_of(capsys, "replay", str(store), "--on", machine)
    assert [one["elapsed_ns"] for one in again["processes"]] == [
        one["elapsed_ns"] for one in ran["processes"]
    ]
    assert again["stores"] == ran["stores"]


def test_a_store_of_one_machine_replays_on_another(tmp_path: Path, capsys: Capture) -> None:
    workload = tmp_path / "mixed.yaml"
    workload.write_text(WORKLOAD, encoding="utf-8")
    store = tmp_path / "calls.parquet"
    record_of(capsys, "run", "workstation", str(workload), "--store", str(store))
    there = record_of(capsys, "replay", str(store), "--on", "nfs-lab")
    assert there["machine"] == "nfs-lab"
    assert len(there["processes"]) == 5
    text = main(["replay", str(store), "--on", "nfs-lab", "--full"])
    assert text == 0
    said = capsys.readouterr().out
    assert "Observed and predicted" in said
    assert "files are reached by home (--filesystem, --path)" in said


def test_a_real_log_has_the_costs_that_the_machine_has(tmp_path: Path, capsys: Capture) -> None:
    """Time in opens and stats is the model's where there is a metadata server, else the log's."""
    log = tmp_path / "job.log"
    log.write_text(LOG, encoding="utf-8")
    with_server = record_of(capsys, "replay", str(log), "--on", "nfs-lab")
    without = record_of(capsys, "replay", str(log), "--on", "workstation")
    assert {"open", "stat", "close", "sync"} <= set(with_server["latencies"])
    assert with_server["latencies"]["stat"]["max_ns"] > 0
    assert without["latencies"]["stat"]["max_ns"] == 0
    kept = [one["replay"]["computing_s"] for one in (with_server, without)]
    # 9.1 ms less what the calls took: both reads and the sync; with a server the others too.
    assert kept[1] == pytest.approx(0.0091 - 0.0045, abs=1e-9)
    assert kept[0] == pytest.approx(kept[1] - 0.0005, abs=1e-9)


def test_files_can_be_put_elsewhere(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "job.log"
    log.write_text(LOG, encoding="utf-8")
    usual = record_of(capsys, "replay", str(log), "--on", "workstation")
    faster = record_of(capsys, "replay", str(log), "--on", "workstation", "--filesystem", "scratch")
    assert faster["elapsed_ns"] < usual["elapsed_ns"]
    staged = record_of(capsys, "replay", str(log), "--on", "workstation", "--prestage")
    assert staged["elapsed_ns"] < usual["elapsed_ns"]
    for words, said in (
        (("--filesystem", "tape"), "--filesystem tape: workstation has none; there are home"),
        (("--path", "nfs"), "--path nfs: home has no such path"),
        (("--set", "wheels=4"), "workstation has no 'wheels'"),
    ):
        assert main(["replay", str(log), "--on", "workstation", *words]) == 2
        assert said in capsys.readouterr().err


def test_processes_meet_on_another_machine_as_they_met_here(
    tmp_path: Path, capsys: Capture
) -> None:
    """Locks, barriers and messages are carried out there: the waiting is that machine's own."""
    workload = tmp_path / "meeting.yaml"
    workload.write_text(MEETING, encoding="utf-8")
    store = tmp_path / "calls.parquet"
    record_of(capsys, "run", "workstation", str(workload), "--store", str(store))
    there = record_of(capsys, "run", "nfs-lab", str(workload))
    again = record_of(capsys, "replay", str(store), "--on", "nfs-lab")
    for name, count in (("lock", 5), ("barrier", 6), ("send", 3), ("receive", 3)):
        assert again["latencies"][name]["count"] == there["latencies"][name]["count"] == count
    times = {one["call"]: one for one in again["replay"]["calls"]}
    assert times["flock"]["predicted_s"] > 3 * times["flock"]["observed_s"]
    assert main(["trace", "workload", str(store), "-o", str(tmp_path / "calls.yaml")]) == 0


def test_forks_waits_and_reads_are_in_the_order_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(FORKS, encoding="utf-8")
    traced = observe("job", read_logs([log], cwd=None, lenient=False).batches()).traced
    parent, child = (
        [OPERATIONS[traced.table.kind[row]] for row in range(one.first, one.first + one.calls)]
        for one in traced.clients
    )
    assert parent == ["read", "pass", "read", "wait", "read", "pause"]
    assert child == ["read", "pause", "pass"]
