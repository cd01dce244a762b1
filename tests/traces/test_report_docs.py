"""The reports in docs/traces.md are those of its log, and what README shows is what is printed."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.report.recordkeys import keys_of
from tests.docs.elided import is_shown

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "traces.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("\n## Reports\n")[2]
LOG = PAGE.with_suffix("") / "job.log"


def shown_in(page):
    """The commands of a page, and what stands below each."""
    return [
        (command, output)
        for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL)
        for command, output in re.findall(r"\$ (nwtsim .*)\n((?:(?!\$ ).*\n)*)", block)
    ]


SHOWN = [(command.split()[1:], output) for command, output in shown_in(SECTION)]
START = ROOT / "docs" / "start.md"
README = [
    (command, output)
    for page in (ROOT / "README.md", START)
    for command, output in shown_in(page.read_text(encoding="utf-8"))
    if "my-machine.yaml" not in command  # tests/cli/test_new.py carries these out, in their order
]


def marks_of(command):
    """Some commands take seconds."""
    if "reproduce all" in command:
        return pytest.mark.long
    return pytest.mark.slow if re.search(r"reproduce |replay \S+ --on", command) else ()


@pytest.mark.parametrize(("words", "output"), SHOWN, ids=[" ".join(words) for words, _ in SHOWN])
def test_an_example_prints_what_the_page_shows(capsys, tmp_path, monkeypatch, words, output):
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    shutil.copy(LOG, tmp_path)
    assert main(words) == 0
    assert is_shown(output, capsys.readouterr().out)


def test_the_page_shows_every_kind_of_report():
    assert {words[1] for words, _ in SHOWN} >= {"summary", "sizes", "rate", "offsets", "check"}


def table_in(section, head):
    """The rows of the Markdown table with a head, as the names in backquotes of their cells.

    A formula has the names in it.
    """
    rows = section.partition(f"\n| {head} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [
        [
            re.findall(r"[a-z_0-9]{2,}", " ".join(re.findall(r"`([^`]+)`", cell)))
            for cell in row.split("|")[1:-1]
        ]
        for row in rows
    ]


CHECKS = "check | value | also in `values`"


def test_the_page_has_every_key_of_the_checks(capsys, tmp_path, monkeypatch):
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    shutil.copy(LOG, tmp_path)
    assert main(["trace", "check", "job.log", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    told = [key for key, _ in keys_of("trace check")]
    keys = [key.removeprefix("checks[].") for key in told if key.startswith("checks[]")]
    listed = {row[0][0]: {*row[1], *row[2]} for row in table_in(SECTION, CHECKS)}
    assert [list(row) for row in found["checks"]] == [keys] * len(found["checks"])
    assert {row["check"]: {*row["values"]} for row in found["checks"]} == listed
    for key in ("elapsed_s", "client_time_s", "clients", "io_s", "reads", "writes", "outliers"):
        assert key in found


@pytest.mark.skipif(os.name != "posix", reason="the commands are for a shell")
@pytest.mark.parametrize(
    ("command", "output"),
    [pytest.param(*shown, id=shown[0], marks=marks_of(shown[0])) for shown in README],
)
def test_readme_shows_what_a_command_prints(command, output):
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    words = f'nwtsim() {{ "{sys.executable}" -m simulator "$@"; }}; {command}'
    own = {**os.environ, "COLUMNS": "100"}  # A library that is loaded here may say something else.
    ran = subprocess.run(
        ["sh", "-c", words], cwd=ROOT, env=own, capture_output=True, text=True, check=True
    )
    assert is_shown(output, ran.stdout)


def test_readme_shows_all_studies_a_trace_and_its_replay():
    assert {command.split()[1] for command, _ in README} == {"reproduce", "trace", "replay"}
