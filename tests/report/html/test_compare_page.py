"""The page of a comparison shows what its JSON has, and its columns add up."""

from __future__ import annotations

import json
from pathlib import Path

from simulator.cli.main import main
from tests.report.html.reading import read
from tests.report.html.test_run_page import written

HEADS = ("wait_a_ns", "wait_b_ns", "service_a_ns", "service_b_ns", "difference_ns")


def compared(folder: Path, *words: str) -> tuple[Path, dict[str, object]]:
    """The page and the record of a comparison."""
    page, record = folder / "page.html", folder / "record.json"
    machine, workload = written(folder)
    command = ["compare", machine, workload, *words, "--format", "json", "--out", str(record)]
    assert main([*command, "--html", str(page)]) == 0
    return page, json.loads(record.read_text(encoding="utf-8"))


def test_the_waterfall_adds_up(tmp_path: Path) -> None:
    page, record = compared(tmp_path, "--b-set", "disk.rate=50 MB/s")
    found = read(page)
    *rows, total = found.tables["account-0"].rows[1:]
    where = record["where"]
    assert isinstance(where, list)
    shown = [[row[0].text, *(cell.value for cell in row[1:6])] for row in rows]
    assert shown == [[one["column"], *(one[key] for key in HEADS)] for one in where]
    assert total[5].value == record["difference_ns"] == sum(row[5].value or 0 for row in rows)
    assert "B is " in found.answer
    assert "only change: +" in found.answer
    values = {row[0].text: [cell.text for cell in row[1:]] for row in found.tables["values"].rows}
    assert values["machine.parts.disk.rate"] == ["150 MB/s", "50 MB/s"]
    jobs = record["jobs"]
    assert isinstance(jobs, dict)
    assert found.tables["account-1"].rows[-1][5].value == jobs["reader"]["difference_ns"]


def test_no_difference_is_said(tmp_path: Path) -> None:
    page, record = compared(tmp_path)
    assert record["same"]
    found = read(page)
    assert "no difference" in found.answer
    assert "account-0" not in found.tables
