"""Operations that stand in the flags of others: each is replayed as the operation that it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.plan.codes import METADATA, OPERATIONS, SYNC
from simulator.replay.observed import Observed, observe
from simulator.traces.logs import read_logs

pytest.importorskip("pyarrow")

MADE = ('open("/d/f", O_WRONLY|O_CREAT|O_EXCL, 0600) = 3', "close(3) = 0")
"""The file is there when the next call comes."""


def observed(tmp_path: Path, *calls: str) -> Observed:
    """Read a log of one process: a call each 10 ms that takes 1 ms."""
    lines = [f"10 10:00:00.{10 * k:03}000 {call} <0.001000>\n" for k, call in enumerate(calls)]
    log = tmp_path / "job.log"
    log.write_text("".join(lines), encoding="utf-8")
    return observe(
        "job", read_logs([log], cwd="/work", lenient=False).batches(), costs=(SYNC, *METADATA)
    )


def operations(tmp_path: Path, *calls: str) -> list[str]:
    """Return the operations on files, in words, with a size that is not 0."""
    table = observed(tmp_path, *calls).traced.table
    rows = zip(table.kind, table.file, table.size, strict=True)
    return [
        f"{OPERATIONS[kind]} {size}".removesuffix(" 0") for kind, file, size in rows if file >= 0
    ]


WORDS = {
    'open("/d/f", O_WRONLY|O_TRUNC) = 3': ["open", "setattr"],
    'openat(AT_FDCWD, "/d/f", O_RDWR|O_CREAT|O_TRUNC|O_CLOEXEC, 0600) = 3': ["open", "setattr"],
    'openat2(AT_FDCWD, "/d/f", {flags=O_RDWR|O_TRUNC, resolve=0}, 24) = 3': ["open", "setattr"],
    'open("/d/f", O_RDONLY|O_TRUNC) = 3': ["open", "setattr"],
    'creat("/d/f", 0600) = 3': ["open", "setattr"],
    'open("/d/f", O_WRONLY|O_CREAT|O_APPEND, 0600) = 3': ["open"],
    'open("/d/f", O_WRONLY|O_TRUNC) = -1 EACCES (Permission denied)': ["stat"],
    'open("/d/f", O_WRONLY|O_CREAT|O_EXCL|O_TRUNC, 0600) = -1 EEXIST (File exists)': ["stat"],
    'open("/d/g", O_WRONLY|O_CREAT|O_TRUNC, 0600) = 3': ["create"],
    'open("/d/g", O_WRONLY|O_TRUNC) = -1 ENOENT (No such file or directory)': ["lookup"],
    'creat("/d/g", 0600) = 3': ["create"],
    'open("/d", O_RDWR|O_TMPFILE, 0600) = 3': ["create"],
    'open("/d/f", O_RDONLY|O_PATH) = 3': ["stat"],
    'unlinkat(AT_FDCWD, "/d/f", 0) = 0': ["unlink"],
    'unlinkat(AT_FDCWD, "/d/e", AT_REMOVEDIR) = 0': ["rmdir"],
    'unlinkat(AT_FDCWD, "/d/e", AT_REMOVEDIR) = -1 ENOTEMPTY (Directory not empty)': ["stat"],
    'rename("/d/g", "/d/f") = 0': ["rename 1"],
    'rename("/d/f", "/d/g") = 0': ["rename"],
    'renameat2(AT_FDCWD, "/d/g", AT_FDCWD, "/d/f", RENAME_EXCHANGE) = 0': ["rename"],
    'renameat2(AT_FDCWD, "/d/g", AT_FDCWD, "/d/f", RENAME_NOREPLACE) = -1 EEXIST (File exists)': [
        "stat"
    ],
    'truncate("/d/f", 0) = 0': ["setattr"],
}


@pytest.mark.parametrize("call", WORDS)
def test_what_stands_in_flags_is_an_operation(call: str, tmp_path: Path) -> None:
    assert operations(tmp_path, *MADE, call)[2:] == WORDS[call]


@pytest.mark.parametrize(
    ("calls", "kind"),
    [
        (['rename("/d/g", "/d/f") = 0'], ["open", "setattr"]),
        (['unlink("/d/f") = 0', 'rename("/d/g", "/d/f") = 0'], ["open", "setattr"]),
        (['rename("/d/f", "/d/g") = 0'], ["create"]),
        (['rename("/d/g", "/d/f") = 0', 'unlink("/d/f") = 0'], ["create"]),
        (
            ['renameat2(AT_FDCWD, "/d/f", AT_FDCWD, "/d/g", RENAME_EXCHANGE) = 0'],
            ["open", "setattr"],
        ),
    ],
)
def test_a_name_is_there_after_a_rename_to_it(
    calls: list[str], kind: list[str], tmp_path: Path
) -> None:
    log = (*MADE, *calls, 'open("/d/f", O_WRONLY|O_CREAT|O_TRUNC, 0600) = 3')
    assert operations(tmp_path, *log)[2 + len(calls) :] == kind


def test_a_file_that_is_emptied_and_written_is_closed_so(tmp_path: Path) -> None:
    found = operations(
        tmp_path,
        *MADE,
        'open("/d/f", O_WRONLY|O_TRUNC) = 3',
        'write(3, "x"..., 100) = 100',
        "close(3) = 0",
        'open("/d/f", O_WRONLY) = 3',
        'write(3, "x"..., 100) = 100',
        "close(3) = 0",
        'open("/d/f", O_WRONLY|O_TRUNC) = 3',
        "close(3) = 0",
        'open("/d/f", O_WRONLY) = 3',
        "ftruncate(3, 0) = 0",
        'write(3, "x"..., 100) = 100',
        "close(3) = 0",
        'open("/d/f", O_WRONLY) = 3',
        "ftruncate(3, 4096) = 0",
        'write(3, "x"..., 100) = 100',
        "close(3) = 0",
    )
    assert found == [
        *("create", "close", "open", "setattr", "write 100", "close 2"),
        *("open", "write 100", "close 1", "open", "setattr", "close"),
        *("open", "setattr", "write 100", "close 2", "open", "setattr", "write 100", "close 1"),
    ]


def test_a_new_file_that_is_truncated_keeps_that_call(tmp_path: Path) -> None:
    found = operations(tmp_path, MADE[0], "ftruncate(3, 0) = 0", "close(3) = 0")
    assert found == ["create", "setattr", "close"]


def test_what_follows_a_truncation_leaves_holes(tmp_path: Path) -> None:
    """Nothing of an emptied file was there before, of one that is only opened what is left out."""
    log = 'pwrite64(3, "x"..., 100, 4096) = 100'
    for flags, there in (("O_WRONLY", 4096), ("O_WRONLY|O_TRUNC", 0)):
        traced = observed(tmp_path, f'open("/d/f", {flags}) = 3', log, "close(3) = 0").traced
        assert [file.length for file in traced.files if file.name == "/d/f"] == [there]


CASE = """\
41 1700000000.000000 openat(AT_FDCWD, "/home/u/out.dat", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3 <0.000100>
41 1700000000.001000 write(3, "x"..., 4096) = 4096 <0.000015>
41 1700000000.002000 close(3) = 0 <0.000100>
41 1700000000.003000 openat(AT_FDCWD, "/home/u/out.dat", O_WRONLY|O_TRUNC) = 3 <0.000100>
41 1700000000.004000 write(3, "x"..., 4096) = 4096 <0.000015>
41 1700000000.005000 close(3) = 0 <0.000100>
41 1700000000.006000 openat(AT_FDCWD, "/home/u/out.dat", O_WRONLY) = 3 <0.000100>
41 1700000000.007000 ftruncate(3, 0) = 0 <0.000100>
41 1700000000.008000 write(3, "x"..., 4096) = 4096 <0.000015>
41 1700000000.009000 close(3) = 0 <0.000100>
41 1700000000.010000 exit_group(0) = ?
"""  # noqa: E501


def test_on_nfs_truncation_by_open_waits_for_the_journal_as_ftruncate_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A SETATTR of the size is on stable storage before its answer (RFC 1813, 3.3.2): 10.2 ms."""
    log = tmp_path / "tr.log"
    log.write_text(CASE, encoding="utf-8")
    assert main(["replay", str(log), "--on", "nfs-lab", "--format", "json", "--no-limits"]) == 0
    found = json.loads(capsys.readouterr().out)["latencies"]
    counts = {name: found[name]["count"] for name in ("create", "open", "setattr")}
    assert counts == {"create": 1, "open": 2, "setattr": 2}
    assert found["setattr"]["max_ns"] == found["setattr"]["p50_ns"] > 10_200_000
    assert found["open"]["max_ns"] < 1_000_000


EXT4 = """\
format: machine/2
name: ext4
nodes: {pc: 1}
parts: {disk: {kind: queue, at: pc, rate: 10 MB/s}, mds: {kind: queue, at: pc, overhead: 1 ms}}
stores: {pages: {at: pc, capacity: 80 MB, block: 1 MB, start: [close]}}
filesystems: {home: {tiers: [pages, disk], metadata: [{work: mds}], close: replaced}}
"""
SAVED = """\
format: workload/2
name: saved
files: {f: {size: 10 MB, exists: true}}
jobs:
  - name: j
    record: 1 MB
    repeat: 2
    phases: [{do: write, file: f, truncate: true}, {do: compute, time: 100 ms}]
"""


def test_what_empties_its_file_replays_to_the_nanosecond(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine, workload, store = (tmp_path / one for one in ("m.yaml", "w.yaml", "s.parquet"))
    machine.write_text(EXT4, encoding="utf-8")
    workload.write_text(SAVED, encoding="utf-8")
    shown = []
    for words in (
        ["run", str(machine), str(workload), "--store", str(store)],
        ["replay", str(store), "--on", str(machine)],
    ):
        assert main([*words, "--format", "json", "--no-limits"]) == 0
        shown.append(json.loads(capsys.readouterr().out))
    ran, again = shown
    assert ran["latencies"]["setattr"]["count"] == 2
    assert [one["elapsed_ns"] for one in shown] == [ran["elapsed_ns"]] * 2
    for key in ("end_ns", "latencies", "stores"):
        assert again[key] == ran[key]
    assert ran["stable"]["bytes"] == 20_000_000 or ran["end_ns"] > ran["elapsed_ns"]
