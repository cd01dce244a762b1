"""The page of a run shows what its JSON has, escapes what comes from outside, and stays small."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from tests.cli.test_every_command import both
from tests.report.html.reading import MOST_BYTES, Reader, opened, read

Capture = pytest.CaptureFixture[str]

MACHINE = """\
format: machine/2
name: odd
title: a <b>"bold"</b> & title
nodes:
  node: 2
parts:
  disk: {kind: disk, at: node, count: 2, rate: 150 MB/s, seek: 8.5 ms}
stores:
  pages: {at: node, capacity: 64 MB}
filesystems:
  home: [pages, disk]
"""
WORKLOAD = """\
format: workload/2
name: odd
files:
  f: {size: 2 MB, exists: true}
jobs:
  - name: reader
    processes: 2
    record: 1 MB
    phases: [{do: read, file: f}]
"""


def page_of(folder: Path, *words: str) -> tuple[Reader, dict[str, Any]]:
    """The page and the JSON of one command."""
    page, record = folder / "page.html", folder / "record.json"
    command = [*words, "--html", str(page), "--format", "json", "--limits", "--out", str(record)]
    assert main(command) == 0
    return read(page), json.loads(record.read_text(encoding="utf-8"))


def written(folder: Path, machine: str = MACHINE, workload: str = WORKLOAD) -> tuple[str, str]:
    """A machine and a workload in files."""
    names = []
    for name, text in (("machine.yaml", machine), ("workload.yaml", workload)):
        (folder / name).write_text(text, encoding="utf-8")
        names.append(str(folder / name))
    return names[0], names[1]


def test_all_numbers_are_those_of_the_json(tmp_path: Path) -> None:
    page, record = page_of(tmp_path, "run", *written(tmp_path), "--processes", "3")
    tables = {name: table.values() for name, table in page.tables.items()}
    job = record["jobs"]["reader"]
    assert tables["jobs"]["reader"]["elapsed"] == job["elapsed_ns"]
    assert tables["jobs"]["reader"]["read"] == job["read"]["bytes"]
    for name, one in record["latencies"].items():
        shown = tables["latencies"][name]
        assert shown["calls"] == one["count"]
        for key in ("mean", "p50", "p95", "p99", "max"):
            assert shown[key] == one[f"{key}_ns"]
    for row in page.tables["resources"].rows[1:]:
        one = record["parts"][row[-1].text]
        assert row[6].value == pytest.approx(one["utilisation"], abs=1e-9)
        mine = [other for other in record["parts"].values() if other["part"] == one["part"]]
        assert row[3].value == sum(other["requests"] for other in mine)
    hits = sum(one["hits"] for one in record["stores"].values())
    looks = hits + sum(one["misses"] for one in record["stores"].values())
    assert tables["stores"]["pages"]["hits"] == hits / looks
    levers = {one["lever"]: one for one in record["limits"]["levers"] if one["saves_ns"]}
    assert {name: shown["saves"] for name, shown in tables["limits"].items()} == {
        name: one["saves_ns"] for name, one in levers.items()
    }
    assert tables["sources"]["default"]["values"] == record["sources"]["default"]


def test_the_account_adds_up(tmp_path: Path) -> None:
    page, record = page_of(tmp_path, "run", *written(tmp_path))
    table = page.tables["where-0"]
    *rows, foot = [[cell.value or 0 for cell in row] for row in table.rows[1:]]
    assert [sum(row[place] for row in rows) for place in (1, 2)] == foot[1:3]
    assert foot[-1] == sum(foot[1:3]) == record["jobs"]["reader"]["time_ns"]
    where = record["jobs"]["reader"]["where"]["columns"]
    for row in table.rows[1:-1]:
        one = where[row[0].text[1:]]  # After the letter of its colour.
        assert [cell.value for cell in row[1:3]] == [one["wait_ns"], one["service_ns"]]


def test_the_answer_comes_first(tmp_path: Path, capsys: Capture) -> None:
    page, record = page_of(tmp_path, "run", *written(tmp_path))
    limiting = record["limits"]["limiting"].partition(".")[0]
    assert page.answer.startswith("What limits: ")
    assert limiting in page.answer
    capsys.readouterr()
    assert main(["run", *written(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert page.answer.partition("What helps")[0].partition("elapsed")[0].strip() in said


def test_without_the_question_the_page_says_where_the_time_went(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["run", *written(tmp_path), "--no-limits", "--html", str(page)]) == 0
    found = read(page)
    assert " % of the time" in found.answer
    assert "limits" not in found.tables


def test_json_has_the_answer_only_if_it_is_asked_for(tmp_path: Path, capsys: Capture) -> None:
    page = tmp_path / "page.html"
    words = ["run", *written(tmp_path), "--format", "json"]
    assert main([*words, "--html", str(page)]) == 0
    with_page = capsys.readouterr().out
    assert main(words) == 0
    assert capsys.readouterr().out == with_page
    assert read(page).answer.startswith("What limits")


def test_texts_are_escaped(tmp_path: Path) -> None:
    page, _ = page_of(tmp_path, "run", *written(tmp_path))
    assert 'a <b>"bold"</b> & title' in page.text
    assert "b" not in page.elements


def test_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    pages = []
    for name in ("a.html", "b.html"):
        assert main(["run", *written(tmp_path), "--seed", "3", "--html", str(tmp_path / name)]) == 0
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


@pytest.mark.slow
@pytest.mark.compiled
def test_a_page_of_many_processes_and_parts_is_small(tmp_path: Path) -> None:
    parts = "".join(f"  disk{n}: {{kind: disk, at: node, rate: 1 GB/s}}\n" for n in range(300))
    systems = "".join(f"  fs{n}: [disk{n}]\n" for n in range(300))
    machine = MACHINE.partition("parts:")[0] + f"parts:\n{parts}filesystems:\n{systems}"
    page = tmp_path / "page.html"
    words = ["run", *written(tmp_path, machine), "--processes", "10000", "--no-limits"]
    assert main([*words, "--html", str(page)]) == 0
    read(page)
    text = page.read_text(encoding="utf-8")
    assert "more parts" in text
    assert "more ways" in text
    assert len(text) < MOST_BYTES / 2


def test_a_page_shows_utilisation_over_time(tmp_path: Path) -> None:
    page, timeline = tmp_path / "page.html", tmp_path / "t.json"
    words = ["run", *written(tmp_path), "--html", str(page), "--timeline", str(timeline)]
    assert main(words) == 0
    text = page.read_text(encoding="utf-8")
    read(page)
    assert "Utilisation of disk over time" in text


WRITES = WORKLOAD.replace("exists: true", "exists: false").replace("do: read", "do: write")


def test_a_page_shows_stores_over_time(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ["run", *written(tmp_path, workload=WRITES), "--html", str(page)]
    assert main([*words, "--no-limits"]) == 0
    text = page.read_text(encoding="utf-8")
    read(page)
    assert "Used and dirty bytes of pages over time: at most" in text
    assert "of 2 instances together" in text
    assert "Bytes written by calls over time." in text
    assert text.count("Means in intervals of 1.05 ms.") == 1


def test_a_page_of_a_long_run_has_no_curves_unless_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, curves = tmp_path / "page.html", tmp_path / "curves.csv"
    monkeypatch.setattr("simulator.cli.run.MOST_DRAWN_S", 0.0)
    words = ["run", *written(tmp_path, workload=WRITES), "--html", str(page), "--no-limits"]
    assert main(words) == 0
    assert "over time" not in page.read_text(encoding="utf-8")
    assert main([*words, "--curves", str(curves)]) == 0
    assert "over time" in page.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.compiled
@both
def test_every_shipped_machine_has_its_page(
    machine: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    assert main(["run", machine, *words, "--no-limits", "--html", str(page)]) == 0
    found = read(page)
    assert {"where-0", "jobs", "resources", "sources"} <= found.tables.keys()
    text = page.read_text(encoding="utf-8")
    assert text.count("Block diagram of") == 2


@pytest.mark.slow
@pytest.mark.real("chromium")
def test_a_browser_opens_it(tmp_path: Path) -> None:
    page, _ = page_of(tmp_path, "run", *written(tmp_path))
    seen = opened(tmp_path / "page.html", tmp_path / "profile")
    assert page.answer.split(".")[0] in seen
