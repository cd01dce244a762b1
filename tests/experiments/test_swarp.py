"""SWarp: frozen predictions are those of the model, fitted to the open series."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from experiments.swarp.__main__ import FROZEN, KEYS, PARTS, compare, formula, judged, main, series
from experiments.swarp.model import FOLDER, Asked, asked, computing_s, fitted, predict, workflow

ONE = Asked("cori", "private", "Y", 32, 1, 32)


def of(one: Asked) -> dict[str, str]:
    return {key: str(getattr(one, key)) for key in KEYS}


def test_every_run_is_predicted_and_nothing_has_changed_since() -> None:
    assert FROZEN.intact()
    made = FROZEN.rows("predictions.csv")
    assert [{key: row[key] for key in KEYS} for row in made] == [of(one) for one in asked()]
    for row in FROZEN.rows("open.csv"):
        assert FROZEN.key(row) in FROZEN.predicted()


@pytest.mark.compiled
@pytest.mark.parametrize(
    "one",
    [
        ONE,
        replace(ONE, mode="striped", fits="N", files=8),
        replace(ONE, cores=1, pipelines=8, fits="N", files=0),
        Asked("summit", "local", "N", 4, 2, 16),
    ],
)
def test_the_model_still_predicts_what_was_frozen(one: Asked) -> None:
    made, row = predict(one), FROZEN.predicted()[FROZEN.key(of(one))]
    assert [round(getattr(made, part), 2) for part in PARTS] == [float(row[part]) for part in PARTS]


def test_fitted_values_follow_from_the_open_series() -> None:
    found = fitted()
    machine = yaml.safe_load((FOLDER / "cori.yaml").read_text("utf-8"))["parts"]
    for part, byte_s in (("lustre-client", found.pfs_s), ("datawarp-client", found.buffer_s)):
        assert machine[part]["rate"]["value"] == f"{1e-6 / byte_s:.1f} MB/s"
        assert machine[part]["rate"]["source"].startswith("calibrated")
    for task in ("resample", "combine"):
        assert workflow()[task]["compute_s"] == round(found.compute_s[task], 2)
        assert workflow()[task]["serial"] == pytest.approx(found.serial[task], abs=1e-4)


@pytest.mark.compiled
def test_one_pipeline_by_hand() -> None:
    """Each byte takes a stream's time and its share of all; each file one open."""
    lustre, datawarp = 1 / 227.6e6 + 1 / 1e9, 1 / 534.1e6 + 1 / 6.5e9
    staged, resampled, combined = 768 * 2**20, 32 * workflow()["resampled"], 2 * 51.84e6
    made = predict(ONE)
    by_hand = staged * (lustre + datawarp) + 32 * 2.1e-3
    assert made.stage_in == pytest.approx(by_hand, rel=1e-4)
    by_hand = (staged + resampled) * datawarp + 64 * 0.8e-3 + 13.54
    assert made.resample == pytest.approx(by_hand, rel=1e-4)
    by_hand = (resampled + combined) * datawarp + 34 * 0.8e-3 + 15.74
    assert made.combine == pytest.approx(by_hand, rel=1e-4)
    assert made.stage_out == pytest.approx(combined * (lustre + datawarp) + 2 * 2.1e-3, rel=1e-4)


@pytest.mark.compiled
def test_many_pipelines_share_the_file_system_and_the_staged_inputs() -> None:
    many = predict(replace(ONE, cores=1, pipelines=32, fits="N", files=0))
    one = predict(replace(ONE, cores=1, fits="N", files=0))
    moved = 32 * (768 * 2**20 + 32 * workflow()["resampled"]) / 1e9
    assert many.resample > one.resample
    assert many.resample >= moved
    staged = replace(ONE, cores=1, pipelines=2)
    assert predict(staged).stage_in == predict(replace(staged, pipelines=1)).stage_in


def test_computing_scales_by_amdahl() -> None:
    serial = workflow()["resample"]["serial"]
    twelve, all_cores = (computing_s("resample", replace(ONE, cores=n)) for n in (12, 32))
    ratio = (serial + (1 - serial) / 12) / (serial + (1 - serial) / 32)
    assert twelve / all_cores == pytest.approx(ratio)
    assert computing_s("combine", replace(ONE, machine="summit")) == pytest.approx(15.74 / 1.335)


def test_predictions_are_judged_beside_formulas_and_the_peer() -> None:
    results = FROZEN.rows("open.csv")
    page = compare(results)
    assert "cori private Y                         0.8  6.5" in page
    worse = [{**row, "makespan": str(2 * float(row["makespan"]))} for row in results]
    assert all(
        abs(here.simulated) < abs(far.simulated)
        for here, far in zip(judged(results, "makespan"), judged(worse, "makespan"), strict=True)
    )
    strange = {**results[0], "cores": "5"}
    assert "1 results have no prediction" in compare([*results, strange])
    assert formula(results[4]).makespan == pytest.approx(float(results[4]["makespan"]), rel=0.02)
    half = formula({**results[4], "cores": "16"})
    assert half.combine == pytest.approx(2 * formula(results[4]).combine)


def test_series_are_those_of_the_peer() -> None:
    peer = yaml.safe_load((FOLDER / "peer.yaml").read_text("utf-8"))
    named = {series(of(one)) for one in asked()}
    assert set(peer) <= named
    assert named - set(peer) == {"cori pipelines"}


def test_what_is_no_question_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "nothing.csv"]) == 2
    assert "usage: python -m experiments.swarp" in capsys.readouterr().err
