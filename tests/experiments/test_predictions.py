"""Predictions of cells that took no part in a fit, and how they are shown."""

from __future__ import annotations

import pytest

from simulator.experiments.nwt.prediction_tables import prediction_blocks
from simulator.experiments.nwt.predictions import HELD_OUT, Predicted, rms
from simulator.study.calibrate import calibrated
from simulator.study.fits import study_fit, study_text
from simulator.study.study_file import load_study
from tests.experiments.reproduced import predicted

STUDY = load_study("nwt")
CELL = STUDY.cells[4]  # 13.9 to 15.9


def test_a_table_that_is_held_out_takes_no_part() -> None:
    fit = study_fit(STUDY, ("4.3",))
    assert [one.name for one in fit.held_out] == [
        one.id for one in STUDY.cells if one.table == "4.3"
    ]
    assert len(fit.measurements) == 8
    assert "held_out" not in study_text(STUDY)


def test_a_value_that_is_fixed_hardly_moves() -> None:
    path = "machine.parts.channel.rate.write"
    one = study_fit(STUDY, fixed={path: "50 MB/s"}).parameters[path]
    assert (one.start, one.low, one.high) == ("50 MB/s", "49.95 MB/s", "50.05 MB/s")


def test_a_prediction_that_an_undetermined_value_moves_is_none() -> None:
    assert Predicted(CELL, (14.0, 13.9, 14.5)).verdict == "inside"
    assert Predicted(CELL, (14.0, 13.8, 14.4)).verdict == "at the edge"
    assert not Predicted(CELL, (14.0, 13.8, 14.4)).inside
    assert Predicted(CELL, (13.8, 13.7)).verdict == "OUTSIDE"
    assert Predicted(CELL, ()).verdict == "not determined"
    assert not Predicted(CELL, (14.0, 13.0, 14.5)).determined
    assert not Predicted(CELL, (14.0, 13.0, 14.5)).inside
    assert not Predicted(CELL, (13.8,)).inside
    assert not Predicted(CELL, ()).determined
    off = [Predicted(CELL, (CELL.mean + 2.0,)), Predicted(CELL, (CELL.mean,))]
    assert rms(off) == pytest.approx(0.5**0.5)  # the range is 2 MB/s
    assert rms([Predicted(CELL, ())]) != rms([Predicted(CELL, ())])


@pytest.mark.slow
def test_the_simulator_predicts_more_cells_than_a_model_without_a_machine() -> None:
    made = predicted("nwt")
    simulator, null = made.models
    quick = calibrated(study_fit(STUDY), left_out=False)
    assert [one.value for one in quick.estimates] == [
        one.value for one in made.calibration.estimates
    ]
    assert not any(one.predicted for one in quick.fitted)
    assert [one.rates[0] for one in simulator.left_out] == pytest.approx(
        [(one.predicted or 0) / 1e6 for one in made.calibration.fitted]
    )
    assert [sum(cell.inside for cell in one.left_out) for one in (simulator, null)] == [11, 9]
    assert [sum(cell.inside for cell in one.fitted) for one in (simulator, null)] == [12, 12]
    assert simulator.rms < null.rms == pytest.approx(0.196, abs=0.001)
    assert {one.cell.table for one in simulator.held_out} == set(HELD_OUT)
    for one in (simulator, null):  # what writing costs without a rewrite is in no other table
        undetermined = {cell.cell.id for cell in one.held_out if not cell.determined}
        assert undetermined == {"write-120MB-600kB-predicted", "write-120MB-8MB-predicted"}
    outside = [cell.cell.id for cell in simulator.held_out if cell.verdict == "OUTSIDE"]
    assert outside == ["write-120MB-600kB"]  # by 0.1 MB/s: docs/decisions/0048
    assert not any(cell.verdict == "OUTSIDE" for cell in null.held_out)
    text = "\n".join(prediction_blocks(made))
    assert text.index("leave-one-out") < text.index("not determined")
    assert "33 - 89" in text  # Not at which rate that fit ends, which hangs on its last digits.
    assert text.count("OUTSIDE") == 5
