"""The NWT in production: tables, closed forms, a short run of all, and the page."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import pytest

from experiments.nwt.centre import claims, months, years
from experiments.nwt.centre.page import production_page
from experiments.nwt.centre.runs import CHANGES, CentreRuns
from experiments.nwt.tables import tables
from simulator.cli.main import main
from simulator.report.forms import written
from simulator.result.record import record_of
from simulator.run import load_plan, run_plan


@cache
def short() -> CentreRuns:
    """A hundredth of all runs; one for all tests."""
    return CentreRuns(share=0.02)


def test_hours_of_power_are_those_of_the_tables_by_hand() -> None:
    assert round(years.hours_on("H5")) == round(193_393 / 0.3389 / 140)
    assert round(years.hours_on("H9")) == round(1_018_743 / 0.8350 / 166)
    assert years.hours_on("H9") * 166 / 140 / 8760 == pytest.approx(0.995, abs=0.0005)


@pytest.mark.parametrize("name", tables().years)
@pytest.mark.parametrize("label", years.CLASSES)
def test_a_mix_has_the_jobs_and_pe_hours_of_the_tables(name: str, label: str) -> None:
    rows = years.mix(label, name)
    at = years.year(name)
    each = tables().cpu_time.rows[label][at] / tables().jobs.rows[label][at]
    assert math.fsum(share for _, share, _ in rows) == pytest.approx(1)
    assert math.fsum(pes * share * hours for pes, share, hours in rows) == pytest.approx(each)


@pytest.mark.slow
def test_a_year_offers_the_load_of_the_tables() -> None:
    waits = years.Year("H9", "easy", share=0.1).run(seed=2)
    assert waits.utilisation == pytest.approx(0.835, abs=0.05)
    strict = years.Year("H8", "none", share=0.02, backlog=True).run()
    easy = years.Year("H8", "easy", share=0.02, backlog=True).run()
    assert strict.utilisation < 0.65
    assert easy.utilisation > 0.9


def test_the_constants_are_what_the_fit_finds() -> None:
    assert months.calibrate() == months.constants()


def test_rank_correlation_with_ties() -> None:
    assert months.rank_correlation([1, 2, 2, 3], [1, 2, 2, 3]) == pytest.approx(1)
    assert months.rank_correlation([1, 2, 3, 4], [2, 1, 4, 3]) == pytest.approx(0.6)


def test_table_4_1_of_a_short_run_has_all_rows_and_no_transfer_that_is_negative() -> None:
    made = months.Months(share=0.004).run()
    assert set(made.rates) == {row.pes for row in tables().production}
    assert all(0 < share < 1 for share in made.transfer_share.values())
    assert made.jobs == sum(count for _, count, _ in months.Months(share=0.004)._counts())


def test_without_prestaging_jobs_take_longer() -> None:
    staged, cold = (months.Months(0.004, staged=staged).run() for staged in (True, False))
    assert cold.mean_MBps < staged.mean_MBps


def test_each_prediction_has_its_figures() -> None:
    assert {one.id for one in claims.predictions()} == set(claims.FIGURES)
    found = claims.outcomes(short())
    assert [set(one.found) >= set(one.prediction.figures) for one in found].count(False) == 0


def test_a_figure_outside_of_its_range_is_a_contradiction() -> None:
    one = claims.Prediction("x", "runs", "", {"a": (1.0, 2.0), "b": (0.0, 1.0)})
    assert claims.Outcome(one, {"a": 2.0, "b": 0.5}).holds
    assert claims.Outcome(one, {"a": 2.1, "b": 0.5}).wrong == ["a"]


def test_the_page_has_the_tables_beside_the_simulators() -> None:
    page = production_page(short())
    text = written(page, "table", full=True)
    for words in ("152,954", "1,018,743", "Table 4.1", "not-the-mix", "3,781", "contradicted"):
        assert words in text
    record = json.loads(written(page, "json"))
    assert [one["id"] for one in record["predictions"]][:2] == ["unit", "power"]
    assert record["years"]["H9"]["jobs"] == 152_954
    assert written(page, "html").count("<table") >= 3


@pytest.mark.slow
def test_each_change_is_a_machine() -> None:
    for change in CHANGES:
        months.Months(0.004, change.staged, change.policy).plan(change.machine)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("reproduce ninf --production", "only nwt"),
        ("reproduce nwt --production --ablate", "--ablate"),
        ("reproduce nwt --production --runs 3", "--runs"),
    ],
)
def test_what_does_not_go_with_it_is_refused(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    assert said in capsys.readouterr().err


def test_the_stored_run_is_of_all_rows(tmp_path: Path) -> None:
    del tmp_path
    stored = months.stored()
    assert set(stored["run"]["rates"]) == {row.pes for row in tables().production}


@pytest.mark.slow
def test_the_life_of_a_job_in_the_queue_is_the_same_on_both_engines() -> None:
    """All nine kinds of data of table 3.1, with printed output by SVIO, which is copied later."""
    settings = [
        ("machine.nodes.pe.queue.backfill", "easy"),
        ("workload.jobs.0.submit.every", "1 min"),
        ("workload.jobs.0.submit.count", "2"),
    ]
    plan = load_plan("nwt", "nwt-job", settings=settings)
    records = [record_of(run_plan(plan, engine=one)) for one in ("native", "reference")]
    for record in records:
        del record["engine"]
        del record["why"]
    assert records[0] == records[1]
    assert records[0]["end_ns"] > records[0]["elapsed_ns"]
