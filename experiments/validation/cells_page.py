"""The NWT on its page: what is predicted, what was fitted, how much is the seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.calibration import estimate_table

from ..nwt.prediction_tables import prediction_blocks
from .seeds import seeds_text

if TYPE_CHECKING:
    from simulator.study.ledger import Ledger

    from ..nwt.predictions import Predictions
    from .seeds import Seeds


def nwt_blocks(ledger: Ledger, predictions: Predictions, seeds: Seeds) -> list[str]:
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
    ]
