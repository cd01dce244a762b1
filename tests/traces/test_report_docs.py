"""The reports in docs/traces.md are those of its log."""

import re
from pathlib import Path

import pytest

from simulator.cli.main import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "traces.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("\n## Reports\n")[2]
LOG = re.search(r"```text\n(.*?)```", SECTION, re.DOTALL)
SHOWN = [
    (command.split()[1:], output)
    for block in re.findall(r"```console\n(.*?)```", SECTION, re.DOTALL)
    for command, output in re.findall(r"\$ (nwtsim .*)\n((?:(?!\$ ).*\n)*)", block)
]


@pytest.mark.parametrize(("words", "output"), SHOWN, ids=[" ".join(words) for words, _ in SHOWN])
def test_an_example_prints_what_the_page_shows(capsys, tmp_path, monkeypatch, words, output):
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    assert LOG is not None
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.log").write_text(LOG[1], encoding="utf-8")
    assert main(words) == 0
    assert capsys.readouterr().out.rstrip() == output.rstrip()


def test_the_page_shows_every_kind_of_report():
    assert {words[1] for words, _ in SHOWN} >= {"summary", "sizes", "rate", "offsets", "check"}
