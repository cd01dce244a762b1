"""Tables of both models' predictions of cells outside of their fits, leave-one-out first."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.report.first_screen import cannot_predict
from simulator.report.lined import Form, ruled
from simulator.report.scales import shown

from .intervals import mean_interval

if TYPE_CHECKING:
    from simulator.study.ledger import Ledger

    from .predictions import ModelPredictions, Predicted, Predictions

_WIDTH = 100
"""Width of the sentences, in characters, next to tables in plain text."""


def predicted_blocks(ledger: Ledger) -> list[str]:
    """Return the blocks of a study with tables of runs, if all cells were fitted."""
    if not any(one.figure.runs for one in ledger.figures):
        return []
    if lacking := cannot_predict():
        return [f"What a fit to the other numbers predicts of each {lacking}."]
    from .predictions import predictions

    return prediction_blocks(predictions(ledger.study.name))


def prediction_blocks(made: Predictions, form: Form = "simple") -> list[str]:
    """Return the tables and sentences about them: left out one by one, then held out."""
    blocks = _blocks(made, form)
    if form != "simple":
        return blocks
    return [one if "\n" in one else textwrap.fill(one, _WIDTH) for one in blocks]


def _blocks(made: Predictions, form: Form) -> list[str]:
    simulator, null = made.models
    return [
        "Each cell by a fit to the other cells (leave-one-out), in MB/s, without noise. Beside the "
        f"simulator with its {simulator.values} fitted values stands a model without a machine, "
        f"with {null.values}: three times for each byte, one time for each buffer, and two "
        "constant rates of output.",
        _table([one.left_out for one in made.models], form),
        _summary(made.models),
        f"Fitted to the other tables alone, the cells of table {_numbers(made)}:",
        _table([one.held_out for one in made.models], form),
        _held_out(made),
    ]


def _numbers(made: Predictions) -> str:
    return ", ".join(dict.fromkeys(one.cell.table for one in made.models[0].held_out))


def _summary(models: Sequence[ModelPredictions]) -> str:
    left_out = [f"{one.name}: {one.summary}" for one in models]
    fitted = [
        f"{one.name}: {_inside(one.fitted)} in that range (root mean square {one.rms:.3f} of it)"
        for one in models
    ]
    return (
        f"Left out - {'; '.join(left_out)}. Fitted - {'; '.join(fitted)}. The choices behind both "
        "models were made with all cells in view."
    )


def _held_out(made: Predictions) -> str:
    parts = []
    for one in made.models:
        known = [cell for cell in one.held_out if cell.determined]
        unknown = len(one.held_out) - len(known)
        parts.append(f"{one.name}: {_inside(known)}, {unknown} not determined")
    text = f"Inside - {'; '.join(parts)}."
    if made.undetermined:
        text += (
            f" Without table {_numbers(made)} only a combination of "
            f"{', '.join(made.undetermined)} is determined, and many values of each fit equally "
            "well: the rates in brackets, or instead of one, are the range over fits with "
            f"{made.tried}."
        )
    return text


def _inside(cells: Sequence[Predicted]) -> str:
    return f"{sum(one.inside for one in cells)} of {len(cells)}"


def _table(models: Sequence[Sequence[Predicted]], form: Form) -> str:
    rows = []
    for each in zip(*models, strict=True):
        cell = each[0].cell
        low, high = mean_interval(cell)
        ends = (f"{low:.1f} - {high:.1f}", f"{cell.low:.1f} - {cell.high:.1f}")
        row = [cell.id, f"{cell.mean:.1f}", *ends]
        for one in each:
            row += [_rates(one), "-" if one.error is None else f"{one.error:+.1%}", _verdict(one)]
        rows.append(row)
    of_each = ("error", "in")
    head = ["cell", "paper", "mean, 95 %", "range", "simulator", *of_each, "no machine", *of_each]
    return ruled(head, rows, form)


def _verdict(one: Predicted) -> str:
    """Return the position of a prediction: in the mean's interval, the range of runs, or out."""
    return "mean" if one.in_mean else "range" if one.inside else one.verdict


def _rates(one: Predicted) -> str:
    """Return a prediction with its range; for an undetermined one, the range in round numbers.

    The rate at which such a fit ends is arbitrary, and depends on the host.
    """
    if not one.rates:
        return "-"
    if not one.determined:
        return f"{shown(min(one.rates), 2)} - {shown(max(one.rates), 2)}"
    text = f"{one.rates[0]:.1f}"
    return f"{text} ({min(one.rates):.1f} - {max(one.rates):.1f})" if len(one.rates) > 1 else text
