"""Curves in files: CSV and JSON have the same numbers, and keys.yaml each key."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.report.html.run import _axis
from simulator.result.curves import LEAST_SAMPLES, MOST_CELLS, SAMPLES, samples_for
from tests.docs.test_results_page import keys_in, nested
from tests.report.html.test_run_page import WRITES, written


def test_both_forms_have_the_same_numbers(tmp_path: Path) -> None:
    files = written(tmp_path, workload=WRITES)
    for name in ("curves.csv", "curves.json"):
        assert main(["run", *files, "--no-limits", "--curves", str(tmp_path / name)]) == 0
    record = json.loads((tmp_path / "curves.json").read_text(encoding="utf-8"))
    with (tmp_path / "curves.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [*record["stores"]] == ["node0.pages", "node1.pages"]
    for name, one in record["stores"].items():
        mine = [row for row in rows if row["store"] == name]
        assert [int(row["used_bytes"]) for row in mine] == one["used_bytes"]
        assert [int(row["dirty_bytes"]) for row in mine] == one["dirty_bytes"]
        times = range(0, record["end_ns"], record["width_ns"])
        assert [int(row["time_ns"]) for row in mine] == [*times]
        assert max(one["used_bytes"]) <= one["most_used_bytes"] <= one["capacity_bytes"]
        assert one["most_dirty_bytes"] <= one["most_used_bytes"]
    assert sum(record["calls"]["written_bytes"]) == 4_000_000
    assert sum(record["calls"]["read_bytes"]) == 0
    told = {one.removesuffix("[]") for one in keys_in("curves")}
    assert told == {one.removesuffix("[]") for one in nested(record)}


def test_the_report_is_the_same_with_curves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = written(tmp_path, workload=WRITES)
    said = []
    for more in ([], ["--curves", str(tmp_path / "c.csv")]):
        assert main(["run", *files, "--format", "json", *more]) == 0
        said.append(json.loads(capsys.readouterr().out))
    said[0].pop("repeated", None)
    assert said[0] == said[1]


@pytest.mark.parametrize("instances", [0, 1, 256, 257, 5000, 10**6])
def test_many_instances_have_fewer_bins(instances: int) -> None:
    bins = samples_for(instances)
    assert LEAST_SAMPLES <= bins <= SAMPLES
    assert bins * instances <= MOST_CELLS or bins == LEAST_SAMPLES
    assert bins == SAMPLES or 2 * bins * instances > MOST_CELLS


def test_a_capacity_is_a_tick_if_it_is_not_far_above() -> None:
    assert _axis("size", 900, 1000) == (
        1000.0,
        [(0.0, "0 B"), (0.25, "250 B"), (0.5, "500 B"), (0.75, "750 B"), (1.0, "capacity 1,000 B")],
    )
    assert _axis("size", 900, 4000) == _axis("size", 900, 0)
