"""docs/calibration.md: its commands are executed on its files, and give what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.fit_file import FIGURES
from tests.docs.extending import ROOT, unknown_lines, with_files

SOURCE = ROOT / "docs" / "calibration.md"
PAGE = SOURCE.read_text("utf-8")
COMMANDS = re.findall(r"^\$ nwtsim ([^\n]*)\n(.*?)(?=^\$ |```)", PAGE, re.DOTALL | re.MULTILINE)
NAMED = re.findall(r"`nwtsim (calibrate [a-z-]+)`", PAGE)


def without_runs(text: str) -> str:
    return re.sub(r"[\d,]+ runs", "N runs", text)


@pytest.mark.slow
def test_its_commands_give_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with_files(tmp_path, SOURCE)
    assert unknown_lines(SOURCE) == []
    assert [words.split()[0] for words, _ in COMMANDS] == ["calibrate"]
    for words, said in COMMANDS:
        assert main(words.split()) == 0
        assert without_runs(capsys.readouterr().out) == without_runs(said)


@pytest.mark.slow
def test_its_shipped_fit_can_be_carried_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert NAMED == ["calibrate page-cache", "calibrate nwt"]
    assert main(NAMED[0].split()) == 0
    said = capsys.readouterr().out
    assert "2 values of workstation fitted to 7 measurements: 5 degrees of freedom" in said
    assert "held out" in said


def test_it_has_every_figure() -> None:
    assert set(FIGURES) <= set(re.findall(r"`(\w+)`", PAGE))
