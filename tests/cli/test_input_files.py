"""What is no regular file is refused at once by every command that reads; logs may be piped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOG = '1 1700000000.000001 openat(AT_FDCWD, "/tmp/a", O_RDONLY) = 3 <0.000010>\n'
LOG += '1 1700000000.000100 read(3, "x", 100) = 100 <0.000010>\n'
COMMANDS = [
    ["check", "{}"],
    ["show", "{}"],
    ["run", "{}", "test-read"],
    ["run", "nwt", "{}"],
    ["run", "workstation", "calls.yaml"],
    ["calibrate", "{}"],
    ["compare", "{}", "{}"],
    ["trace", "import", "{}", "-o", "out.parquet"],
    ["trace", "summary", "{}"],
    ["trace", "workload", "{}", "-o", "out.yaml"],
    ["replay", "{}", "--on", "nwt"],
    ["trace", "summary", "{}.darshan"],
]
CALLS = "format: workload/2\nname: calls\njobs: [{name: a, calls: x}]\n"


def python(*words: str, folder: Path, stdin: int | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        check=False,
        cwd=folder,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        capture_output=True,
        text=True,
        timeout=120,
    )


def nwtsim(*words: str, folder: Path, stdin: int | None = None) -> subprocess.CompletedProcess[str]:
    return python("-m", "simulator", *words, folder=folder, stdin=stdin)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["/dev/zero", pytest.param("/proc/version", marks=pytest.mark.slow), "a pipe"]
)
def test_devices_files_of_the_kernel_and_pipes_are_refused(name: str, tmp_path: Path) -> None:
    """Opening a pipe that nothing writes to would wait for ever, so another process does it."""
    names = [tmp_path / "x", tmp_path / "x.darshan"]  # The name alone makes a Darshan log.
    for one in names:
        if name == "a pipe":
            os.mkfifo(one)
        else:
            one.symlink_to(name)
    (tmp_path / "calls.yaml").write_text(CALLS)
    words = [[word.format(tmp_path / "x") for word in command] for command in COMMANDS]
    script = f"from simulator.cli.main import main; print([main(one) for one in {words!r}])"
    done = python("-c", script, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{[2] * len(words)}\n"), done.stderr
    told = [line for line in done.stderr.splitlines() if "this is a" in line and "file" in line]
    logs = name == "a pipe"  # They may come through one.
    assert len(told) >= len(words) - 4 * logs, done.stderr
    assert {one.name for one in tmp_path.iterdir()} == {"x", "x.darshan", "calls.yaml"}


def test_a_log_may_come_through_a_pipe(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, LOG.encode())
    os.close(write)
    done = nwtsim("trace", "import", "/dev/stdin", "-o", "a.parquet", folder=tmp_path, stdin=read)
    os.close(read)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.parquet").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_a_bare_name_is_told_for_what_it_is(kind: str, tmp_path: Path) -> None:
    """It could be that of a machine which comes with the program."""
    make = os.mkfifo if kind == "pipe" else os.mkdir
    make(tmp_path / "mine")
    done = nwtsim("check", "mine", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("mine: this is a ")
