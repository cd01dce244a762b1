"""The result of a fit: estimates, their uncertainty, and errors of predicted measurements."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator import __version__

if TYPE_CHECKING:
    from simulator.study.measurements import Measure
    from simulator.study.parameters import Parameter

_AT_BOUND = 1e-6
"""A value as near to an end of its range, as a part of it, is there."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value of the machine and what the measurements say of it; in ns, bytes, ..."""

    parameter: Parameter
    value: float
    moves: bool
    """True if it moves a measurement; else it is as it was guessed, or found on the way."""
    error: float | None
    """Standard error; None if the measurements do not determine it."""
    interval: tuple[float, float] | None
    """95 % of such intervals hold the true value, if the model is right."""
    spread: tuple[float, float] | None
    """The least and the largest estimate with one measurement left out."""
    written: float
    """The number for a machine file: whole steps."""

    @property
    def at_bound(self) -> str:
        """``low`` or ``high`` if it is at that end of its range; else empty."""
        if self.value <= self.parameter.low * (1 + _AT_BOUND):
            return "low"
        return "high" if self.value >= self.parameter.high * (1 - _AT_BOUND) else ""

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs; numbers in the base unit, which it names."""
        one = self.parameter
        return {
            "name": one.name,
            "path": ".".join(filter(None, (one.path, one.key))),
            "unit": one.base_unit,
            "estimate": self.value,
            "standard_error": self.error,
            "interval_95": self.interval,
            "left_one_out": self.spread,
            "start": one.start,
            "low": one.low,
            "high": one.high,
            "in_machine_file": one.current,
            "written": one.shown(self.written),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """One measurement beside what is simulated; in ns, bytes per second, or fractions."""

    measure: Measure
    simulated: float
    """With the estimates."""
    predicted: float | None
    """By a fit to all others; None if it is held out, or they do not determine the values."""

    @property
    def error(self) -> float:
        """Relative error of what is simulated."""
        return self.simulated / self.measure.measured.mean - 1

    @property
    def prediction_error(self) -> float | None:
        """Relative error of the prediction."""
        return None if self.predicted is None else self.predicted / self.measure.measured.mean - 1

    @property
    def inside(self) -> bool | None:
        """True if the prediction is in the range of the measured values; None without either."""
        figure = self.simulated if self.measure.held_out else self.predicted
        if figure is None or not self.measure.measured.range:
            return None
        return self.measure.measured.holds(figure)

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs; figures in the unit that is named."""
        measured, scale = self.measure.measured, self.measure.scale
        return {
            "name": self.measure.name,
            "figure": self.measure.figure,
            "unit": self.measure.unit,
            "held_out": self.measure.held_out,
            "measured": measured.mean / scale,
            "min": measured.low / scale,
            "max": measured.high / scale,
            "simulated": self.simulated / scale,
            "error": self.error,
            "predicted": None if self.predicted is None else self.predicted / scale,
            "prediction_error": self.prediction_error,
            "inside": self.inside,
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """The outcome of a fit."""

    name: str
    title: str
    machine: str
    """The machine file, or its shipped name."""
    estimates: tuple[Estimate, ...]
    correlation: tuple[tuple[float, ...], ...]
    """Between the estimates; nan of those that are not determined."""
    comparisons: tuple[Comparison, ...]
    warnings: tuple[str, ...]
    """Properties that the measurements do not determine."""
    runs: int

    @property
    def fitted(self) -> list[Comparison]:
        """The measurements that took part in the fit."""
        return [one for one in self.comparisons if not one.measure.held_out]

    @property
    def held_out(self) -> list[Comparison]:
        """The measurements that did not."""
        return [one for one in self.comparisons if one.measure.held_out]

    @property
    def freedom(self) -> int:
        """Degrees of freedom: measurements less values."""
        return len(self.fitted) - len(self.estimates)

    @property
    def rms(self) -> float:
        """Root mean square of the relative errors of the fit."""
        return math.sqrt(sum(one.error**2 for one in self.fitted) / len(self.fitted))

    @property
    def inside(self) -> int:
        """The number of leave-one-out predictions within the range of the measured values."""
        return sum(one.inside is True for one in self.fitted)

    @property
    def worst(self) -> float | None:
        """The largest relative error of a leave-one-out prediction; None if there is none."""
        errors = [one.prediction_error for one in self.fitted]
        return max((abs(one) for one in errors if one is not None), default=None)

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "fit": self.name,
            "machine": self.machine,
            "parameters": [one.to_json() for one in self.estimates],
            "correlation": [
                [None if math.isnan(one) else one for one in row] for row in self.correlation
            ],
            "measurements": [one.to_json() for one in self.comparisons],
            "degrees_of_freedom": self.freedom,
            "rms_error": self.rms,
            "inside": self.inside,
            "worst_prediction_error": self.worst,
            "warnings": list(self.warnings),
            "runs": self.runs,
            "version": __version__,
        }
