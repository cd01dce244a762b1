"""Fitting the unknown values of a machine to published means, and what they then predict.

Least squares on the simulator itself, without noise. A value that must be whole units (the
SSU's share) is fitted as if it were continuous: between two whole numbers of units the
elapsed times are interpolated.

The leave-one-out prediction of a cell comes from a fit to all the others; it is the only
honest figure for how well the model foresees what it has not been shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator import __version__
from simulator.native import native_build
from simulator.study.fitted import Fitted
from simulator.study.processes import map_in_processes
from simulator.study.study import Cell, Study, load_study
from simulator.study.threads import map_in_threads
from simulator.study.work import Tell, Work, tell_nobody
from simulator.units import parse_rate, parse_size, parse_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_UNITS: dict[str, tuple[float, Callable[[str], float]]] = {
    "ms": (1e6, parse_time),
    "MB/s": (1e6, parse_rate),
    "MB": (1e6, parse_size),
}
"""Unit -> (its size in ns, bytes or bytes per second, the function that reads it)."""

FIRST_FIT = 4.0
"""Work of the fit to all cells, which begins from first guesses, in fits to all but one."""

CELLS = 12
FIT_S, INTERPRETED_FIT_S = 0.5, 15.0
"""CPU time of a fit to all cells but one."""

_SMALL_STEP = 2e-3
"""Relative step of the finite differences."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value of the machine that is fitted."""

    path: tuple[str, ...]
    """Keys of the machine file."""
    unit: str
    start: float
    """First guess, in ns, bytes or bytes per second."""

    @property
    def name(self) -> str:
        """The path as in ``--set``."""
        return ".".join(("machine", *self.path))

    def in_unit(self, value: float) -> float:
        """A value in the unit that people read."""
        return value / _UNITS[self.unit][0]


@dataclass(frozen=True, slots=True)
class Prediction:
    """One cell: its published mean, the fit's rate, and what the other cells predict; MB/s."""

    cell: Cell
    fitted: float
    predicted: float

    @property
    def error(self) -> float:
        """Relative error of the leave-one-out prediction."""
        return self.predicted / self.cell.mean - 1


@dataclass(frozen=True, slots=True)
class Calibration:
    """The outcome of a fit."""

    study: Study
    parameters: tuple[Parameter, ...]
    estimates: tuple[float, ...]
    """In ns, bytes or bytes per second."""
    errors: tuple[float, ...]
    """Standard errors of the estimates, from the residuals' scatter."""
    correlation: tuple[tuple[float, ...], ...]
    predictions: tuple[Prediction, ...]
    current: tuple[float, ...]
    """What the machine file has."""

    @property
    def inside(self) -> int:
        """How many cells' leave-one-out predictions lie within the paper's runs."""
        return sum(one.cell.holds(one.predicted) for one in self.predictions)

    @property
    def worst(self) -> float:
        """The largest relative error of a leave-one-out prediction."""
        return max(abs(one.error) for one in self.predictions)

    def to_json(self) -> dict[str, Any]:
        """The record for programs."""
        rows = zip(self.parameters, self.estimates, self.errors, self.current, strict=True)
        return {
            "study": self.study.name,
            "parameters": [
                {
                    "path": parameter.name,
                    "unit": parameter.unit,
                    "estimate": parameter.in_unit(estimate),
                    "standard_error": parameter.in_unit(error),
                    "in_machine_file": parameter.in_unit(current),
                }
                for parameter, estimate, error, current in rows
            ],
            "correlation": [list(row) for row in self.correlation],
            "leave_one_out": [
                {
                    "id": one.cell.id,
                    "paper": {"mean": one.cell.mean, "min": one.cell.low, "max": one.cell.high},
                    "fitted": one.fitted,
                    "predicted": one.predicted,
                    "error": one.error,
                    "verdict": "inside" if one.cell.holds(one.predicted) else "outside",
                }
                for one in self.predictions
            ],
            "inside": self.inside,
            "worst_error": self.worst,
            "version": __version__,
        }


