"""The NWT on its page: what is predicted, what was fitted, how much is the seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.report.calibration import estimate_table
from simulator.run import load_plan, run_plan
from simulator.study.study import load_study

from ..nwt.prediction_tables import prediction_blocks
from .ledger_page import table
from .seeds import seeds_text

if TYPE_CHECKING:
    from simulator.study.ledger import Ledger

    from ..nwt.predictions import Predictions
    from .seeds import Seeds

RECORDS = [
    "1",
    "4",
    "16",
    "32",
    "40",
    "50",
    "64",
    "80",
    "100",
    "160",
    "250",
    "500",
    "1000",
    "2000",
    "4000",
]
"""Record lengths in kB for which the cells are run again. All divide 512 MB and 120 MB: a last
record that is shorter breaks the prediction, and its length is rewritten after a seek."""


def record_table(name: str) -> list[list[str]]:
    """Rows of (record length, cells inside, cells outside), without noise."""
    study = load_study(name)
    rows = []
    for record in RECORDS:
        outside = []
        for cell in study.cells:
            settings = (*cell.settings, ("record", f"{record} kB"))
            result = run_plan(load_plan(study.machine, cell.workload, settings=settings))
            if not cell.holds(result.rate(cell.work) / 1e6):
                outside.append(cell.id)
        inside = len(study.cells) - len(outside)
        rows.append([f"{record} kB", f"{inside} of {len(study.cells)}", ", ".join(outside)])
    return rows


def nwt_blocks(
    ledger: Ledger, predictions: Predictions, seeds: Seeds, records: Sequence[Sequence[str]]
) -> list[str]:
    """What the page of the NWT has besides: what the fit predicts, what was fitted, the seed."""
    calibration = predictions.calibration
    every, means = len(ledger.calibrated), len(calibration.estimates)
    return [
        "## What the model predicts",
        "Every cell of the tables took part in the fit, so their verdicts are *calibrated*. What "
        "the model can predict is here.",
        *prediction_blocks(predictions, "github"),
        "## What was fitted",
        f"{every} values of the machine are fitted, {means} to the means of the cells and "
        f"{every - means} to the spread of the runs only. The {means} are fitted to the "
        f"{len(calibration.fitted)} means by least squares on the simulator itself, without "
        "noise (`nwtsim calibrate nwt`); their uncertainties are standard errors from the scatter "
        "of the residuals. The others are standard deviations of service times between runs: they "
        "move no mean, and are taken from the range of the paper's runs.",
        estimate_table(calibration, "github"),
        "## Seeds",
        seeds_text(seeds),
        "## The length of the records",
        "The paper does not give the record length of its test job; 64 kB is assumed. Without "
        "noise and with the machine unchanged, the cells come out as follows. (All these lengths "
        "divide the files: a shorter last record breaks the prediction, and costs a write-back.)",
        table(records, ["record", "cells inside", "outside"]),
    ]
