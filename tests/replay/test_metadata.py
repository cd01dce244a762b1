"""Calls on names and attributes in a trace: which operations they are, and what they cost."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.cli.main import main
from simulator.plan.codes import METADATA, OPERATIONS, SYNC
from simulator.replay.observed import Observed, observe
from simulator.traces.logs import read_logs

pytest.importorskip("pyarrow")

Capture = pytest.CaptureFixture[str]

MACHINE = """\
format: machine/2
name: small
parts:
  disk: {kind: disk, rate: 100 MB/s}
  mds: {kind: queue, overhead: 50 us}
filesystems:
  home: {tiers: [disk], metadata: [{work: mds, costs: {create: 400 us, lookup: 100 us}}]}
"""
FREE = """\
format: machine/2
name: free
parts: {disk: {kind: disk, rate: 1 MB/s}}
filesystems: {home: [disk]}
"""


def log_of(tmp_path: Path, *calls: str) -> Path:
    """A log of one process: a call each 10 ms that takes 1 ms."""
    lines = [
        f"10 10:00:00.{10 * number:03}000 {call} <0.001000>\n" for number, call in enumerate(calls)
    ]
    log = tmp_path / "job.log"
    log.write_text("".join(lines), encoding="utf-8")
    return log


def observed(log: Path, *exclude: str) -> Observed:
    costs = (SYNC, *METADATA)
    batches = read_logs([log], cwd="/work", lenient=False).batches()
    return observe("job", batches, costs=costs, exclude=exclude)


def rows(log: Path, *exclude: str) -> list[tuple[str, str]]:
    """The operations and their files, but for the pause at the end."""
    traced = observed(log, *exclude).traced
    table = zip(traced.table.kind, traced.table.file, strict=True)
    return [(OPERATIONS[kind], traced.files[file].name) for kind, file in table if file >= 0]


STAT = "{st_mode=S_IFREG|0644, st_size=5, ...}"
ONE = {
    f'stat("/d/f", {STAT}) = 0': ("stat", "/d/f"),
    f'newfstatat(AT_FDCWD, "/d/f", {STAT}, 0) = 0': ("stat", "/d/f"),
    'statx(AT_FDCWD, "/d/f", 0, STATX_ALL, {stx_mask=0}) = 0': ("stat", "/d/f"),
    'access("/d/f", R_OK) = 0': ("stat", "/d/f"),
    'readlink("/d/f", "g", 4096) = 1': ("stat", "/d/f"),
    'readlink("/d/f", 0x7f, 4096) = -1 EINVAL (Invalid argument)': ("stat", "/d/f"),
    'getxattr("/d/f", "user.a", 0, 0) = -1 ENODATA (No data available)': ("stat", "/d/f"),
    'stat("/d/f", 0x7ffe) = -1 ENOENT (No such file or directory)': ("lookup", "/d"),
    'open("/d/f", O_RDONLY) = -1 ENOENT (No such file or directory)': ("lookup", "/d"),
    'open("f", O_RDONLY) = -1 ENOENT (No such file or directory)': ("lookup", "/work"),
    'openat(AT_FDCWD, "/f", O_RDONLY) = -1 ENOTDIR (Not a directory)': ("lookup", "/"),
    'execve("/d/f", ["f"], 0x7ffe /* 9 vars */) = -1 ENOENT (No such file)': ("lookup", "/d"),
    'unlink("/d/f") = -1 ENOENT (No such file or directory)': ("lookup", "/d"),
    'open("/d/f", O_RDONLY) = 3': ("open", "/d/f"),
    'openat(AT_FDCWD, "/d", O_RDONLY|O_DIRECTORY) = 3': ("open", "/d"),
    'open("/d/f", O_RDWR|O_CREAT|O_EXCL, 0600) = 3': ("create", "/d/f"),
    'open("/d/f", O_RDWR|O_CREAT, 0600) = 3': ("create", "/d/f"),
    'creat("/d/f", 0600) = 3': ("create", "/d/f"),
    'open("/d/f", O_RDWR|O_CREAT|O_EXCL, 0600) = -1 EEXIST (File exists)': ("stat", "/d/f"),
    'mknod("/d/f", S_IFREG|0600) = 0': ("create", "/d/f"),
    'link("/d/f", "/d/g") = 0': ("create", "/d/g"),
    'symlinkat("f", AT_FDCWD, "/d/g") = 0': ("create", "/d/g"),
    'unlink("/d/f") = 0': ("unlink", "/d/f"),
    'unlinkat(AT_FDCWD, "/d/f", 0) = 0': ("unlink", "/d/f"),
    'rename("/d/f", "/d/g") = 0': ("rename", "/d/f"),
    'mkdir("/d/f", 0700) = 0': ("mkdir", "/d/f"),
    'mkdir("/d/f", 0700) = -1 EEXIST (File exists)': ("stat", "/d/f"),
    'rmdir("/d/f") = 0': ("rmdir", "/d/f"),
    'chmod("/d/f", 0600) = 0': ("setattr", "/d/f"),
    'utimensat(AT_FDCWD, "/d/f", NULL, 0) = 0': ("setattr", "/d/f"),
    'truncate("/d/f", 7) = 0': ("setattr", "/d/f"),
}
NOTHING = (
    "fstat(3, {st_mode=S_IFREG|0644, st_size=5, ...}) = 0",
    'newfstatat(3, "", {st_mode=S_IFREG|0644, st_size=5, ...}, AT_EMPTY_PATH) = 0',
    'execve("/d/f", ["f"], 0x7ffe /* 9 vars */) = 0',
    'stat("/proc/self", 0x7ffe) = -1 ENOENT (No such file or directory)',
    'open("/d/f", O_RDONLY) = -1 EINTR (Interrupted system call)',
    'chmod("/d/f", 0600) = ?',
)


@pytest.mark.parametrize("call", ONE)
def test_a_call_is_an_operation_of_its_kind(call: str, tmp_path: Path) -> None:
    assert rows(log_of(tmp_path, call)) == [ONE[call]]


@pytest.mark.parametrize("call", NOTHING)
def test_other_calls_are_no_operation(call: str, tmp_path: Path) -> None:
    assert rows(log_of(tmp_path, call, 'unlink("/d/x") = 0')) == [("unlink", "/d/x")]


def test_calls_of_open_files_are_operations_on_them(tmp_path: Path) -> None:
    log = log_of(
        tmp_path,
        'openat(AT_FDCWD, "/d", O_RDONLY|O_DIRECTORY) = 3',
        "getdents64(3, 0x55 /* 3 entries */, 32768) = 80",
        "getdents64(3, 0x55 /* 0 entries */, 32768) = 0",
        "close(3) = 0",
        'openat(AT_FDCWD, "/d/f", O_RDWR) = 3',
        "ftruncate(3, 0) = 0",
        "fchmod(3, 0600) = 0",
        'write(3, "x", 1) = 1',
        "close(3) = 0",
    )
    assert rows(log) == [
        *(("open", "/d"), ("readdir", "/d"), ("readdir", "/d"), ("close", "/d")),
        *(("open", "/d/f"), ("setattr", "/d/f"), ("setattr", "/d/f"), ("write", "/d/f")),
        ("close", "/d/f"),
    ]


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        (f'stat("/d/f", {STAT}) = 0', "open"),
        ('open("/d/f", O_RDONLY) = 4', "open"),
        ('open("/d/f", O_WRONLY|O_CREAT, 0600) = 4', "open"),
        ('stat("/d/f", 0x7ffe) = -1 ENOENT (No such file or directory)', "create"),
        ('unlink("/d/f") = 0', "create"),
        ('rename("/d/f", "/d/g") = 0', "create"),
        ('unlink("/d/g") = 0', "create"),
    ],
)
def test_an_open_creates_what_is_not_there(before: str, kind: str, tmp_path: Path) -> None:
    log = log_of(tmp_path, before, 'open("/d/f", O_WRONLY|O_CREAT, 0600) = 3')
    assert rows(log)[-1] == (kind, "/d/f")


def test_a_close_has_to_write_only_what_was_written_since_the_one_before(tmp_path: Path) -> None:
    log = log_of(
        tmp_path,
        'openat(AT_FDCWD, "/d/a", O_RDWR|O_CREAT, 0644) = 3',
        'write(3, "x"..., 9) = 9',
        "close(3) = 0",
        'openat(AT_FDCWD, "/d/a", O_RDONLY) = 3',
        'read(3, "x"..., 9) = 9',
        "close(3) = 0",
    )
    table = observed(log).traced.table
    closes = [row for row, kind in enumerate(table.kind) if OPERATIONS[kind] == "close"]
    assert [table.size[row] for row in closes] == [1, 0]


def test_a_sync_of_a_folder_is_one(tmp_path: Path) -> None:
    log = log_of(
        tmp_path, 'openat(AT_FDCWD, "/d", O_RDONLY|O_DIRECTORY) = 3', "fsync(3) = 0", "close(3) = 0"
    )
    assert ("sync", "/d") in rows(log)


def test_absent_names_share_the_file_of_their_folder(tmp_path: Path) -> None:
    """A job that looks for 3,000 absent names has files for their two folders, and numbers."""
    missing = " = -1 ENOENT (No such file or directory)"
    log = tmp_path / "job.log"
    calls = [f'stat("/{"ab"[k % 2]}/{k % 2000}", 0x7f){missing}' for k in range(3000)]
    log.write_text(
        "".join(f"10 {1 + k}.000001 {call} <0.000001>\n" for k, call in enumerate(calls))
    )
    traced = observed(log).traced
    assert [file.name for file in traced.files] == ["/a", "/b"]
    assert Counter(Counter(traced.table.offset[:3000]).values()) == {2: 1000, 1: 1000}


def replayed(capsys: Capture, log: Path, machine: Path, *words: str) -> Any:
    assert main(["replay", str(log), "--on", str(machine), "--format", "json", *words]) == 0
    return json.loads(capsys.readouterr().out)


CALLS = (
    'open("/d/f", O_WRONLY|O_CREAT, 0600) = 3',
    'stat("/d/g", 0x7ffe) = -1 ENOENT (No such file or directory)',
    'mkdir("/d/h", 0700) = 0',
    "close(3) = 0",
)


def test_operations_take_the_time_of_the_machine(tmp_path: Path, capsys: Capture) -> None:
    """31 ms, of which 4 ms were in calls: the machine takes 600 us, and 2 us of each at its cpu."""
    machine, free = tmp_path / "m.yaml", tmp_path / "free.yaml"
    machine.write_text(MACHINE)
    free.write_text(FREE)
    log = log_of(tmp_path, *CALLS)
    found = replayed(capsys, log, machine)
    assert found["replay"]["computing_s"] == pytest.approx(0.027)
    assert found["elapsed_ns"] == 27_000_000 + 600_000 + 4 * 2_000
    predicted = {one["call"]: one["predicted_s"] for one in found["replay"]["calls"]}
    assert predicted == pytest.approx(
        {"open": 402e-6, "stat": 102e-6, "mkdir": 52e-6, "close": 52e-6}
    )
    other = replayed(capsys, log, free)
    assert other["elapsed_ns"] == 31_000_000


def test_free_operations_are_told(tmp_path: Path, capsys: Capture) -> None:
    machine, free = tmp_path / "m.yaml", tmp_path / "free.yaml"
    machine.write_text(MACHINE)
    free.write_text(FREE)
    log = log_of(tmp_path, *CALLS)
    assert main(["replay", str(log), "--on", str(free)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    kinds = "close 1, create 1, lookup 1, mkdir 1"
    assert f"4 metadata operations cost nothing, since home has no 'metadata': {kinds}." in said
    record = replayed(capsys, log, free)
    assert record["free_operations"] == {"close": 1, "create": 1, "lookup": 1, "mkdir": 1}
    assert main(["replay", str(log), "--on", str(machine)]) == 0
    assert "cost nothing, since" not in capsys.readouterr().out
    assert "free_operations" not in replayed(capsys, log, machine)


@pytest.mark.parametrize(("opens", "told"), [(2, False), (3, True)])
def test_a_few_free_opens_are_usual(
    opens: int, told: bool, tmp_path: Path, capsys: Capture
) -> None:
    """A read between an open and a close is usual; more opens than that are not."""
    free = tmp_path / "free.yaml"
    free.write_text(FREE)
    log = log_of(tmp_path, *['open("/d/f", O_RDONLY) = 3'] * opens, 'read(3, "x", 1) = 1')
    assert ("free_operations" in replayed(capsys, log, free)) == told


def test_folders_are_left_out(tmp_path: Path, capsys: Capture) -> None:
    """Their calls are computing: of 31 ms the machine knows only one call."""
    machine = tmp_path / "m.yaml"
    machine.write_text(MACHINE)
    log = log_of(tmp_path, *CALLS, 'mkdir("/dd/e", 0700) = 0')
    assert rows(log, "/d/", "/x") == [("mkdir", "/dd/e")]
    found = replayed(capsys, log, machine, "--exclude-dir", "/d")
    assert found["replay"]["excluded_calls"] == 4
    assert found["elapsed_ns"] == 40_000_000 + 52_000
    assert main(["replay", str(log), "--on", str(machine), "--exclude-dir", "/d,/x", "--full"]) == 0
    said = capsys.readouterr().out
    assert "4 calls on files below /d/, /x/ left out; their time is computing" in said


def test_a_workload_of_a_trace_can_leave_folders_out(tmp_path: Path, capsys: Capture) -> None:
    machine = tmp_path / "m.yaml"
    machine.write_text(MACHINE)
    log = log_of(tmp_path, *CALLS, 'mkdir("/dd/e", 0700) = 0')
    job = tmp_path / "job.yaml"
    words = ["trace", "workload", str(log), "-o", str(job), "--exclude-dir", "/d"]
    assert main([*words, "--on", str(machine)]) == 0
    assert "; 4 calls on files below /d/ left out" in capsys.readouterr().out
    assert main(["run", str(machine), str(job), "--format", "json", "--no-limits"]) == 0
    assert json.loads(capsys.readouterr().out)["elapsed_ns"] == 40_000_000 + 52_000
    assert main(words) == 0  # for any machine: what the call took is computing
    capsys.readouterr()
    assert main(["run", str(machine), str(job), "--format", "json", "--no-limits"]) == 0
    assert json.loads(capsys.readouterr().out)["elapsed_ns"] == 41_000_000 + 52_000


KINDS = tuple(OPERATIONS[kind] for kind in METADATA)
LISTED = "format: workload/2\nname: listed\njobs: [{name: job, calls: {file: calls.csv}}]\n"


KNOWN = MACHINE.replace("home: {", "home: {attributes: {max: 4 s}, close_to_open: false, ")


@pytest.mark.parametrize("machine", ["small", "free", "known", "nfs-lab"])
def test_what_was_simulated_replays_to_the_nanosecond(
    machine: str, tmp_path: Path, capsys: Capture
) -> None:
    for name, text in (("small", MACHINE), ("free", FREE), ("known", KNOWN)):
        (tmp_path / f"{name}.yaml").write_text(text)
    on = machine if machine == "nfs-lab" else str(tmp_path / f"{machine}.yaml")
    calls = [f"{who},{kind},{file},{k % 2},,{7 * k}" for who in "ab" for file in ("f", "d/g")
             for k, kind in enumerate((*KINDS, *KINDS[::-1]))]  # fmt: skip
    head = "client,do,file,offset,size,gap_ns\na,start,,,,0\nb,start,,,,3\n"
    (tmp_path / "calls.csv").write_text(head + "\n".join(calls) + "\n")
    (tmp_path / "job.yaml").write_text(LISTED)
    store = tmp_path / "calls.parquet"
    words = ["run", on, str(tmp_path / "job.yaml"), "--store", str(store)]
    assert main([*words, "--format", "json", "--debug", "--no-limits"]) == 0
    ran = json.loads(capsys.readouterr().out)
    again = replayed(capsys, store, Path(on), "--debug", "--no-limits")
    assert again["end_ns"] == ran["end_ns"]
    assert [one["elapsed_ns"] for one in again["processes"]] == [
        one["elapsed_ns"] for one in ran["processes"]
    ]
    counts = {kind: one["count"] for kind, one in again["latencies"].items()}
    assert counts == {kind: one["count"] for kind, one in ran["latencies"].items()}
    assert {kind: counts[kind] for kind in KINDS} == dict.fromkeys(KINDS, 8)
    assert np.isfinite(ran["elapsed_ns"])


@pytest.mark.parametrize(
    ("opened", "length"),
    [("O_RDWR", 8192), ("O_RDWR|O_CREAT, 0600", 0), ("O_RDWR|O_CREAT|O_EXCL, 0600", 0)],
)
def test_what_a_write_leaves_out_was_there_unless_the_file_is_new(
    tmp_path: Path, opened: str, length: int
) -> None:
    log = log_of(
        tmp_path, f'open("/d/f", {opened}) = 3', 'pwrite64(3, "x"..., 10, 4096) = 10',
        'pwrite64(3, "x"..., 10, 8192) = 10', 'pwrite64(3, "x"..., 10, 0) = 10',
    )  # fmt: skip
    (file,) = observed(log).traced.files
    assert (file.length, file.size) == (length, 8202)
    plain = observe("job", read_logs([log], cwd="/work", lenient=False).batches())
    assert plain.traced.files[0].length == 0  # Opens are no rows: whether it is new is not known.
