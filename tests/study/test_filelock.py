"""Lock files: who holds a folder, and what becomes of the lock of a process that was killed."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.filelock import LockedError, locked
from simulator.study.folder import LOCK

ROOT = Path(__file__).resolve().parents[2]
HOLDS = """
import sys
from pathlib import Path
from simulator.filelock import locked
with locked(Path("sweep"), Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
SWEEP = ("sweep", "workstation", "copy-file", "--vary", "disk.rate=1 MB/s,2 MB/s", "--no-plot")
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / LOCK


def holder(lock: Path) -> subprocess.Popen[str]:
    """A process that holds a lock until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(lock)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_lock_is_gone_at_the_end(lock: Path) -> None:
    with locked(lock.parent, lock):
        record = json.loads(lock.read_text())
        assert (record["pid"], record["host"]) == (os.getpid(), platform.node())
    assert not lock.exists()


def test_who_holds_it_is_said(lock: Path, capsys: Capture) -> None:
    with holder(lock) as process:
        with pytest.raises(LockedError, match=f"by process {process.pid} since 2"):
            locked(lock.parent, lock).__enter__()
        assert main([*SWEEP, "--out", str(lock.parent)]) == 2
        said = capsys.readouterr().err
        assert f"{lock.parent} is being written to by process {process.pid} since" in said
        assert [*lock.parent.iterdir()] == [lock]
        process.communicate("")
    assert main([*SWEEP, "--out", str(lock.parent)]) == 0
    assert not lock.exists()


def test_the_lock_of_a_killed_process_is_taken_over(lock: Path) -> None:
    with holder(lock) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert lock.exists()
        with locked(lock.parent, lock):
            assert json.loads(lock.read_text())["pid"] == os.getpid()


def test_the_number_of_a_process_may_be_that_of_another_by_now(lock: Path) -> None:
    record = {"pid": os.getpid(), "start": "1", "host": platform.node(), "since": "before"}
    lock.write_text(json.dumps(record))
    with locked(lock.parent, lock):
        pass


def test_another_host_is_for_the_user_to_decide(lock: Path) -> None:
    record = {"pid": 1, "start": "1", "host": "elsewhere", "since": "2026-11-24 03:00:00"}
    lock.write_text(json.dumps(record))
    with pytest.raises(LockedError) as error:
        locked(lock.parent, lock).__enter__()
    assert str(error.value) == (
        f"{lock.parent} is being written to by process 1 on elsewhere since 2026-11-24 03:00:00;"
        f" if that has ended, delete {lock}"
    )
    assert json.loads(lock.read_text()) == record


@pytest.mark.parametrize("content", ["", "{", "[]", '{"host": 3}\n'])
def test_a_lock_that_says_nothing(lock: Path, content: str) -> None:
    lock.write_text(content)
    if "host" in content:
        with pytest.raises(LockedError):
            locked(lock.parent, lock).__enter__()
    else:
        with locked(lock.parent, lock):
            pass


def test_a_folder_that_was_made_for_nothing_goes_again(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert main(["sweep", "workstation", "copy-file", "--vary", "x=1", "--out", str(folder)]) == 2
    assert not (tmp_path / "new").exists()
