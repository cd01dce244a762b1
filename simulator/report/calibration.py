"""A calibration, as tables, JSON or CSV."""

from __future__ import annotations

import json
from typing import Any

from tabulate import tabulate

from simulator.csvtext import csv_of
from simulator.study.calibration import Calibration, Comparison, Estimate


def render_calibration(calibration: Calibration, form: str) -> str:
    """Return the calibration as ``table``, ``json`` or ``csv`` text; CSV has the measurements."""
    if form == "json":
        return json.dumps(calibration.to_json(), indent=2) + "\n"
    if form == "csv":
        return _csv([one.to_json() for one in calibration.comparisons])
    head = f"{calibration.title or calibration.name}: least squares on the simulator, without noise"
    parts = [head, counts(calibration), estimate_table(calibration)]
    parts += [f"warning: {warning}" for warning in calibration.warnings]
    parts.append(prediction_table(calibration))
    if calibration.held_out:
        parts.append(_held_out_table(calibration.held_out))
    parts.append(verdict(calibration))
    return "\n\n".join(parts) + "\n"


def counts(calibration: Calibration) -> str:
    """Return how much was fitted to how much, in one line."""
    values, measured = len(calibration.estimates), len(calibration.fitted)
    return (
        f"{_plural(values, 'value')} of {calibration.machine} fitted to"
        f" {_plural(measured, 'measurement')}: {_plural(calibration.freedom, 'degree')} of freedom;"
        f" {calibration.runs:,} runs"
    )


def verdict(calibration: Calibration) -> str:
    """Return in a sentence or two how good the fit and its predictions are."""
    lines = [f"The root mean square error of the fit is {calibration.rms * 100:.2g} %."]
    if calibration.worst is None:
        lines.append("There are no more measurements than values, so none can be left out.")
        return " ".join(lines)
    ranged = [one for one in calibration.fitted if one.inside is not None]
    about = ""
    if ranged:
        inside = sum(one.inside is True for one in ranged)
        about = f"{inside} of {len(ranged)} are inside the measured range; "
    lines.append(
        f"Each predicted from the others, {about}the largest error is"
        f" {calibration.worst * 100:.1f} %."
    )
    return " ".join(lines)


def estimate_table(calibration: Calibration, tablefmt: str = "simple") -> str:
    """Return estimate, uncertainty and correlation of each value."""
    rows = []
    listed = zip(calibration.estimates, calibration.correlation, strict=True)
    for number, (estimate, row) in enumerate(listed, start=1):
        one = estimate.parameter
        unit, scale = one.unit(estimate.value)
        spread = estimate.interval
        between = f"{spread[0] / scale:.4g} - {spread[1] / scale:.4g}" if spread else "-"
        rows.append(
            [
                f"{number} {one.name}",
                _with_error(estimate, unit, scale),
                between,
                f"{one.current / scale:.4g}",
                *("-" if value != value else f"{value:+.2f}" for value in row),  # noqa: PLR0124
            ]
        )
    numbers = [f"corr. {i}" for i in range(1, len(rows) + 1)]
    head = ["value", "estimate", "95 % interval", "machine file", *numbers]
    return tabulate(rows, headers=head, disable_numparse=True, tablefmt=tablefmt)


def prediction_table(calibration: Calibration, tablefmt: str = "simple") -> str:
    """Return each measurement beside the fit, and beside the prediction from all others."""
    ranged = any(one.measure.measured.range for one in calibration.fitted)
    rows = []
    for one in calibration.fitted:
        error = one.prediction_error
        row = [
            *_measured(one, ranged),
            _figure(one, one.simulated),
            _percent(one.error),
            "-" if one.predicted is None else _figure(one, one.predicted),
            "-" if error is None else _percent(error),
        ]
        rows.append([*row, _inside(one)] if ranged else row)
    head = [*_head(ranged), "fitted", "error", "predicted", "error"]
    head += ["verdict"] if ranged else []
    return tabulate(rows, headers=head, disable_numparse=True, tablefmt=tablefmt)


def _held_out_table(held_out: list[Comparison]) -> str:
    """Return the measurements that did not take part, beside what the fit predicts."""
    ranged = any(one.measure.measured.range for one in held_out)
    rows = []
    for one in held_out:
        row = [*_measured(one, ranged), _figure(one, one.simulated), _percent(one.error)]
        rows.append([*row, _inside(one)] if ranged else row)
    head = [*_head(ranged), "predicted", "error", *(["verdict"] if ranged else [])]
    head[0] = "held out"
    return tabulate(rows, headers=head, disable_numparse=True)


def _head(ranged: bool) -> list[str]:
    return ["measurement", "figure", "measured", *(["range"] if ranged else [])]


def _measured(one: Comparison, ranged: bool) -> list[str]:
    measured = one.measure.measured
    row = [
        one.measure.name,
        f"{one.measure.figure}, {one.measure.unit}",
        _figure(one, measured.mean),
    ]
    if not ranged:
        return row
    low, high = _figure(one, measured.low), _figure(one, measured.high)
    return [*row, f"{low} - {high}" if measured.range else "-"]


def _figure(one: Comparison, figure: float) -> str:
    """Return a figure with as many decimals as four digits of what was measured have."""
    scaled = figure / one.measure.scale
    mean = one.measure.measured.mean / one.measure.scale
    decimals = next((n for n in range(6) if mean * 10**n >= 100), 6)
    return f"{scaled:.{max(1, decimals)}f}"


def _percent(error: float) -> str:
    return f"{error * 100:+.1f} %"


def _inside(one: Comparison) -> str:
    return {True: "inside", False: "outside", None: "-"}[one.inside]


def _with_error(estimate: Estimate, unit: str, scale: float) -> str:
    """Return an estimate and its standard error."""
    value = f"{estimate.value / scale:.4g}"
    if estimate.error is None:
        return f"{value} {unit} ± ?".replace("  ", " ")
    return f"{value} ± {two_digits(estimate.error / scale)} {unit}".rstrip()


def two_digits(number: float) -> str:
    """Write a number with two digits that count.

    >>> two_digits(423.4), two_digits(0.0587), two_digits(0.1)
    ('420', '0.059', '0.10')
    """
    return f"{float(f'{number:.2g}'):.0f}" if number >= 10 else f"{number:#.2g}"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _csv(rows: list[dict[str, Any]]) -> str:
    return csv_of([rows[0], *([row.get(key) for key in rows[0]] for row in rows)])
