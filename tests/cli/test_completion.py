"""Completion in a shell: commands, subcommands, options, and the names of what is shipped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def completed(line: str, folder: Path) -> set[str]:
    """Return what a shell is offered at the end of a line."""
    pytest.importorskip("argcomplete")
    found = folder / "found"
    told = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SHELL": "bash",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(found),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    command = [sys.executable, "-m", "simulator"]
    subprocess.run(command, cwd=folder, env={**os.environ, **told}, check=True, timeout=60)
    return {one.strip() for one in found.read_text().splitlines()}


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nwtsim ca", {"calibrate"}),
        ("nwtsim run nw", {"nwt"}),
        ("nwtsim run nwt test-write-", {"test-write-120MB", "test-write-parallel"}),
        ("nwtsim sweep nwt test-write --sh", {"--shard"}),
        ("nwtsim reproduce sr", {"sr8000"}),
        ("nwtsim trace sum", {"summary"}),
        ("nwtsim trace fortran-ops --pol", {"--policy"}),
        ("nwtsim show mi", {"mine.yaml"}),
        ("nwtsim run nwt 'test-write-1", {"test-write-120MB"}),
        ("nwtsim nosuch x", set()),
    ],
)
def test_a_line_goes_on(line: str, said: set[str], tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").touch()
    (tmp_path / "mi.txt").touch()
    assert {one.strip("'") for one in completed(line, tmp_path)} == said


def test_without_argcomplete_the_command_is_itself(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['argcomplete'] = None; sys.argv = ['nwtsim', '--version']\n"
        "from simulator.cli.main import main; main()"
    )
    env = {**os.environ, "_ARGCOMPLETE": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith("nwtsim ")