class Fit:
    """The simulator as a function from parameters to the rates of a study's cells."""

    def __init__(self, study: Study, stopped: Callable[[], bool] | None = None) -> None:
        self.cells = study.cells
        self.parameters = tuple(_parameter(one) for one in study.calibration["parameters"])
        self.model = Fitted(
            study.machine,
            study.cells,
            [one.path for one in self.parameters],
            [one.unit for one in self.parameters],
            stopped,
        )
        self.starts = np.array([parameter.start for parameter in self.parameters])

    def rates(self, values: Vector, indices: Sequence[int]) -> Vector:
        """MB/s of the cells of these indices."""
        steps = np.array([self.model.step(i) for i in range(len(self.parameters))])
        whole = steps > 1
        low = np.where(whole, np.floor(values / steps) * steps, values)
        part = float(np.sum((values - low) / steps))
        slow = self._seconds_per_MB(low, indices)
        if part:
            high = np.where(whole, low + steps, values)
            slow = slow + part * (self._seconds_per_MB(high, indices) - slow)
        return np.asarray(1 / slow)

    def fit(self, start: Vector, indices: Sequence[int]) -> tuple[Vector, Vector, float]:
        """Least squares over some cells: (values, Jacobian, sum of squares)."""
        from scipy.optimize import least_squares

        cells = [self.cells[i] for i in indices]
        means = np.array([cell.mean for cell in cells])
        spreads = np.array([cell.high - cell.low for cell in cells])

        def residuals(relative: Vector) -> Vector:
            return np.asarray((self.rates(relative * start, indices) - means) / spreads)

        found = least_squares(
            residuals,
            np.ones(len(start)),
            diff_step=[_SMALL_STEP] * len(start),
            xtol=1e-4,
            ftol=1e-5,
            bounds=(0.2, 5.0),
        )
        jacobian = np.asarray(found.jac, dtype=np.float64)
        return np.asarray(found.x * start), jacobian / start, float(2 * found.cost)

    def _seconds_per_MB(self, values: Vector, indices: Sequence[int]) -> Vector:
        return np.array(self.model.seconds_per_MB(list(map(float, values)), indices))


def calibrate(name: str, *, jobs: int | None = None, tell: Tell = tell_nobody) -> Calibration:
    """Fit a study's machine to its cells, and predict each cell from the others.

    ``jobs``: threads for the leave-one-out fits (processes, where nothing is compiled); default,
    one for each processor. ``tell`` is told the share of the work that is done.
    """
    study = load_study(name)
    fit = Fit(study)
    everything = range(len(study.cells))
    workers = min(jobs or os.cpu_count() or 1, len(study.cells))
    work = Work(FIRST_FIT + len(study.cells) / workers, tell)
    values, jacobian, squares = fit.fit(fit.starts, everything)
    work.add(FIRST_FIT)
    tasks = [(name, i, tuple(map(float, values))) for i in everything]
    predicted: dict[int, float] = {}
    for (_, left, _), rate in in_parallel(tasks, workers):
        predicted[left] = rate
        work.add(1 / workers)
    work.end()
    rates = fit.rates(values, everything)
    covariance = np.linalg.inv(jacobian.T @ jacobian)
    covariance *= squares / (len(study.cells) - len(values))
    errors = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(errors, errors)
    return Calibration(
        study=study,
        parameters=fit.parameters,
        estimates=tuple(map(float, values)),
        errors=tuple(map(float, errors)),
        correlation=tuple(tuple(map(float, row)) for row in correlation),
        predictions=tuple(
            Prediction(cell, float(rate), predicted[i])
            for i, (cell, rate) in enumerate(zip(study.cells, rates, strict=True))
        ),
        current=tuple(fit.model.current(i) for i in range(len(fit.parameters))),
    )


def takes_s(jobs: int | None = None) -> float:
    """Return the time that the NWT's calibration takes, as measured once, in seconds."""
    of_one = FIT_S if native_build() == "compiled" else INTERPRETED_FIT_S
    return of_one * (FIRST_FIT + CELLS / min(jobs or os.cpu_count() or 1, CELLS))


Task = tuple[str, int, tuple[float, ...]]
"""A study's name, the number of a cell, and where a fit to all the others begins."""


def in_parallel(tasks: Sequence[Task], workers: int) -> Iterable[tuple[Task, float]]:
    """Leave out one cell after the other: on threads where the native engine is compiled."""
    if native_build() == "compiled":
        return map_in_threads(_leave_out, tasks, workers)
    return map_in_processes(_leave_out, tasks, workers)


def _leave_out(task: Task, stopped: Callable[[], bool] | None = None) -> float:
    """The rate of one cell of a study, in MB/s, as a fit to all the others has it."""
    name, left, start = task
    fit = Fit(load_study(name), stopped)
    others = [i for i in range(len(fit.cells)) if i != left]
    values, _, _ = fit.fit(np.array(start), others)
    return float(fit.rates(values, [left])[0])


def _parameter(raw: dict[str, str]) -> Parameter:
    head, *path = raw["path"].split(".")
    assert head == "machine"
    return Parameter(tuple(path), raw["unit"], _UNITS[raw["unit"]][1](raw["start"]))
