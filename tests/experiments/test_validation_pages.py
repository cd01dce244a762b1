"""The pages in docs/validation say what runs say today: nothing on them is written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.experiments.nwt.prediction_tables import _rates, prediction_blocks
from simulator.experiments.nwt.predictions import Predicted
from simulator.experiments.validation.assumption_tables import assumption_section
from simulator.experiments.validation.blind import blind_page
from simulator.experiments.validation.in_a_minute import mutants_summary
from simulator.experiments.validation.ledger_page import study_page, unpadded
from simulator.experiments.validation.null_tables import null_section
from simulator.experiments.validation.nulls import null_study
from simulator.experiments.validation.reality import reality_page, reality_summary
from simulator.report.calibration import estimate_table
from simulator.study.studies import STUDIES
from simulator.study.study_file import load_study
from tests.experiments.reproduced import predicted, reproduced


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(one, marks=[] if one in ("nwt", "orion") else [pytest.mark.long])
        for one in STUDIES
    ],
)
def test_the_page_of_a_study_has_its_runs(name: str, root: Path) -> None:
    made = reproduced(name)
    blocks = [study_page(made).rstrip("\n"), *null_section(null_study(made))]
    if name == "nwt":
        known = predicted(name)
        blocks += prediction_blocks(known, "github")
        blocks.append(estimate_table(known.calibration))
    page = (root / "docs" / "validation" / f"{name}.md").read_text(encoding="utf-8")
    lines = [line for one in blocks for line in unpadded(one).split("\n")]
    assert [line for line in lines if line not in page.split("\n")] == []
    assert all(unpadded(one) in page for one in blocks)


def test_where_a_fit_determines_nothing_no_rate_of_it_is_printed() -> None:
    """Where such a fit ends hangs on the last digits of a library: 70.3 here, 71.2 elsewhere."""
    cell = load_study("nwt").cells[9]
    told = {_rates(Predicted(cell, rates)) for rates in ((70.3, 32.7, 88.7), (71.2, 32.9, 88.7))}
    assert told == {"33 - 89"}
    assert _rates(Predicted(cell, (15.06, 15.02, 15.1))) == "15.1 (15.0 - 15.1)"
    assert _rates(Predicted(cell, ())) == "-"


def test_what_was_measured_once_is_on_the_pages_as_it_is_kept(root: Path) -> None:
    """Errors put into the model, real programs, other machines: stored, then summed up."""
    docs = root / "docs"
    front = (docs / "validation.md").read_text(encoding="utf-8")
    assert f"- {mutants_summary()}\n" in front
    assert f"- {reality_summary()}\n" in front
    assert (docs / "validation" / "reality.md").read_text(encoding="utf-8") == reality_page()
    assert (docs / "validation" / "blind.md").read_text(encoding="utf-8") == blind_page()
    for name in STUDIES:
        page = (docs / "validation" / f"{name}.md").read_text(encoding="utf-8")
        assert all(unpadded(one) in page for one in assumption_section(name))
