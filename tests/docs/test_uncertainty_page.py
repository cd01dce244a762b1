"""docs/uncertainty.md: its commands are executed on its files, and give what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.cli.main import main
from tests.docs.elided import is_shown

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "uncertainty.md").read_text("utf-8")
FILES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"^\$ nwtsim ([^\n]*)\n(.*?)(?=^\$ |```)", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_its_commands_give_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    for name, text in zip(("disk.yaml", "reads.yaml"), FILES, strict=True):
        Path(name).write_text(text)
    assert [words.split()[0] for words, _ in COMMANDS] == ["run", "uncertainty"]
    for words, said in COMMANDS:
        assert main(words.split()) == 0
        assert is_shown(said, capsys.readouterr().out)
