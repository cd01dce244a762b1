"""``nwtsim trace record``: its file, its questions, and real programs run by it."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.cli.main import main
from simulator.errors import InputError
from simulator.traces.errors import TraceError
from simulator.traces.logs import read_logs
from simulator.traces.record import beside, read_record, record_of_log
from simulator.traces.recording.costs import Costs, costs_of_calls, mean_of
from simulator.traces.recording.session import RecordOptions, Session, strace_words
from tests.replay.test_tracer import COSTS, LOG, ended, record
from tests.replay.test_tracer_of_logs import recorded

ROOT = Path(__file__).resolve().parents[2]
STRACE = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("strace") is None, reason="strace is not installed"
)
Capture = pytest.CaptureFixture[str]


# -- the file ------------------------------------------------------------------------------------


def test_a_record_is_read_as_it_was_written(tmp_path):
    made = record(ended(1, 2, 3, 4))
    log = recorded(tmp_path, made)
    assert record_of_log(log) == made
    assert read_record(beside(log)).to_record() == made.to_record()
    assert record_of_log(tmp_path / "other.strace") is None


def test_a_log_packed_afterwards_keeps_its_record_and_its_folder(tmp_path):
    log = recorded(tmp_path, record())
    packed = log.with_name("job.strace.gz")
    packed.write_bytes(gzip.compress(log.read_bytes()))
    log.unlink()
    trace = read_logs([packed])
    rows = [row for batch in trace.batches() for row in batch.to_pylist()]
    assert trace.about["record"]["command"] == ["./job"]
    assert rows[0]["file"] == "/d/a"


def test_the_folder_of_a_recorded_program_is_known(tmp_path):
    log = LOG.replace("/d/a", "a")
    path = recorded(tmp_path, record(first_line=log.partition("\n")[0]), log)
    rows = [row for batch in read_logs([path]).batches() for row in batch.to_pylist()]
    assert rows[0]["file"] == "/d/a"


def test_a_record_of_another_log_is_refused(tmp_path, capsys):
    log = recorded(tmp_path, record(first_line="7 1700000099.000000 execve() = 0"))
    assert main(["replay", str(log), "--on", "workstation"]) == 2
    said = capsys.readouterr().err
    assert "job.strace.record.json: is of another log than" in said
    assert "remove it, or record the program again" in said


def test_several_logs_have_no_record(tmp_path):
    log = recorded(tmp_path, record())
    other = tmp_path / "other"
    other.write_text(LOG)
    assert "record" not in read_logs([log, other]).about


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        ({"format": "trace-record/9"}, ["format: 'trace-record/9'; this nwtsim reads"]),
        ({"cwd": 3}, ["cwd: 3; it is a text"]),
        ({"command": []}, ["command: []; it is a list of words"]),
        ({"cache": "hot"}, ["cache: 'hot'; it is as-is, warm, drop"]),
        ({"traced": None}, ["traced.elapsed_ns: missing; it is a number from 0 on"] * 1),
        (
            {"child_ns": -1, "host": None},
            ["host: missing; it is a text", "child_ns: -1; it is a number from 0 on"],
        ),
        ({"call": {"plain": {"inside_ns": "2"}}}, ["call.plain.inside_ns: '2'; it is a number"]),
    ],
)
def test_each_mistake_in_a_record_is_said(tmp_path, change, lines):
    raw = record(ended(1)).to_record() | change
    path = tmp_path / "r.json"
    path.write_text(json.dumps(raw))
    with pytest.raises(TraceError) as error:
        read_record(path)
    for line in lines:
        assert f"{path}: {line}" in str(error.value)
    path.write_text("{")
    with pytest.raises(TraceError, match="not JSON"):
        read_record(path)


def test_means_of_costs():
    other = {kind: type(one)(one.inside * 3, one.outside, 0.0) for kind, one in COSTS.items()}
    mean = mean_of([Costs(COSTS, 10.0, 700.0, 200.0, 30.0), Costs(other, 20.0, 800.0, 300.0, 50.0)])
    assert (mean.calls["plain"].inside, mean.calls["plain"].outside) == (4000, 3000)
    assert (mean.child, mean.page, mean.far, mean.counted) == (15, 750, 250, 40)


def test_older_versions_of_strace_are_asked_for_less():
    assert "--seccomp-bpf" in strace_words((6, 1))
    assert "--seccomp-bpf" not in strace_words((5, 2))
    assert strace_words((5, 7))[2:4] == ("--seccomp-bpf", "-ttt")
    assert "-y" in strace_words((6, 1), names=True)


# -- questions -----------------------------------------------------------------------------------


def refused(capsys: Capture, *words: str) -> str:
    assert main(["trace", "record", *words]) == 2
    return capsys.readouterr().err


@STRACE
def test_it_runs_nothing_twice_without_having_asked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    said = refused(capsys, "--", "touch", "made")
    assert "touch made would be run twice" in said
    assert "--yes" in said
    assert "--once" in said
    said = refused(capsys, "--cache", "warm", "--", "touch", "made")
    assert "three times" in said
    assert "would be run 6 times" in refused(capsys, "--runs", "5", "--", "touch", "made")
    assert list(tmp_path.iterdir()) == []


@STRACE
def test_mistakes_are_found_before_anything_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert "no such program" in refused(capsys, "--yes", "--", "./absent")
    assert "omit one of them" in refused(capsys, "--runs", "2", "--once", "--", "touch", "made")
    assert "--data is for --cache drop" in refused(capsys, "--data", "x", "--yes", "--", "true")
    said = refused(capsys, "--cache", "drop", "--yes", "--", "touch", "made")
    assert "--data which files" in said
    said = refused(capsys, "-o", "a.gz", "--yes", "--", "touch", "made")
    assert "is written plain; name it a" in said
    said = refused(capsys, "-o", "no/a", "--once", "--", "touch", "made")
    assert "there is no such folder" in said
    assert list(tmp_path.iterdir()) == []


@STRACE
def test_a_pipe_can_be_read_only_once(tmp_path):
    words = [sys.executable, "-m", "simulator", "trace", "record", "--yes", "--", "cat"]
    done = _run(words, tmp_path, stdin=subprocess.PIPE)
    assert done.returncode == 2
    assert b"standard input is a pipe" in done.stderr


def test_without_strace_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(InputError, match="apt install strace"):
        Session(RecordOptions(("true",)), print)


# -- real programs -------------------------------------------------------------------------------


def _run(words: list[str], folder: Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        words,
        cwd=folder,
        env=environment,
        check=False,
        stderr=subprocess.PIPE,
        **({"stdin": subprocess.DEVNULL} | options),
    )


def record_words(*words: str) -> list[str]:
    return [sys.executable, "-m", "simulator", "trace", "record", *words]


@STRACE
def test_calls_cost_something_under_strace():
    found = costs_of_calls(strace_words((6, 1)))
    for cost in found.calls.values():
        assert cost.inside + cost.outside > 2 * cost.untraced
        assert cost.outside > 0
    assert found.page > 0
    assert found.child >= 0  # Of few processes, so that it may be lost in what else the host does.


@STRACE
def test_a_program_is_run_twice_and_traced_the_second_time(tmp_path):
    script = (
        "echo run >> runs; cat runs; dd if=/dev/zero of=out bs=512 count=300 2>/dev/null; exit 3"
    )
    words = record_words("--yes", "-o", "job.strace", "--", "sh", "-c", script)
    with (tmp_path / "said").open("wb") as output:
        done = _run(words, tmp_path, stdout=output)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs").read_text() == "run\nrun\n"
    assert (tmp_path / "said").read_text() == "run\nrun\n"  # Only what the last run printed.
    found = record_of_log(tmp_path / "job.strace")
    assert found is not None
    assert found.untraced is not None
    assert (found.untraced.status, found.traced.status) == (3, 3)
    assert found.traced.elapsed_ns > found.untraced.elapsed_ns > 0
    assert found.command == ("sh", "-c", script)
    assert found.cwd == str(tmp_path)
    rows = [
        row for batch in read_logs([tmp_path / "job.strace"]).batches() for row in batch.to_pylist()
    ]
    assert sum(row["file"] == f"{tmp_path}/out" and row["call"] == "write" for row in rows) == 300
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        *("job.strace", "job.strace.record.json", "out", "runs", "said"),
    ]


@pytest.mark.slow
@STRACE
def test_runs_without_strace_are_as_many_as_asked(tmp_path):
    words = record_words("--yes", "--runs", "3", "--", "sh", "-c", "echo run >> runs")
    assert _run(words, tmp_path).returncode == 0
    assert (tmp_path / "runs").read_text() == 4 * "run\n"
    found = record_of_log(tmp_path / "sh.strace")
    assert found is not None
    assert found.runs == 3


@pytest.mark.slow
@STRACE
def test_once_is_only_under_strace(tmp_path):
    words = record_words("--once", "--", "sh", "-c", "echo run >> runs")
    assert _run(words, tmp_path).returncode == 0
    assert (tmp_path / "runs").read_text() == "run\n"
    found = record_of_log(tmp_path / "sh.strace")
    assert found is not None
    assert found.untraced is None
    assert found.costs["data"].outside > 0


@pytest.mark.slow
@STRACE
def test_files_leave_the_page_cache(tmp_path):
    data = tmp_path / "data"
    data.write_bytes(os.urandom(1 << 20))
    words = record_words("--yes", "--cache", "drop", "--", "cat", "data")
    done = _run(words, tmp_path, stdout=subprocess.DEVNULL)
    if b"stays in the page cache" in done.stderr:
        pytest.skip("the file system is in memory")
    assert done.returncode == 0, done.stderr
    found = record_of_log(tmp_path / "cat.strace")
    assert found is not None
    assert found.untraced is not None
    assert found.cache == "drop"
    assert found.untraced.read_bytes >= (1 << 20) - (64 << 10)


@pytest.mark.few(1)
@STRACE
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("once", [True, False])
def test_a_signal_ends_the_program_and_nothing_is_kept(tmp_path, name, once):
    script = (
        "trap 'echo trapped >> ends; exit 0' INT TERM; echo >> begun; while :; do sleep 0.02; done"
    )
    words = record_words("--once" if once else "--yes", "-o", "job", "--", "sh", "-c", script)
    running = subprocess.Popen(
        words,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + 60
    while not (tmp_path / "begun").exists() and time.monotonic() < until:
        time.sleep(0.02)
    running.send_signal(getattr(signal, name))
    _, said = running.communicate(timeout=60)
    assert running.returncode == {"SIGINT": 130, "SIGTERM": 143}[name]
    assert f"ended by {name}".encode() in said
    assert (tmp_path / "ends").read_text() == "trapped\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["begun", "ends"]


@pytest.mark.skipif(sys.platform != "linux", reason="signals as Linux has them")
def test_a_thread_that_takes_the_signal_of_the_end_keeps_nobody_waiting():
    script = (
        "import threading, time\n"
        "from simulator.traces.recording.attend import attend\n"
        "ended = []\n"
        "def linger():\n"
        "    while not ended: time.sleep(0.0005)\n"
        "for _ in range(4): threading.Thread(target=linger, daemon=True).start()\n"
        "for _ in range(60): assert attend(('true',)).status == 0\n"
        "ended.append(1)\n"
    )
    words = [sys.executable, "-c", script]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run(words, env=environment, check=True, timeout=120)


@pytest.mark.slow
@STRACE
def test_ctrl_c_reaches_the_program_once(tmp_path):
    """A terminal's: to all processes of the group, of which nwtsim sends nothing on."""
    pty = pytest.importorskip("pty")
    script = "trap 'echo trapped >> ends' INT; echo >> begun; sleep 0.5; sleep 0.5"
    words = record_words("--yes", "-o", "job", "--", "sh", "-c", script)
    child, terminal = pty.fork()
    if not child:
        os.chdir(tmp_path)
        os.environ["PYTHONPATH"] = str(ROOT)
        os.execv(words[0], words)
    until = time.monotonic() + 60
    while not (tmp_path / "begun").exists() and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.1)
    os.write(terminal, b"\x03")
    while True:
        try:
            if not os.read(terminal, 1000):
                break
        except OSError:
            break
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 130
    assert (tmp_path / "ends").read_text() == "trapped\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["begun", "ends"]


