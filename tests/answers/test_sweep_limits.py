"""``sweep --limits``: what limits each point, and where that changes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import nwtsim
from simulator.answers.limits import COLUMNS
from simulator.cli.main import main

pytestmark = pytest.mark.compiled

Capture = pytest.CaptureFixture[str]
VARY = ("--vary", "policy=nwt,nwt-predicted", "--vary", "buffer=600 kB,8 MB")
WORDS = ("sweep", "nwt", "test-write", *VARY, "--no-plot", "--jobs", "1")


def rows_in(folder: Path) -> list[dict[str, str]]:
    with (folder / "points.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_point_says_what_a_run_of_it_says(tmp_path: Path, capsys: Capture) -> None:
    assert main([*WORDS, "--limits", "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    rows = rows_in(tmp_path)
    assert {row["limit"] for row in rows} == {"array.count", "ssu.quota"}
    for row in rows:
        found = nwtsim.run("nwt", "test-write", policy=row["policy"], buffer=row["buffer"]).limits()
        assert (row["limit"], row["limit_kind"]) == (found.limiting, found.kind)
        assert float(row["limit_saves_s"]) == found.saves_s
        assert row["bottleneck"] == "array"
    assert "What limits changes:" in text
    assert "  policy nwt -> nwt-predicted (buffer=600 kB): array.count -> ssu.quota" in text
    assert "busiest    limit" in text


@pytest.mark.slow
def test_parts_make_the_whole_and_another_question_is_another_sweep(
    tmp_path: Path, capsys: Capture
) -> None:
    whole, merged = tmp_path / "whole", tmp_path / "merged"
    assert main([*WORDS, "--limits", "--out", str(whole)]) == 0
    parts = [tmp_path / "1", tmp_path / "2"]
    for number, part in enumerate(parts, 1):
        words = [*WORDS, "--limits", "--shard", f"{number}/2", "--out", str(part)]
        assert main(words) == 0
    assert main(["sweep", "--merge", *map(str, parts), "--no-plot", "--out", str(merged)]) == 0
    assert (whole / "points.csv").read_bytes() == (merged / "points.csv").read_bytes()
    manifest = json.loads((merged / "sweep.json").read_text())
    assert "--limits" in manifest["command"]
    capsys.readouterr()
    assert main([*WORDS, "--out", str(whole)]) == 2
    assert "another sweep" in capsys.readouterr().err
    assert main([*WORDS, "--out", str(tmp_path / "without")]) == 0
    assert not set(COLUMNS) & rows_in(tmp_path / "without")[0].keys()


def test_in_python_it_is_four_columns() -> None:
    swept = nwtsim.sweep(
        "workstation", "copy-file", {"disk.rate": ["60 MB/s", "120 MB/s"]}, limits=True,
        settings={"workload.files.*.size": "10 MB"},
    )  # fmt: skip
    assert [row["limit"] for row in swept] == ["disk.rate", "disk.rate"]
    assert "disk.rate" in str(swept).splitlines()[-1]
    assert all(set(COLUMNS) <= row.keys() for row in swept)
