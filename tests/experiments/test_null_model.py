"""The model without a machine: it finds what made its data, and knows what they do not tell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.experiments.nwt.formulas import NAMES, Group, fit_null, group_of
from simulator.study.study_file import Cell, load_study

CELLS = load_study("nwt").cells
TRUE = (4.0, 8.0, 12.0, 2.5e6, 14.0, 11.0)


def made_by(values: tuple[float, ...]) -> list[Cell]:
    """The NWT's cells, with means that the model itself has."""
    return [replace(one, mean=group_of("nwt", one).rate(values)) for one in CELLS]


def test_every_cell_has_a_group() -> None:
    groups = {one.id: group_of("nwt", one) for one in CELLS}
    assert groups["read-4pe-8MB"] == Group("read in parallel", 512_000_000, 8_000_000)
    assert groups["write-120MB-600kB-predicted"] == Group("write, predicted", 120_000_000, 600_000)
    assert groups["write-4pe-8MB"].name == "write, 512 MB and 8 MB"
    assert groups["write-120MB-8MB"].name == groups["write-4pe-600kB"].name == "write"


def test_it_finds_the_numbers_that_made_its_data() -> None:
    cells = made_by(TRUE)
    fit = fit_null("nwt", cells)
    assert list(fit.values) == list(NAMES)
    assert tuple(fit.values.values()) == pytest.approx(TRUE, rel=1e-5)
    for one in cells:
        assert fit.fitted[one.id] == pytest.approx(one.mean)
        assert fit.predicted[one.id] == pytest.approx(one.mean, rel=1e-5)


def test_a_cell_that_is_left_out_does_not_take_part() -> None:
    cells = made_by(TRUE)
    wrong = [replace(one, mean=2 * one.mean) if one.id == "write-1pe-8MB" else one for one in cells]
    assert fit_null("nwt", wrong).predicted["write-1pe-8MB"] == pytest.approx(TRUE[5], rel=1e-5)
    assert fit_null("nwt", wrong).predicted["write-4pe-8MB"] == pytest.approx(2 * TRUE[5], rel=1e-5)


def test_what_the_other_tables_do_not_determine_has_no_prediction() -> None:
    kept = [one for one in CELLS if one.table != "4.3"]
    others = [one for one in CELLS if one.table == "4.3"]
    fit = fit_null("nwt", kept, others)
    assert NAMES[2] not in fit.values
    assert fit.predicted["write-120MB-600kB-predicted"] is None
    assert fit.predicted["write-120MB-8MB"] == pytest.approx(fit.values["write, MB/s"])
    one_buffer = [one for one in CELLS if "600kB" not in one.id]
    assert set(fit_null("nwt", one_buffer).values) == {
        "write, MB/s",
        "write, 512 MB and 8 MB, MB/s",
    }


def test_it_has_the_tables_as_well_as_the_simulator_and_predicts_them_worse() -> None:
    fit = fit_null("nwt", CELLS)
    assert sum(one.holds(fit.fitted[one.id]) for one in CELLS) == 12
    assert sum(one.holds(fit.predicted[one.id] or 0) for one in CELLS) == 9