def recorded_here(tmp_path: Path, *words: str) -> Path:
    log = tmp_path / "log"
    done = _run(record_words("--yes", "-o", str(log), "--", *words), tmp_path)
    assert done.returncode == 0, done.stderr
    return log


def answer(capsys: Capture, command: str, log: Path, *options: str) -> Any:
    words = [command, str(log), "--on", "workstation", "--no-limits", "--format", "json"]
    assert main([*words, *options]) == 0
    return json.loads(capsys.readouterr().out)


@STRACE
@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        (sys.executable, "-c", "sum(n * n % 7 for n in range(2_000_000))"),
        ("gzip", "-kf", "text"),
    ],
    ids=["python", "gzip"],
)
def test_what_a_program_computes_is_kept(tmp_path, capsys, words):
    """By its processor time, which does not depend on what else the host does."""
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    (tmp_path / "text").write_text("".join(f"line {n * n % 9973}\n" for n in range(300_000)))
    log = recorded_here(tmp_path, *words)
    made = record_of_log(log)
    assert made is not None
    assert made.untraced is not None
    whole = (made.untraced.user_ns + made.untraced.system_ns) / 1e9
    computing = answer(capsys, "replay", log)["replay"]["computing_s"]
    assert computing == pytest.approx(whole, rel=0.12, abs=0.03)


@STRACE
@pytest.mark.slow
def test_a_larger_block_helps_a_program_of_small_calls(tmp_path, capsys):
    """Its replay was nearly all strace's time, which is left with ``--think keep``."""
    words = ("dd", "if=/dev/zero", "of=out", "bs=512", "count=10000", "status=none")
    log = recorded_here(tmp_path, *words)
    found = answer(capsys, "advise", log)
    assert found["advice"][0]["pattern"] == "small-io"
    share = found["advice"][0]["saves_s"] / found["predicted_s"]
    kept = answer(capsys, "advise", log, "--think", "keep")
    assert share > 0.2
    assert kept["predicted_s"] > 4 * found["predicted_s"]
