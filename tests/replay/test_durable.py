"""O_SYNC, O_DSYNC and O_DIRECT in logs, lists of calls and stores, and replays of such calls."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from simulator.cli.main import main
from simulator.plan.codes import DIRECT, READ, SYNCED, WRITE, kind_of, name_of
from simulator.runtime import listed
from simulator.workload.callfile import CallFileError, read_calls
from simulator.workload.traced import with_buffer

LOG = """\
100 10:00:00.000000 openat(AT_FDCWD, "/d/a", O_RDWR|O_CREAT|O_SYNC, 0644) = 3 <0.000010>
100 10:00:00.000100 write(3, "x"..., 4096) = 4096 <0.005000>
100 10:00:00.006000 read(3, ""..., 4096) = 0 <0.000010>
100 10:00:00.006100 openat(AT_FDCWD, "/d/b", O_RDWR) = 4 <0.000010>
100 10:00:00.006150 dup(4) = 5 <0.000010>
100 10:00:00.006200 pread64(5, "x"..., 4096, 0) = 4096 <0.000020>
100 10:00:00.006300 fcntl(4, F_SETFL, O_RDWR|O_APPEND|O_DIRECT) = 0 <0.000010>
100 10:00:00.006400 pread64(5, "x"..., 4096, 4096) = 4096 <0.000200>
100 10:00:00.006700 pwritev2(4, [{iov_base="x"..., iov_len=512}], 1, 0, RWF_DSYNC) = 512 <0.002000>
100 10:00:00.009000 fcntl(4, F_SETFL, O_RDWR) = 0 <0.000010>
100 10:00:00.009100 pwritev2(4, [{iov_base="x"..., iov_len=512}], 1, 0, 0) = 512 <0.000010>
100 10:00:00.009200 openat(AT_FDCWD, "/d/c", O_WRONLY|O_DSYNC|O_DIRECT) = 6 <0.000010>
100 10:00:00.009250 pwrite64(6, "x"..., 512, 0) = 512 <0.000010>
100 10:00:00.009300 fsync(4) = 0 <0.004000>
100 10:00:00.014000 +++ exited with 0 +++
"""
MACHINE = """\
format: machine/2
name: local
parts:
  journal: {kind: journal, at: node, overhead: 5 ms}
  disk: {kind: disk, at: node, rate: 100 MB/s, seek: 8 ms}
stores:
  pages: {at: node, capacity: 16 MB, read_ahead: 128 KiB}
filesystems:
  home: [pages, {sync: journal}, disk]
"""
WORKLOAD = """\
format: workload/2
name: durable
files: {out: {size: 64 KiB}, in: {size: 1 MiB, exists: true, shared: true}}
jobs:
  - name: job
    processes: 3
    record: 16 KiB
    skew: 1 ms
    phases:
      - {do: write, file: out, synchronous: true}
      - {do: write, file: out, order: random, synchronous: true, direct: true}
      - {do: write, file: out}
      - {do: read, file: in, direct: true}
      - {do: sync, file: out}
      - {do: read, file: in, order: random, direct: true}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log").write_text(LOG)
    (tmp_path / "m.yaml").write_text(MACHINE)
    (tmp_path / "w.yaml").write_text(WORKLOAD)
    return tmp_path


def test_reads_and_writes_say_how_their_file_is_open() -> None:
    assert main(["trace", "import", "log", "--out", "log.parquet"]) == 0
    table = pq.read_table("log.parquet")
    calls, flags = (table.column(name).to_pylist() for name in ("call", "flags"))
    rows = zip(calls, flags, strict=True)
    assert [pair for pair in rows if pair[0] in ("read", "write", "pread64", "pwritev2")] == [
        ("write", "O_DSYNC"),
        ("read", None),
        ("pread64", None),
        ("pread64", "O_DIRECT"),
        ("pwritev2", "O_DSYNC|O_DIRECT"),
        ("pwritev2", None),
    ]
    assert flags[calls.index("pwrite64")] == "O_DSYNC|O_DIRECT"


def test_a_traced_workload_has_such_calls(here: Path) -> None:
    assert main(["trace", "workload", "log", "--out", "job.yaml"]) == 0
    traced = read_calls(here / "job.calls.csv", "job")
    moves = [kind for kind in traced.table.kind if kind & 31 in (READ, WRITE)]
    assert moves == [
        WRITE | SYNCED,
        READ,
        READ,
        READ | DIRECT,
        WRITE | SYNCED | DIRECT,
        WRITE,
        WRITE | SYNCED | DIRECT,
    ]
    text = (here / "job.calls.csv").read_text()
    assert all(f",{name_of(kind)},/d/" in text for kind in moves)
    buffered, _ = with_buffer(traced, 1 << 20)  # Such calls are made as they are.
    assert [kind for kind in buffered.table.kind if kind > 31] == [one for one in moves if one > 31]


def test_lists_know_no_other_names(here: Path) -> None:
    head = "client,do,file,offset,size,gap_ns\na,start,,,,0\n"
    (here / "calls.csv").write_text(f"{head}a,read-sync,f,0,10,\n")
    with pytest.raises(CallFileError, match=r"do is 'read-sync'; write one of .*write-direct-sync"):
        read_calls(here / "calls.csv", "job")


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_run_with_durable_calls_is_repeated_to_the_nanosecond(
    capsys: pytest.CaptureFixture[str], engine: str
) -> None:
    common = ["--engine", engine, "--format", "json"]
    assert main(["run", "m.yaml", "w.yaml", *common, "--store", "s.parquet"]) == 0
    ran = json.loads(capsys.readouterr().out)
    assert main(["replay", "s.parquet", "--on", "m.yaml", *common]) == 0
    again = json.loads(capsys.readouterr().out)
    again = again.get("result", again)
    for one in (ran, again):
        del one["parts"]["cpu"]  # Copies are between the calls of a replay.
    for key in ("elapsed_ns", "parts", "stores"):
        assert again[key] == ran[key], key
    assert ran["stores"]["pages"]["syncs"] == 3 * (4 + 4 + 1)
    assert ran["parts"]["journal"]["requests"] == 3 * (4 + 4 + 1)
    assert ran["stores"]["pages"]["invalidated"] > 0


def test_the_names_of_lists_are_read_as_their_kinds() -> None:
    assert {kind_of(name): name for name in listed.DURABLE.values()} == listed.DURABLE
    assert {kind_of(name): name for name in listed.KINDS.values()} == listed.KINDS
    names = ["write-sync", "read-direct", "write-direct", "write-direct-sync"]
    assert list(listed.DURABLE.values()) == names
