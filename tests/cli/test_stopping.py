"""Signals that end a command from outside: what is done is kept, nothing half done stays."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.study import results
from simulator.study.folder import STORE, points_in

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys, time
from simulator.cli.main import main
from simulator.study import chunks
import simulator.run
points = []

def ready(*_, **__):
    print("ready", flush=True)
    time.sleep(1000)

def run_point(point, stopped=None):
    points.append(point)
    return ready() if len(points) == 4 else {"number": len(points)}

if sys.argv[1] == "run":
    simulator.run.run_plan = ready
elif "--jobs=2" in sys.argv:
    chunks.WORTH_S = chunks.ALONE_S = 0.0
    chunks.run_point = ready
else:
    chunks.run_point = run_point
sys.exit(main())
"""
RUN = ("run", "workstation", "copy-file", "--format", "json", "--out", "result.json")
SWEEP = ("sweep", "workstation", "copy-file", "--vary", "disk.rate=1 MB/s..9 MB/s +1 MB/s")
CODES = {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": 130}
Capture = pytest.CaptureFixture[str]


def ended(folder: Path, name: str, *words: str) -> tuple[int, str]:
    """Begin a command, and send it a signal when it is at work; returns its code and what it said.

    Its output ends when no process has it any more: with the last that it has started.
    """
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(getattr(signal, name))
        _, said = process.communicate()
    assert "Traceback" not in said
    return process.returncode, said


@pytest.mark.few(1)
@pytest.mark.parametrize("name", CODES)
def test_nothing_half_written_stays(name: str, tmp_path: Path) -> None:
    code, said = ended(tmp_path, name, *RUN)
    assert code == CODES[name]
    why = "interrupted" if name == "SIGINT" else f"ended by {name}"
    assert said == f"{why}; nothing is kept, and the same command starts over\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.few(1)
@pytest.mark.parametrize("name", CODES)
def test_a_sweep_goes_on_from_there(name: str, tmp_path: Path) -> None:
    code, said = ended(tmp_path, name, *SWEEP, "--out", "points", "--html=a.html", "--jobs=1")
    assert code == CODES[name]
    assert said.endswith(
        "; 3 of 9 points are kept in points, and the same command goes on from there\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["points"]
    assert [path.name for path in (tmp_path / "points").iterdir()] == [STORE]
    assert len([*points_in(tmp_path / "points", range(9), finished=False)]) == 3


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_its_processes_end_too(name: str, tmp_path: Path) -> None:
    code, _ = ended(tmp_path, name, *SWEEP, "--out", "points", "--jobs=2")
    assert code == CODES[name]


def interrupted(*_: object, **__: object) -> None:
    """Press Ctrl-C."""
    raise KeyboardInterrupt


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("where", "words", "shown", "said"),
    [
        (
            "simulator.answers.again.ask_limits",
            ["run", "workstation", "copy-file", "--source.size", "1 MB"],
            "elapsed ",
            "the run is whole, and what limits it was not found: --no-limits does not ask",
        ),
        (
            "simulator.answers.again.ask_limits",
            ["replay", "notebooks/data/job.strace.gz", "--on", "workstation"],
            "observed 47.6 ms; predicted here ",
            "the replay is whole, and what limits it was not found: --no-limits does not ask",
        ),
        (
            "simulator.answers.again.ask_limits",
            ["advise", "workstation", "copy-file", "--set", "source.size=1 MB"],
            "",
            "; what would help was not found, and the same command begins anew",
        ),
        (
            "simulator.study.grid.Grid.check",
            [*SWEEP, "--out", "FOLDER"],
            "",
            "the same command goes on from what is kept in FOLDER",
        ),
        (
            "simulator.study.uncertainty.repeat_of",
            ["uncertainty", "workstation", "copy-file", "--set", "source.size=1 MB"],
            "",
            "nothing is kept without --out DIR: with it the same command goes on from the"
            " machines that were run",
        ),
        (
            "simulator.study.uncertainty.repeat_of",
            ["uncertainty", "workstation", "copy-file", "--out", "FOLDER"],
            "",
            "the same command goes on from what FOLDER has",
        ),
        (
            "simulator.sizing.evaluate.Short.at",
            ["size", "nwt-1997", "--no-store"],
            "",
            "before a configuration was looked at: the same command begins anew",
        ),
    ],
)
def test_an_interrupt_says_what_there_is(
    where: str,
    words: list[str],
    shown: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.setattr(where, interrupted)
    folder = str(tmp_path / "folder")
    assert main([word.replace("FOLDER", folder) for word in words]) == 130
    found = capsys.readouterr()
    last = found.err.splitlines()[-1]
    assert last.startswith("interrupted")
    assert last.endswith(said.replace("FOLDER", folder))
    assert bool(found.out) == bool(shown)
    assert shown in found.out


def test_studies_that_are_done_are_told(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """And in a log, where there is no line to draw over, each that begins or ends has its own."""
    order = []

    def made(name: str, **_: object) -> str:
        order.append(name)
        if len(order) == 2:
            raise KeyboardInterrupt
        return name

    monkeypatch.setattr("simulator.study.studies.reproduce_study", made)
    monkeypatch.setattr("simulator.report.first_screen.study_line", lambda one: f"{one}: right")
    assert main(["reproduce", "orion", "ssken", "--short", "--jobs", "1"]) == 130
    found = capsys.readouterr()
    first, second = order
    assert found.out == f"{first}: right\n"
    *begun, last = found.err.splitlines()
    assert last == (
        "interrupted; 1 of 2 studies done; nothing is kept, and the same command starts over"
    )
    assert [one.split(";")[0] for one in begun] == [
        f"{first} begins: 0 of 2 done",
        f"{first} is done: 1 of 2 done",
        f"{second} begins: 1 of 2 done",
    ]


def test_a_full_disk_is_that_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """The store of a sweep cannot be written: an error that names no file."""

    def full(one: results.Saving, _rows: object) -> None:
        if one._results is not None:
            error = sqlite3.OperationalError("database or disk is full")
            raise results._error(one._results.path, error)

    monkeypatch.setattr(results.Saving, "add", full)
    assert main([*SWEEP, "--out", str(tmp_path / "points"), "--jobs=1"]) == 2
    said = capsys.readouterr().err
    assert said == f"{tmp_path / 'points' / STORE}: no space is left on this file system\n"
