"""docs/sweeps.md: its command is executed, and gives what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from simulator.cli.main import main
from tests.docs.elided import is_shown

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "sweeps.md").read_text("utf-8")
COMMANDS = re.findall(r"^\$ nwtsim ([^\n]*)\n(.*?)(?=^\$ |```)", PAGE, re.DOTALL | re.MULTILINE)


def test_its_command_gives_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ((words, said),) = COMMANDS
    assert main([*shlex.split(words), "--no-plot", "--jobs", "1"]) == 0
    assert is_shown(said, capsys.readouterr().out)
    assert "8192 kB" in said
