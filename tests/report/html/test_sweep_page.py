"""The page of a sweep has the points of points.json, the best marked, and stays small."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from tests.report.html.reading import Reader, opened, read
from tests.report.html.test_run_page import written

RATES = "disk.rate=20 MB/s,100 MB/s,10 GB/s"


def swept(folder: Path, *words: str) -> tuple[Reader, list[dict[str, Any]]]:
    """The page of a sweep, and its points."""
    page, out = folder / "page.html", folder / "out"
    machine, workload = written(folder)
    command = ["sweep", machine, workload, *words, "--out", str(out), "--no-plot", "--jobs", "1"]
    assert main([*command, "--html", str(page)]) == 0
    return read(page), json.loads((out / "points.json").read_text(encoding="utf-8"))


def test_it_has_all_points_and_marks_the_best(tmp_path: Path) -> None:
    found, points = swept(tmp_path, "--vary", RATES, "--vary", "processes=1,2")
    head, *rows = found.tables["points"].rows
    texts = [cell.text for cell in head]
    assert texts == ["disk.rate", "processes", "read MB/s", "elapsed s", "busiest", "best"]
    assert [row[3].value for row in rows] == [one["elapsed_s"] for one in points]
    assert [row[2].value for row in rows] == [one["read_MBps"] for one in points]
    assert [row[4].text for row in rows] == [one["bottleneck"] for one in points]
    fastest = min(points, key=lambda one: one["elapsed_s"])
    (best,) = [row for row in rows if "fastest" in row[-1].text]
    assert best[3].value == fastest["elapsed_s"]
    assert [cell.text for cell in best[:2]] == [fastest["disk.rate"], str(fastest["processes"])]
    named = f"disk.rate={fastest['disk.rate']}, processes={fastest['processes']}"
    assert f"Fastest of 6 points: {named} takes" in found.answer


def test_where_the_limiting_resource_changes_is_marked(tmp_path: Path) -> None:
    found, points = swept(tmp_path, "--vary", RATES, "--limits")
    limits = [one["limit"] for one in points]
    assert len(set(limits)) > 1
    assert [row[4].text for row in found.tables["points"].rows[1:]] == limits
    counted = {name: row["points"] for name, row in found.tables["limits"].values().items()}
    assert counted == {name: limits.count(name) for name in set(limits)}
    before, after = next(pair for pair in itertools.pairwise(limits) if len({*pair}) > 1)
    assert found.text.count(f": {before} -> {after}") == 1
    assert found.text.count(f"{before} \N{RIGHTWARDS ARROW} {after}") == 2  # plots


def test_knees_are_marked_and_listed(tmp_path: Path) -> None:
    found, points = swept(tmp_path, "--vary", "disk.rate=20 MB/s..10 GB/s x2")
    manifest = json.loads((tmp_path / "out" / "sweep.json").read_text(encoding="utf-8"))
    knee = next(one for one in manifest["knees"] if one["figure"] == "elapsed_s")
    assert (knee["state"], knee["axis"], knee["share"]) == ("knee", "disk.rate", 0.05)
    times = [one["elapsed_s"] for one in points]
    last = max(n for n, (one, two) in enumerate(itertools.pairwise(times)) if two <= 0.95 * one)
    assert knee["above"] == points[last]["disk.rate"]
    assert knee["knee"] == knee["up_to"] == points[last + 1]["disk.rate"]
    rows = [[cell.text for cell in row] for row in found.tables["knees"].rows]
    assert rows[0] == ["figure", "over", "knee", "lies", "a doubling changes"]
    assert rows[1][:3] == ["elapsed time", "disk.rate", knee["knee"]]
    assert found.text.count("knee") >= 3  # The head of the table, and a mark in each plot.


def test_two_numbers_are_cells_and_a_value_without_effect_is_said(tmp_path: Path) -> None:
    numbers = ["--vary", "disk.rate=20 MB/s,100 MB/s,500 MB/s", "--vary", "processes=1,2,4"]
    found, points = swept(tmp_path, *numbers)
    assert "elapsed time over disk.rate and processes" in found.text
    assert all(f"{one['elapsed_s']:.6g}" in found.text for one in points)
    folder = tmp_path / "idle"
    folder.mkdir()
    words = [
        "--vary",
        "disk.rate=20 MB/s,100 MB/s,500 MB/s",
        "--vary",
        "pages.capacity=1GB,2GB,4GB",
    ]
    found, _ = swept(folder, *words)
    assert "the same for all values of pages.capacity within 0.5 %" in found.text
    assert "elapsed time over disk.rate and pages.capacity" not in found.text


def test_the_best_cell_is_the_strongest_of_times_and_of_rates(tmp_path: Path) -> None:
    numbers = ["--vary", "disk.rate=20 MB/s,100 MB/s,500 MB/s", "--vary", "processes=1,2,4"]
    _, points = swept(tmp_path, *numbers)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    for figure, label, choose in (
        ("elapsed_s", "elapsed time", min),
        ("read_MBps", "read rate", max),
    ):
        best = choose(points, key=lambda one: one[figure])
        named = f"disk.rate={best['disk.rate']}, processes={best['processes']}"
        begin = text.index(f"<title>{label} over disk.rate and processes: a cell for each point.")
        drawn = text[begin : text.index("</figure>", begin)]
        assert f"the best, {named}. Shades" in drawn
        cells = re.findall(r'fill-opacity="([\d.]+)"[^>]*><title>([^<]*)', drawn)
        strength = {value: float(opacity) for opacity, value in cells}
        assert strength[f"{best[figure]:.6g}"] == max(strength.values())
        worst = (max if choose is min else min)(points, key=lambda one: one[figure])
        assert strength[f"{worst[figure]:.6g}"] == min(strength.values()) < max(strength.values())
        assert len(re.findall(">\N{BLACK STAR} ", drawn)) == 1


def test_more_lines_than_a_plot_holds_are_the_lowest_and_the_highest(tmp_path: Path) -> None:
    three = ["--vary", RATES, "--vary", "processes=1,2,4", "--vary", "disk.seek=1 ms,5 ms,25 ms"]
    found, points = swept(tmp_path, *three)
    assert len(points) == 27
    assert "lowest of all points there" in found.text
    assert "9 curves" in found.text


def test_words_are_bars_and_their_texts_are_escaped(tmp_path: Path) -> None:
    found, points = swept(tmp_path, "--vary", "policy=posix,nwt")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "elapsed time over policy" in found.text
    assert 'class="e">' in text
    assert len(points) == 2


@pytest.mark.slow
@pytest.mark.compiled
def test_a_large_sweep_makes_a_small_page(tmp_path: Path) -> None:
    found, points = swept(
        tmp_path,
        "--vary",
        "disk.seek=1 ms..10 ms +250us",
        "--vary",
        "disk.rate=10MB/s..80MB/s +7MB/s",
    )
    assert len(points) > 300
    rows = found.tables["points"].rows[1:]
    assert len(rows) == 200
    order = sorted(one["elapsed_s"] for one in points)
    assert [row[3].value for row in rows] == order[:200]
    assert "The 200 fastest of" in found.text
    assert "disk.seek and disk.rate: a cell for each point." in found.text
    assert (tmp_path / "page.html").stat().st_size < 150_000


def test_a_part_has_its_points(tmp_path: Path) -> None:
    found, points = swept(tmp_path, "--vary", RATES, "--shard", "2/2")
    rows = found.tables["points"].rows[1:]
    assert [row[0].text for row in rows] == [one["disk.rate"] for one in points]


def test_going_on_gives_the_same_bytes(tmp_path: Path) -> None:
    swept(tmp_path, "--vary", RATES)
    before = (tmp_path / "page.html").read_bytes()
    swept(tmp_path, "--vary", RATES)
    assert (tmp_path / "page.html").read_bytes() == before


@pytest.mark.slow
@pytest.mark.real("chromium")
def test_a_browser_opens_it(tmp_path: Path) -> None:
    found, _ = swept(tmp_path, "--vary", RATES, "--limits")
    assert found.answer.partition(":")[0] in opened(tmp_path / "page.html", tmp_path / "profile")
