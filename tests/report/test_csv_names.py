"""Hostile names in CSV: one line a row, no formula, and the same name when it is read again."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.cli.main import main
from simulator.csvtext import CsvWriter, cell, text_of
from simulator.replay.replay import read_log
from simulator.report.forms import json_of
from simulator.workload.callfile import read_calls

NAMES = [
    *("=cmd|'/c calc'!A0", "+1+1", "-rm", "@SUM(A1)", "'quoted", "''", "\\n", "a\\x7f"),
    *("a\rb", "a\nb", "a\tb", "\x1b[2J", "\x7f", "\udcff\udc80", 'a"b,c;d', "a\u2028b"),
    "\u202etxt",
    *("-5", "+1e3", "名前", "\U0001f600"),
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_is_guarded_and_read_again(name: str) -> None:
    guarded = cell(name)
    assert guarded.isprintable()
    assert guarded[0] not in "=+-@" or name in ("-5", "+1e3")
    assert text_of(guarded) == name


@given(st.text(st.characters(), max_size=8))
def test_any_text_survives(text: str) -> None:
    out = io.StringIO()
    CsvWriter(out).writerow([text, -5, -0.5])
    written = out.getvalue().encode("utf-8").decode("utf-8")
    (row,) = csv.reader(io.StringIO(written, newline=""))
    assert [text_of(row[0]), *row[1:]] == [text, "-5", "-0.5"]


def test_json_has_only_what_prints() -> None:
    text = json_of(NAMES)
    assert text.isprintable()
    assert json.loads(text) == NAMES
    assert "名前" in text


def test_names_of_a_log_survive_a_workload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = []
    for number, name in enumerate(NAMES):
        said = "".join(f"\\{byte:03o}" for byte in name.encode("utf-8", "surrogateescape"))
        at = 1_700_000_000 + number
        lines += [
            f'7 {at}.000001 openat(AT_FDCWD, "{said}", O_RDONLY) = 3 <0.000010>\n',
            f'7 {at}.000100 read(3, "x", 100) = 100 <0.000010>\n',
            f"7 {at}.000200 close(3) = 0 <0.000010>\n",
        ]
    log = tmp_path / "job\r.log"
    log.write_text("".join(lines), encoding="ascii")
    observed = read_log([log], cwd="/d", progress=False).observed
    wanted = sorted(one.name for one in observed.traced.files)
    assert len(wanted) >= len(NAMES)
    assert main(["trace", "workload", log.name, "-o", "out.yaml", "--cwd", "/d"]) == 0
    assert main(["run", "nwt", "out.yaml"]) == 0
    assert sorted(one.name for one in read_calls(Path("out.calls.csv"), "a").files) == wanted
    assert "\r" not in Path("out.yaml").read_bytes().decode()
