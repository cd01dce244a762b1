"""docs/sizing.md: its commands are executed on its files, and print what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.ownership import HOURS
from simulator.config.requirement_file import FIGURES
from simulator.config.requirement_targets import LATENCIES
from tests.docs.elided import is_shown
from tests.docs.extending import ROOT, with_files

SOURCE = ROOT / "docs" / "sizing.md"
PAGE = SOURCE.read_text("utf-8")
FILES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"^\$ nwtsim ([^\n]*)\n(.*?)(?=^\$ |```)", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_its_commands_print_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with_files(tmp_path, SOURCE)
    for name, text in zip(("need.yaml", "plan.yaml", "either.yaml"), FILES, strict=True):
        Path(name).write_text(text)
    Path("plan.yaml").write_text(re.sub(r"years: 2.*\n", FILES[1], FILES[0]))
    assert [words.split()[0] for words, _ in COMMANDS] == ["check", *["size"] * 4]
    for words, said in COMMANDS:
        assert main([*words.split(), *(["--jobs", "1"] if words.startswith("size") else [])]) == 0
        assert is_shown(said, capsys.readouterr().out)


def test_its_arithmetic() -> None:
    """5.76 GB of a disk at 180 MB/s, and what the arm takes of the 169 s."""
    assert pytest.approx(5.76) == 20 * 1.44 / 5
    assert "32 s at 180 MB/s; the other 137 s" in PAGE
    assert round(5760 / 180) == 32
    assert 169 - 32 == 137
    assert pytest.approx(361.25) == 2 * 250 * 0.85**2
    assert 3400 + round(1500 / 1.04, 2) + round(361.25 / 1.04**2, 2) == pytest.approx(
        5176.3, abs=0.02
    )
    assert "361.25 / 1.04² = 334" in PAGE
    assert f"3 x 8 x 8 TB x 6/8 x 2/3 = {3 * 8 * 8 * 6 // 8 * 2 // 3} TB" in PAGE


def test_it_has_each_figure_and_the_hours_of_a_year() -> None:
    words = set(re.findall(r"`([a-z_0-9]+)`", PAGE))
    assert f"power x {HOURS:,} h x years" in PAGE
    assert {*FIGURES} - {*LATENCIES} | {"read_p95", "read_p99", "node", "year"} <= words
