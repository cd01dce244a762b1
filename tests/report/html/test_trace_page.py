"""The page of a trace shows what the reports on it have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.cli.main import main
from tests.report.html.reading import opened, read
from tests.report.html.test_replay_page import NAME, log_in

Capture = pytest.CaptureFixture[str]


def page_of(folder: Path, *words: str) -> Path:
    """The page of the log."""
    page = folder / "page.html"
    assert main(["trace", "summary", log_in(folder), *words, "--html", str(page)]) == 0
    return page


def asked(capsys: Capture, *words: str) -> dict[str, list[dict[str, float]]]:
    """A report as JSON."""
    capsys.readouterr()
    assert main(["trace", *words, "--format", "json"]) == 0
    known: dict[str, list[dict[str, float]]] = json.loads(capsys.readouterr().out)
    return known


def test_it_shows_the_numbers_of_the_reports(tmp_path: Path, capsys: Capture) -> None:
    found = read(page_of(tmp_path))
    log = log_in(tmp_path)
    shown = found.tables["calls"].values(units=False)
    every = asked(capsys, "summary", log)["calls"]
    assert len(shown) == len(every)
    for one in every:
        row = shown[str(one["call"])]
        assert (row["count"], row["errors"]) == (one["count"], one["errors"])
        assert row["time"] == pytest.approx(1e9 * one["time_s"])
    moved = {
        name: row["bytes"] for name, row in found.tables["calls-1"].values(units=False).items()
    }
    assert moved == {str(one["call"]): one["bytes"] for one in every if one["bytes"]}
    lengths = asked(capsys, "sizes", log)["lengths"]
    rows = [[cell.value for cell in row[:3]] for row in found.tables["lengths"].rows[1:]]
    assert rows == [[one[key] for key in ("length_bytes", "reads", "writes")] for one in lengths]
    checks = asked(capsys, "check", log)["checks"]
    verdicts = [[cell.text for cell in row] for row in found.tables["checks"].rows[1:]]
    assert [row[0] for row in verdicts] == [one["label"] for one in checks]
    assert [row[3] for row in verdicts] == [one["verdict"] or "-" for one in checks]
    warnings = [str(one["label"]) for one in checks if one["verdict"] == "warning"]
    assert all(label in found.answer for label in warnings)
    assert (
        "10 calls" in found.answer or f"{sum(one['count'] for one in every)} calls" in found.answer
    )


def test_names_are_escaped(tmp_path: Path) -> None:
    page = page_of(tmp_path)
    names = [row[0].text for row in read(page).tables["files"].rows]
    assert f"/data/{NAME}" in names
    assert "\x1b" not in page.read_text(encoding="utf-8")


def test_a_log_without_times_says_so(tmp_path: Path) -> None:
    log, page = tmp_path / "plain.log", tmp_path / "page.html"
    log.write_text('read(3, "x"..., 10) = 10\nwrite(4, "x"..., 10) = 10\n', encoding="ascii")
    assert main(["trace", "summary", str(log), "--html", str(page)]) == 0
    found = read(page)
    assert "the log has no times, which 'rate' needs" in found.text
    assert found.answer.startswith("2 calls.")


def test_the_choice_holds_for_the_whole_page(tmp_path: Path) -> None:
    found = read(page_of(tmp_path, "--call", "write", "--by", "file"))
    assert [row[0].text for row in found.tables["calls"].rows[1:]] == ["write"]
    assert "--call write" in found.text


def test_many_calls_make_a_small_page(tmp_path: Path) -> None:
    lines = [
        f'1 {1.7e9 + n / 1000:.6f} open("/{"d" * 200}/file{n}", O_RDONLY) = 3 <0.000100>\n'
        for n in range(3000)
    ]
    log, page = tmp_path / "many.log", tmp_path / "page.html"
    log.write_text("".join(lines), encoding="ascii")
    assert main(["trace", "summary", str(log), "--html", str(page)]) == 0
    found = read(page)
    assert "(2,970 more rows not listed)" in found.text
    assert page.stat().st_size < 100_000


@pytest.mark.slow
@pytest.mark.real("chromium")
def test_a_browser_opens_it(tmp_path: Path) -> None:
    page = page_of(tmp_path)
    assert "To look into" in opened(page, tmp_path / "profile")
