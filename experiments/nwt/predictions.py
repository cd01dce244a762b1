"""Predictions of cells outside of a fit, by the simulator and by formulas.

Each cell is predicted by a fit to all others, and the cells of some tables by a fit to the other
tables. Undetermined values are set to half and to twice the machine's value, and the rest is fitted
again: a cell that changes with them is not predicted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import TYPE_CHECKING

from simulator.study.calibrate import calibrated
from simulator.study.fits import study_fit
from simulator.study.study_file import load_study

from .formulas import NAMES, fit_null
from .intervals import mean_interval

if TYPE_CHECKING:
    from simulator.study.calibration import Calibration
    from simulator.study.parameters import Parameter
    from simulator.study.study_file import Cell, StudyFile

HELD_OUT = ("4.3",)
"""Tables predicted from all others."""
_ALONE = 0.05
"""Maximum relative change of a prediction that is independent of a value."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """A prediction of one cell by a model that was not fitted to it; in MB/s."""

    cell: Cell
    rates: tuple[float, ...]
    """Several where values are not determined, one for each tried; none: no answer."""

    @property
    def determined(self) -> bool:
        """True if there is a prediction, and no undetermined value changes it."""
        return bool(self.rates) and max(self.rates) <= min(self.rates) * (1 + _ALONE)

    @property
    def inside(self) -> bool:
        """True if it is determined, and in the range of the paper's runs with every value tried."""
        return self.determined and all(self.cell.holds(rate) for rate in self.rates)

    @property
    def error(self) -> float | None:
        """Relative error of the prediction; None if there is none."""
        return self.rates[0] / self.cell.mean - 1 if self.determined else None

    @property
    def in_mean(self) -> bool:
        """True if it is in the 95 % interval of the mean of the paper's runs, by Student's t."""
        low, high = mean_interval(self.cell)
        return self.determined and all(low <= rate <= high for rate in self.rates)

    @property
    def verdict(self) -> str:
        """``inside``, ``OUTSIDE``, ``not determined``; ``at the edge`` if only some are inside."""
        if not self.determined:
            return "not determined"
        if self.inside:
            return "inside"
        return "at the edge" if any(self.cell.holds(rate) for rate in self.rates) else "OUTSIDE"


@dataclass(frozen=True, slots=True)
class ModelPredictions:
    """Predictions of one model."""

    name: str
    values: int
    """Number of its fitted values."""
    fitted: tuple[Predicted, ...]
    """Each cell by the fit to all of them."""
    left_out: tuple[Predicted, ...]
    """Each cell by a fit to all others."""
    held_out: tuple[Predicted, ...]
    """The cells of :data:`HELD_OUT` by a fit to the other tables."""

    @property
    def rms(self) -> float:
        """Root mean square of the fit's deviations, in ranges of the paper's runs."""
        return rms(self.fitted)

    @property
    def median_error(self) -> float:
        """Median error of left-out cells, nan without any."""
        errors = [abs(one.error) for one in self.left_out if one.error is not None]
        return median(errors) if errors else math.nan

    @property
    def in_mean(self) -> int:
        """Left-out cells predicted within the 95 % interval of their mean."""
        return sum(one.in_mean for one in self.left_out)

    @property
    def summary(self) -> str:
        """Quality of the predictions of left-out cells, in words."""
        return (
            f"median error {self.median_error * 100:.1f} %, {self.in_mean} of "
            f"{len(self.left_out)} in the 95 % interval of the mean of the paper's runs "
            f"(Student's t), {sum(one.inside for one in self.left_out)} in their range"
        )


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predictions of the simulator and of formulas, and the values that the tables determine."""

    models: tuple[ModelPredictions, ...]
    undetermined: tuple[str, ...]
    """Values of the machine that the fitted tables do not determine."""
    tried: str
    """The undetermined value that was set, and its values."""
    calibration: Calibration
    """The simulator's fit to all cells."""


def rms(cells: Sequence[Predicted]) -> float:
    """Return the root mean square of (rate - mean) / range over cells, nan if one has no rate."""
    off = [
        (one.rates[0] - one.cell.mean) / (one.cell.high - one.cell.low) if one.rates else math.nan
        for one in cells
    ]
    return math.sqrt(sum(one * one for one in off) / len(off))


@cache
def predictions(name: str) -> Predictions:
    """Fit both models to a study, without each cell in turn and without the held-out tables."""
    study = load_study(name)
    calibration = calibrated(study_fit(study))
    first = calibrated(study_fit(study, HELD_OUT), left_out=False)
    loose = [one for one in first.estimates if one.error is None]
    fits, tried = [first], ""
    if loose:
        one = loose[0].parameter
        values = [one.shown(one.rounded(one.current * factor)) for factor in (0.5, 2)]
        tried = f"{one.name} at {' and '.join(values)}"
        fits += [_fixed(study, one, value) for value in values]
    simulator = ModelPredictions(
        name="simulator",
        values=len(calibration.estimates),
        fitted=_of(study, {one.measure.name: (one.simulated,) for one in calibration.fitted}),
        left_out=_of(
            study,
            {
                one.measure.name: () if one.predicted is None else (one.predicted,)
                for one in calibration.fitted
            },
        ),
        held_out=_of(study, _held_out(fits)),
    )
    undetermined = tuple(one.parameter.name for one in loose)
    return Predictions((simulator, _null(study)), undetermined, tried, calibration)


def _fixed(study: StudyFile, one: Parameter, value: str) -> Calibration:
    fixed = {".".join(filter(None, (one.path, one.key))): value}
    return calibrated(study_fit(study, HELD_OUT, fixed), left_out=False)


def _held_out(fits: Sequence[Calibration]) -> dict[str, tuple[float, ...]]:
    each = [{one.measure.name: one.simulated for one in fit.held_out} for fit in fits]
    return {name: tuple(one[name] for one in each) for name in each[0]}


def _of(study: StudyFile, rates: dict[str, tuple[float, ...]]) -> tuple[Predicted, ...]:
    """Return the predictions of cells, from bytes per second by the cell's name."""
    return tuple(
        Predicted(one, tuple(rate / 1e6 for rate in rates[one.id]))
        for one in study.cells
        if one.id in rates
    )


def _null(study: StudyFile) -> ModelPredictions:
    every = fit_null(study.machine, study.cells)
    kept = [one for one in study.cells if one.table not in HELD_OUT]
    others = [one for one in study.cells if one.table in HELD_OUT]
    held = fit_null(study.machine, kept, others)

    def predicted(cell: Cell, rate: float | None) -> Predicted:
        return Predicted(cell, () if rate is None else (rate,))

    return ModelPredictions(
        name="without a machine",
        values=len(NAMES),
        fitted=tuple(predicted(one, every.fitted[one.id]) for one in study.cells),
        left_out=tuple(predicted(one, every.predicted[one.id]) for one in study.cells),
        held_out=tuple(predicted(one, held.predicted[one.id]) for one in others),
    )
