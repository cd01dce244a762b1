"""Lesson 6: its reader and its reports against those of ``nwtsim trace``, and its replay."""

import csv
import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import nwtsim
from notebooks.course import ssken, strace, traces

LOGS = ("job", "cured")
FOLLOWED = ("read", "write", "pread64", "lseek", "openat", "close", "dup2")
"""Calls whose file and place the reader of the lesson tells."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("logs")
    for name in LOGS:
        (made / f"{name}.strace").write_bytes(
            gzip.decompress((traces.DATA / f"{name}.strace.gz").read_bytes())
        )
        command = f"trace import {name}.strace -o {name}.parquet --cwd {traces.JOB}"
        nwtsim.command(command, folder=made)
    return made


def report(folder: Path, words: str) -> dict[str, Any]:
    return dict(json.loads(nwtsim.command(f"trace {words} --format json", folder=folder).text))


# -- the reader -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOGS)
def test_the_reader_of_the_lesson_reads_what_the_compiled_one_reads(
    folder: Path, name: str
) -> None:
    columns = 'time_ns, pid, duration_ns, call, returned, error, file, "offset"'
    rows = nwtsim.trace_rows(folder / f"{name}.parquet", f"SELECT {columns} FROM calls")
    first = min(time for time, *_ in rows)
    theirs = sorted(
        (time - first, pid, call, took if call != "exit_group" else 0, result, error)
        + ((file, place) if call in FOLLOWED else ())
        for time, pid, took, call, result, error, file, place in rows
    )
    ours = sorted(
        (one.begin_ns, one.pid, one.name, one.took_ns)
        + ((None, one.error) if one.error else (_result(one), None))
        + ((_file(one), one.offset) if one.name in FOLLOWED else ())
        for one in traces.log(name)
    )
    assert len(ours) > 300
    assert ours == theirs


def _result(one: strace.Call) -> int | None:
    return None if one.name == "exit_group" else one.result


def _file(one: strace.Call) -> str | None:
    return None if one.file == strace.PIPE else one.file


def test_descriptors_are_followed_through_forks_copies_and_programs() -> None:
    lines = """\
