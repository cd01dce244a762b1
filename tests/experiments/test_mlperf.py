"""MLPerf Storage: frozen predictions are those of the model, and are judged as they say."""

from __future__ import annotations

from collections import Counter

import pytest

from experiments.mlperf.__main__ import FROZEN, compare, formula, judged, main
from experiments.mlperf.model import asked, models, rows, utilisation


def test_every_report_is_predicted_and_nothing_has_changed_since() -> None:
    made = rows("predictions.csv")
    wanted = [(one.submitter, one.system, one.model, one.accelerator) for one in asked()]
    assert [FROZEN.key(row)[:4] for row in made] == wanted
    assert len(made) == 132
    assert FROZEN.intact()
    for row in made:
        assert float(row["utilisation"]) >= models()[row["model"]]["valid"]
        assert int(row["fed"]) >= 1


def test_the_open_results_are_of_reports_that_were_asked() -> None:
    reports = Counter(FROZEN.key(row) for row in rows("configurations.csv"))
    for row in rows("open.csv"):
        assert reports[FROZEN.key(row)] == 1


@pytest.mark.compiled
def test_the_model_still_predicts_what_was_frozen() -> None:
    few = [one for one in asked() if one.model == "unet3d" and one.accelerators <= 3]
    frozen = {
        (row["system"], row["accelerators"]): float(row["utilisation"])
        for row in rows("predictions.csv")
        if row["model"] == "unet3d"
    }
    assert len(few) > 3
    for one in few[:4]:
        found = max(utilisation(one, one.accelerators), one.loop["valid"])
        assert round(found, 4) == frozen[one.system, str(one.accelerators)]


@pytest.mark.compiled
def test_a_storage_that_is_too_slow_feeds_fewer() -> None:
    """A closed loop: at most what the storage gives, and no more than the accelerators take."""
    (one,) = (
        one
        for one in asked()
        if one.system.startswith("Micron_9400") and (one.model, one.accelerators) == ("unet3d", 2)
    )
    demand = 2 * one.loop["record"] * one.loop["reads"] / one.loop["time_s"]
    assert utilisation(one, 2) <= 7.0e9 / demand
    assert utilisation(one, 4) == pytest.approx(7.0e9 / (2 * demand), rel=0.05)


def test_predictions_are_judged_beside_a_formula() -> None:
    results = rows("open.csv")
    table = compare(results)
    assert len(table.splitlines()) == 8
    worse = [{**row, "samples_per_s": str(2 * float(row["samples_per_s"]))} for row in results]
    assert "100.0 %" in compare(worse) or "within 10 %" in compare(worse)
    assert all(
        abs(here.simulated) < abs(far.simulated)
        for here, far in zip(judged(results), judged(worse), strict=True)
    )
    row = results[0]
    assert formula(row) == pytest.approx(float(row["samples_per_s"]), rel=0.05)


def test_what_is_no_question_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "nothing.csv"]) == 2
    assert "usage" in capsys.readouterr().err
