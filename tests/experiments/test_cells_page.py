"""The NWT on the page of validation: predictions stand before what was fitted, and before cells."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from experiments.validation import page
from simulator.experiments.nwt.prediction_tables import predicted_blocks, prediction_blocks
from simulator.experiments.nwt.predictions import ModelPredictions, Predicted, Predictions
from simulator.experiments.validation.seeds import SeedCount, Seeds
from simulator.report import first_screen
from simulator.study.study_file import load_study
from tests.study.test_studies import ledger

CELLS = load_study("nwt").cells
FIRST, LAST = CELLS[0], CELLS[-1]


def guesses(name: str, left_out: float, held_out: tuple[float, ...]) -> ModelPredictions:
    """A model of one cell that is left out, and one that is held out."""
    one = (Predicted(FIRST, (FIRST.mean,)),)
    left = (Predicted(FIRST, (left_out,)),)
    return ModelPredictions(name, 5, one, left, (Predicted(LAST, held_out),))


def made() -> Predictions:
    """Two models; the second knows nothing of the held-out cell."""
    models = (guesses("simulator", 120.0, (80.0, 30.0)), guesses("without a machine", 99.0, ()))
    fit = SimpleNamespace(estimates=[1, 2, 3, 4, 5], fitted=[None] * 12)
    return Predictions(models, ("paths.rate",), "paths.rate at 1 and 2 MB/s", cast(Any, fit))


def test_what_is_not_determined_is_no_hit() -> None:
    text = "\n".join(prediction_blocks(made()))
    (row,) = (line.split() for line in text.splitlines() if line.startswith(FIRST.id))
    assert row[-6:] == ["120.0", "-1.1%", "mean", "99.0", "-18.4%", "OUTSIDE"]
    assert "30 - 80" in text
    assert "80.0" not in text
    assert text.count("not determined") == 2 + 2  # in the table, and counted for each model
    assert "simulator: 0 of 0, 1 not determined" in text
    assert "many values of each fit equally" in text
    assert all(len(line) <= 160 for line in text.splitlines())


def test_a_study_without_tables_of_runs_has_no_such_blocks() -> None:
    assert predicted_blocks(ledger()) == []


@pytest.mark.parametrize("compiled", [False, True])
def test_without_the_native_engine_the_fits_are_left_out(
    monkeypatch: pytest.MonkeyPatch, compiled: bool
) -> None:
    monkeypatch.setattr(first_screen, "has_kernel", lambda: compiled)
    monkeypatch.setattr("simulator.experiments.nwt.predictions.predictions", lambda _: made())
    one = SimpleNamespace(figure=SimpleNamespace(runs=(1.0,)))
    made_of = SimpleNamespace(figures=[one], study=SimpleNamespace(name="nwt"))
    blocks = predicted_blocks(cast(Any, made_of))
    assert ("takes minutes without a C++ compiler" in blocks[0]) == (not compiled)
    assert (len(blocks) > 1) == compiled


def test_predictions_come_before_fitted_values_and_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "estimate_table", lambda *_: "ESTIMATES")
    counts = (SeedCount("stratified", (), {}, 9), SeedCount("free", (), {"a": 1, "b": 2}, 7))
    seeds = Seeds("nwt", 3, 10, CELLS, counts)
    text = "\n".join(page.nwt_blocks(ledger(), made(), seeds))
    wanted = ["leave-one-out", "ESTIMATES", "of 10 (from 3 on)", "9 of 10."]
    assert [text.index(one) for one in wanted] == sorted(text.index(one) for one in wanted)
    assert "7 of 10; outside, with how many seeds: b 2, a 1." in text
