"""docs/uncertainty.md: its commands are executed on its files, and give what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.cli.main import main
from tests.docs.elided import is_shown
from tests.docs.extending import ROOT, unknown_lines, with_files

SOURCE = ROOT / "docs" / "uncertainty.md"
PAGE = SOURCE.read_text("utf-8")
COMMANDS = re.findall(r"^\$ nwtsim ([^\n]*)\n(.*?)(?=^\$ |```)", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_its_commands_give_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    with_files(tmp_path, SOURCE)
    assert unknown_lines(SOURCE) == []
    assert [words.split()[0] for words, _ in COMMANDS] == ["run", "uncertainty"]
    for words, said in COMMANDS:
        assert main(words.split()) == 0
        assert is_shown(said, capsys.readouterr().out)
