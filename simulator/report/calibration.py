"""A calibration, as a table or JSON."""

from __future__ import annotations

import json

from tabulate import tabulate

from simulator.study.calibrate import Calibration


def render_calibration(calibration: Calibration, form: str) -> str:
    """The calibration as ``table`` or ``json`` text."""
    if form == "json":
        return json.dumps(calibration.to_json(), indent=2) + "\n"
    head = f"{calibration.study.title}: least squares on the simulator, without noise"
    inside, count = calibration.inside, len(calibration.predictions)
    foot = (
        f"Each predicted from the other cells, {inside} of {count} are inside the range of the "
        f"paper's runs; the largest error is {calibration.worst * 100:.1f} %."
    )
    tables = (estimate_table(calibration), prediction_table(calibration))
    return "\n\n".join((head, *tables, foot)) + "\n"


def estimate_table(calibration: Calibration, tablefmt: str = "simple") -> str:
    """Estimate, uncertainty and correlation of each value."""
    rows = []
    listed = zip(
        calibration.parameters,
        calibration.estimates,
        calibration.errors,
        calibration.current,
        calibration.correlation,
        strict=True,
    )
    for number, (parameter, estimate, error, current, row) in enumerate(listed, start=1):
        value, half = parameter.in_unit(estimate), parameter.in_unit(error)
        rows.append(
            [
                f"{number} {parameter.name}",
                f"{value:.4g} ± {half:.2g} {parameter.unit}",
                f"{parameter.in_unit(current):.4g}",
                *(f"{one:+.2f}" for one in row),
            ]
        )
    numbers = [f"corr. {i}" for i in range(1, len(rows) + 1)]
    head = ["value", "estimate", "machine file", *numbers]
    return tabulate(rows, headers=head, disable_numparse=True, tablefmt=tablefmt)


def prediction_table(calibration: Calibration, tablefmt: str = "simple") -> str:
    """The leave-one-out prediction of every cell; MB/s."""
    rows = [
        [
            one.cell.id,
            f"{one.cell.mean:.1f}",
            f"{one.cell.low:.1f} - {one.cell.high:.1f}",
            f"{one.fitted:.1f}",
            f"{one.predicted:.1f}",
            f"{one.error * 100:+.1f} %",
            "inside" if one.cell.holds(one.predicted) else "outside",
        ]
        for one in calibration.predictions
    ]
    head = ["cell (MB/s)", "paper", "range", "fitted", "predicted", "error", "verdict"]
    return tabulate(rows, headers=head, disable_numparse=True, tablefmt=tablefmt)
