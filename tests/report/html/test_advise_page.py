"""The page of advice shows what its JSON has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from simulator.cli.main import main
from tests.report.html.reading import Reader, read


def log_in(folder: Path) -> str:
    """A program that syncs after each of many short records."""
    lines = ['7 1700000000.000000 open("/data/<o>&ut", O_WRONLY|O_CREAT, 0666) = 3 <0.000100>']
    for number in range(30):
        at = 1.7e9 + 0.01 + number / 50
        lines.append(f'7 {at:.6f} write(3, "x"..., 100) = 100 <0.000010>')
        lines.append(f"7 {at + 0.001:.6f} fsync(3) = 0 <0.010000>")
    lines += ["7 1700000009.000000 close(3) = 0 <0.000010>", ""]
    (folder / "job.log").write_text("\n".join(lines), encoding="ascii")
    return str(folder / "job.log")


def page_of(folder: Path, *words: str) -> Reader:
    """The page of the advice on the log."""
    page, record = folder / "page.html", folder / "record.json"
    command = ["advise", log_in(folder), "--on", "nfs-lab", "--think", "none", *words]
    command += ["--format", "json", "--out", str(record)]
    assert main([*command, "--html", str(page)]) == 0
    return read(page)


def test_it_shows_the_numbers_of_the_json(tmp_path: Path) -> None:
    found = page_of(tmp_path, "--no-limits")
    record = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    assert record["advice"]
    rows = found.tables["advice"].rows[1:]
    for row, one in zip(rows, record["advice"], strict=True):
        assert one["pattern"] == row[1].text
        assert (row[3].value, row[5].value) == (one["saves_ns"], one["predicted_ns"])
        assert one["found"] in found.text
        assert one["how"].split("\n")[0] in found.text
    assert f"The best change, {record['advice'][0]['pattern']}, makes it" in found.answer
    (number,) = [n for n, one in enumerate(record["advice"], 1) if one["pattern"] == "sync-write"]
    assert [row[0].text for row in found.tables[f"files-{number}"].rows[1:]] == ["/data/<o>&ut"]
    assert record["tried"]
    assert all(
        f"{one['pattern']}: {one['found']} Curing it " in found.text for one in record["tried"]
    )


@pytest.mark.compiled
def test_a_job_has_its_page_and_that_of_its_run_has_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, run, record = (tmp_path / name for name in ("advice.html", "run.html", "record.json"))
    job = ["nwt", "test-write", "--set", "output.size=32 MB"]
    words = ["advise", *job, "--html", str(page), "--format", "json", "--out", str(record)]
    assert main(words) == 0
    known = json.loads(record.read_text(encoding="utf-8"))["advice"]
    found = read(page)
    assert [row[3].value for row in found.tables["advice"].rows[1:]] == [
        one["saves_ns"] for one in known
    ]
    others = [other for one in known for other in one["instead"][:4]]
    assert others
    assert all(other["how"].split("\n")[0] in found.text for other in others)
    capsys.readouterr()
    assert main(["run", *job, "--html", str(run)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    first = read(run)
    (takes,) = re.findall(r"([0-9.]+ m?s): nwtsim run nwt test-write", first.answer)[:1]
    assert f"{takes}: nwtsim run nwt test-write" in said
    shown = first.tables["advice"].rows[1]
    assert shown[5].text == takes
