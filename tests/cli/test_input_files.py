"""What is no regular file is refused at once by every command that reads; logs may be piped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOG = '1 1700000000.000001 openat(AT_FDCWD, "/tmp/a", O_RDONLY) = 3 <0.000010>\n'
LOG += '1 1700000000.000100 read(3, "x", 100) = 100 <0.000010>\n'
COMMANDS = {
    "check": ["check", "{}"],
    "run": ["run", "{}", "test-read"],
    "workload": ["run", "nwt", "{}"],
    "compare": ["compare", "{}", "{}"],
    "import": ["trace", "import", "{}", "-o", "out.parquet"],
    "summary": ["trace", "summary", "{}"],
    "trace workload": ["trace", "workload", "{}", "-o", "out.yaml"],
    "replay": ["replay", "{}", "--on", "nwt"],
    "darshan": ["trace", "summary", "{}.darshan"],
}


def nwtsim(*words: str, folder: Path, stdin: int | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "simulator", *words],
        check=False,
        cwd=folder,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("words", "name"),
    [
        *((words, "/dev/zero") for words in COMMANDS.values()),
        *((COMMANDS[one], "/proc/version") for one in ("check", "import", "darshan")),
    ],
)
def test_devices_and_files_of_the_kernel_are_refused(
    words: list[str], name: str, tmp_path: Path
) -> None:
    # A link of another name also makes it a Darshan log.
    link = tmp_path / ("x.darshan" if words[-1].endswith(".darshan") else "x")
    link.symlink_to(name)
    done = nwtsim(*(one.format(tmp_path / "x") for one in words), folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "this is a" in done.stderr
    assert "file" in done.stderr
    assert "Traceback" not in done.stderr
    assert [one.name for one in tmp_path.iterdir()] == [link.name]


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_pipe_that_nobody_writes_does_not_hang(words: list[str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ("x.darshan" if words[-1].endswith(".darshan") else "x"))
    done = nwtsim(*(one.format(tmp_path / "x") for one in words), folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr


def test_a_log_may_come_through_a_pipe(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, LOG.encode())
    os.close(write)
    done = nwtsim("trace", "import", "/dev/stdin", "-o", "a.parquet", folder=tmp_path, stdin=read)
    os.close(read)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.parquet").exists()


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_a_bare_name_is_told_for_what_it_is(kind: str, tmp_path: Path) -> None:
    """It could be that of a machine which comes with the program."""
    make = os.mkfifo if kind == "pipe" else os.mkdir
    make(tmp_path / "mine")
    done = nwtsim("check", "mine", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("mine: this is a ")