1 5.000000 openat(AT_FDCWD, "a", O_RDONLY) = 3 <0.000001>
1 5.000010 read(3, "..."..., 10) = 10 <0.000001>
1 5.000020 dup2(3, 7) = 7 <0.000001>
1 5.000030 openat(AT_FDCWD, "/b", O_RDONLY|O_CLOEXEC) = 4 <0.000001>
1 5.000040 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>
2 5.000050 read(7, "..."..., 10) = 5 <0.000001>
1 5.000060 <... clone resumed>) = 2 <0.000030>
2 5.000070 read(4, "", 10) = 0 <0.000001>
2 5.000080 execve("/bin/c", ["c"], 0x7 /* 1 var */) = 0 <0.000001>
2 5.000090 read(4, 0x7, 10) = -1 EBADF (Bad file descriptor) <0.000001>
1 5.000100 read(3,  <unfinished ...>
2 5.000110 close(7) = 0 <0.000001>
1 5.000120 <... read resumed>"..."..., 10) = 10 <0.000030>
1 5.000130 --- SIGCHLD {si_signo=SIGCHLD} ---
2 5.000140 +++ exited with 0 +++
""".splitlines()
    found = strace.read(lines, "/home")
    reads = [(one.pid, one.file, one.offset, one.size) for one in found if one.name == "read"]
    assert reads == [
        *((1, "/home/a", 0, 10), (2, "/home/a", 10, 5), (2, "/b", 0, 0)),
        *((2, None, None, 0), (1, "/home/a", 15, 10)),
    ]
    assert [one.took_ns for one in found if one.begin_ns == 100_000] == [30_000]
    assert found[-1].file == "/home/a"


# -- five reports -----------------------------------------------------------------------------


def table(said: str) -> list[list[str]]:
    return [line.replace(",", "").split() for line in said.splitlines()[1:]]


def test_report_1_has_the_totals_of_the_command(folder: Path) -> None:
    for row, one in zip(
        table(traces.summary()), report(folder, "summary job.parquet")["calls"], strict=False
    ):
        told = (one["call"], one["count"], one["errors"], f"{1e3 * one['time_s']:.3f}")
        assert row == [*map(str, told), str(one["bytes"])]
    files = {
        (one["call"], Path(one["file"]).name): one
        for one in report(folder, "summary job.parquet --by file")["files"]
        if (one["file"] or "").startswith(traces.JOB)
    }
    shown = [row for row in table(traces.summary(by_file=True)) if row[0] in FOLLOWED]
    assert len(shown) == 7
    for call, file, count, errors, ms, moved in shown:
        one = files[call, file]
        assert [int(count), int(errors), int(moved)] == [
            *(one["count"], one["errors"], one["bytes"]),
        ]
        assert float(ms) == pytest.approx(1e3 * one["time_s"], abs=6e-4)


def test_reports_2_to_5_have_the_numbers_of_the_commands(folder: Path) -> None:
    system = "--exclude-dir /usr,/lib,/lib64,/etc --call read,write"
    bins = report(folder, f"sizes job.parquet {system}")["bins"]
    theirs = {
        one["to_bytes"]: (one["reads"], one["writes"])
        for one in bins
        if one["reads"] or one["writes"]
    }
    ours = {int(row[1]): (int(row[2]), int(row[3])) for row in table(traces.sizes())}
    pipes = Counter({1024: 2})  # The command counts the pipe between sort and tail, too.
    assert {size: sum(both) for size, both in ours.items()} == {
        size: sum(both) - pipes[size] for size, both in theirs.items() if size
    }
    counted = report(folder, "calls job.parquet --interval '2 ms'")["calls"]
    for name, key in (("succeeded", "success"), ("failed", "errors")):
        assert [y for _, y in traces.calls().curves[name]] == [one[key] for one in counted]
    moved = report(folder, "rate job.parquet --interval '2 ms'")["intervals"]
    for name, key in (("reads", "read_Bps"), ("writes", "written_Bps")):
        found = [1e6 * y for _, y in traces.rate().curves[name]]
        assert found == pytest.approx([one[key] for one in moved])
    places = report(folder, "offsets job.parquet --file result.dat --call write")["calls"]
    assert traces.offsets().curves["writes of result.dat"] == [
        (pytest.approx(1e3 * one["start_s"]), one["offset_bytes"] / 1e6) for one in places
    ]


# -- the replay -------------------------------------------------------------------------------


def test_the_replay_makes_the_calls_that_the_command_makes(folder: Path) -> None:
    nwtsim.command("trace workload job.parquet -o job.yaml", folder=folder)
    with (folder / "job.calls.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["file"].startswith(f"{traces.JOB}/")]
    pid = f"pid{traces.model()[0].pid}"
    theirs = [
        ("open" if row["do"] == "create" else row["do"], row["file"], row["size"])
        for row in rows
        if row["client"] == pid
    ]
    ours = [
        (row["do"], row["file"], row["size"])
        for row in csv.DictReader(traces.table(traces.model()).splitlines())
        if row["client"] and row["file"]
    ]
    at_exit = ("close", f"{traces.JOB}/model.log", "1")  # Of what it inherited.
    assert [*ours, at_exit] == theirs


def test_the_replay_is_most_of_that_of_the_whole_job(folder: Path) -> None:
    whole = nwtsim.replay(folder / "job.parquet", "nwt").elapsed_s
    assert 0.9 * whole < traces.replay().elapsed_s < whole
    cured = nwtsim.replay(folder / "cured.parquet", "nwt").elapsed_s
    assert traces.replay("cured").elapsed_s < cured < 0.2 * whole


@pytest.mark.parametrize("student", ["Ada", "鈴木", "student 3"])
def test_the_answers_by_hand(student: str) -> None:
    lesson = traces.lesson(student)
    until = f"{1795245880_298227 + 1000 * lesson.numbers(1)['ms']}"
    line = re.compile(r"\d+ (\d+)\.(\d{6}) write\(3, .* = [48] <")
    begun = [found[1] + found[2] for found in map(line.match, traces.lines()) if found]
    assert lesson.truth(1) == sum(one < until for one in begun)
    pid = next(one.split()[0] for one in traces.lines() if "O_CREAT|O_CLOEXEC" in one)
    calls = sum(one.startswith(f"{pid} ") and "(" in one for one in traces.lines())
    assert lesson.truth(2) == pytest.approx(calls * lesson.numbers(2)["us"] / 1000, rel=0.02)
    assert 0.2 < lesson.truth(3) < 2.6
    by_calls = 5 * 1_583_552 * (lesson.numbers(4)["us"] - 9.704) * 1e-6
    assert lesson.truth(4) == pytest.approx(ssken.superk() + by_calls, rel=0.01)
    saved = 0.5e9 / 200e6 * (1 - 1 / lesson.numbers(5)["times"])
    assert lesson.truth(5) == pytest.approx(100 * saved / ssken.superk(), rel=0.08)
