"""What every study prints: verdicts on all that it lists, its record, its rows, its work."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from simulator.report.forms import FORMAT
from simulator.report.ledger import render_ledger
from simulator.study.studies import STUDIES
from simulator.study.study_file import load_study_file
from simulator.study.work import ALMOST
from tests.experiments.reproduced import work_told


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", STUDIES)
def test_a_study_prints_all_verdicts_and_counts_its_work_once(name: str) -> None:
    made, told = work_told(name)
    assert told == sorted(told)
    assert told[-2] > 0.9
    assert told.count(ALMOST) < 0.1 * len(told)
    assert made.passed
    file = load_study_file(name)
    text = render_ledger(made, "json")
    record = json.loads(text)
    assert record == {"format": FORMAT} | json.loads(json.dumps(made.to_json()))
    assert [one["id"] for one in record["cells"]] == [one.id for one in file.figures]
    assert [one["id"] for one in record["claims"]] == [one.id for one in file.claims]
    said = render_ledger(made, "table")
    for one in record["cells"]:
        assert one["id"] in said
        assert (one["verdict"] == "contradicted") == ("why" in one)
    for one in record["claims"]:
        assert re.search(rf"^{one['id']} +{one['verdict']} ", said, re.MULTILINE), one["id"]
    rows = list(csv.DictReader(io.StringIO(render_ledger(made, "csv"))))
    assert [one["id"] for one in rows] == [one.id for one in file.figures]
    for row, cell in zip(rows, record["cells"], strict=True):
        assert float(row["simulated"]) == pytest.approx(
            cell["simulated"]["mean"], rel=1e-6, abs=1e-6
        )
