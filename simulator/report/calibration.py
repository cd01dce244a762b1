"""A calibration, as tables, JSON or CSV; and the machine file with the fitted values in it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simulator.config.errors import ConfigError, Path, dotted
from simulator.config.formats import MACHINE
from simulator.config.load import read_file
from simulator.config.machine_file import Machine
from simulator.config.quantities import Time
from simulator.config.section import leaf_of
from simulator.config.settings import POSITIONING, apply_settings, positioned, positioning_times
from simulator.config.sources import DEFAULT, Source
from simulator.config.writing import document, scalar, with_value
from simulator.config.yamltree import Mapping as Tree
from simulator.config.yamltree import read_tree
from simulator.report.lined import ruled
from simulator.report.page import Block, Page, Section, Table, table_of_texts
from simulator.study.calibration import Calibration, Comparison, Estimate
from simulator.study.parameters import settings_of, whole_text
from simulator.wording import counted

LEAST_ERROR = 1e-6
"""A smaller standard error, as a part of the value, is none."""
MOST_ERROR = 1.0
"""A standard error as large as the value tells nothing of it, and is not written."""


def calibration_page(calibration: Calibration) -> Page:
    """Return the calibration as a page, whose CSV has the measurements."""
    head = f"{calibration.title or calibration.name}: least squares on the simulator, without noise"
    warnings = [f"warning: {warning}" for warning in calibration.warnings]
    tables: list[Block] = [_measurements(calibration.fitted, held_out=False)]
    tables += [_measurements(held, held_out=True)] if (held := calibration.held_out) else []
    sections = [
        Section("", [_left(*_estimates(calibration), "value")], leads=True, name="values"),
        Section("", warnings, leads=True, name="warnings"),
        Section("", tables, leads=True, name="measurements"),
    ]
    answer = [counts(calibration), verdict(calibration)]
    return Page(head, [], answer, sections, calibration.to_json, lambda: _rows(calibration))


def _left(head: list[str], rows: list[list[str]], noun: str) -> Table:
    return table_of_texts(head, rows, "l" * len(head), noun)


def counts(calibration: Calibration) -> str:
    """Return how much was fitted to how much, in one line."""
    values, measured = len(calibration.estimates), len(calibration.fitted)
    return (
        f"{counted(values, 'value')} of {calibration.machine} fitted to"
        f" {counted(measured, 'measurement')}: {counted(calibration.freedom, 'degree')} of freedom;"
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


def estimate_table(calibration: Calibration) -> str:
    """Return estimate, uncertainty and correlation of each value, in Markdown."""
    head, rows = _estimates(calibration)
    return ruled(head, rows, "github")


def _estimates(calibration: Calibration) -> tuple[list[str], list[list[str]]]:
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
    return ["value", "estimate", "95 % interval", "machine file", *numbers], rows


def _measurements(some: Sequence[Comparison], *, held_out: bool) -> Table:
    """Return measurements beside the fit, and beside the prediction of each from all others.

    Those that are held out did not take part: the fit is the prediction.
    """
    ranged = any(one.measure.measured.range for one in some)
    rows = []
    for one in some:
        row = [*_measured(one, ranged), _figure(one, one.simulated), _percent(one.error)]
        if not held_out:
            error = one.prediction_error
            row.append("-" if one.predicted is None else _figure(one, one.predicted))
            row.append("-" if error is None else _percent(error))
        rows.append([*row, _inside(one)] if ranged else row)
    head = ["held out" if held_out else "measurement", "figure", "measured"]
    head += ["range"] if ranged else []
    head += ["predicted", "error"] if held_out else ["fitted", "error", "predicted", "error"]
    return _left([*head, *(["verdict"] if ranged else [])], rows, "measurement")


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


def _rows(calibration: Calibration) -> list[Iterable[Any]]:
    rows = [one.to_json() for one in calibration.comparisons]
    return [rows[0], *([row.get(key) for key in rows[0]] for row in rows)]


def fitted_machine(calibration: Calibration) -> str:
    """Return the text of the machine file with the values of a calibration.

    Comments, order and all other values stay; where the file is written so that a value cannot be
    put in its place, it is written anew, without comments.
    """
    text, name = read_file(MACHINE, calibration.machine)
    estimates = [one for one in calibration.estimates if one.moves]
    parameters = [one.parameter for one in estimates]
    settings = settings_of(parameters, [one.written for one in estimates])
    as_it_is = MACHINE.parse(text, name, ())[0]
    wanted = MACHINE.parse(text, name, settings)[0]
    sourced = _sourced(calibration, as_it_is.sources, wanted)
    made = text.removeprefix("\ufeff")
    for steps, value in sourced.items():
        made = with_value(made, steps, value)
    if not _means(made, wanted):
        tree, _ = read_tree(text.removeprefix("\ufeff"), name)
        assert isinstance(tree, Tree)  # It has been read before.
        settings = [(f"machine.{dotted(steps)}", value) for steps, value in sourced.items()]
        made = document((), apply_settings(tree, Machine, "machine", settings)[0].entries)
    made = f"{_comment(calibration)}\n{made}"
    assert _means(made, wanted)
    return made


def _comment(calibration: Calibration) -> str:
    values = sum(one.moves for one in calibration.estimates)
    measured = len(calibration.fitted)
    return (
        f"# Fitted by 'nwtsim calibrate' ({calibration.name}), as their sources say: {values}"
        f" value{'s' * (values > 1)} to {measured} measurements, root mean square error"
        f" {calibration.rms * 100:.2g} %."
    )


def _means(text: str, machine: Machine) -> bool:
    try:
        read: Machine = MACHINE.parse(text, "<fitted>", ())[0]
    except ConfigError:
        return False
    return read == machine


def _sourced(
    calibration: Calibration, before: Mapping[str, Source], wanted: Machine
) -> dict[Path, str]:
    """Return the fitted values as YAML, with the fit as their source, by their places."""
    by_place: dict[Path, list[Estimate]] = {}
    for one in (each for each in calibration.estimates if each.moves):
        by_place.setdefault(one.parameter.steps, []).append(one)
    texts_of = {}
    for steps, estimates in by_place.items():
        given = [(one.parameter, one.parameter.shown(one.written)) for one in estimates]
        texts = {steps: whole_text(given)}
        if steps[-1] == POSITIONING:
            section = dict(positioned(wanted.parts))[tuple(map(str, steps[1:-1]))]
            times = positioning_times(section).items()
            texts = {(*steps[:-1], key): leaf_of(Time).show(time) for key, time in times}
        texts_of[steps] = texts
    places: dict[Path, Sequence[Path]] = {steps: list(texts) for steps, texts in texts_of.items()}
    values = {}
    for steps, texts in texts_of.items():
        estimates = by_place[steps]
        for at, text in texts.items():
            old = before.get(dotted(at), DEFAULT)
            note = scalar("; ".join(filter(None, (old.note, *map(_note, estimates)))))
            known = _range(calibration, at, estimates, places)
            inner = f"value: {text}, source: calibrated {calibration.name}"
            inner += f", range: {known}" if known else ""
            values[at] = f"{{{inner}, note: {note}}}"
    return values


def _range(
    calibration: Calibration,
    at: Path,
    estimates: Sequence[Estimate],
    places: Mapping[Path, Sequence[Path]],
) -> str:
    """Return what the fit knows of a value as its ``range``; empty if it is not determined.

    A value of several fitted numbers has the largest of their errors, and no correlations, which
    are of single numbers.
    """
    errors = [one.error / one.value for one in estimates if one.error is not None]
    if len(errors) < len(estimates) or not LEAST_ERROR < max(errors) < MOST_ERROR:
        return ""
    written = [f"error: {_decimals(100 * max(errors))} %"]
    if calibration.freedom:
        written.append(f"freedom: {calibration.freedom}")
    others = _correlations(calibration, at, estimates[0], places) if len(estimates) == 1 else {}
    if others:
        pairs = ", ".join(f"{path}: {_decimals(one)}" for path, one in others.items())
        written.append(f"with: {{{pairs}}}")
    return f"{{{', '.join(written)}}}"


def _correlations(
    calibration: Calibration, at: Path, estimate: Estimate, places: Mapping[Path, Sequence[Path]]
) -> dict[str, float]:
    """Return the correlations with the values before this one in the file, each told once."""
    row = calibration.estimates.index(estimate)
    found: dict[str, float] = {}
    for column, other in enumerate(calibration.estimates):
        its_places = places.get(other.parameter.steps, ())
        alone = sum(one.parameter.steps == other.parameter.steps for one in calibration.estimates)
        correlation = calibration.correlation[row][column]
        if alone > 1 or math.isnan(correlation):
            continue
        for place in its_places:
            if dotted(place) < dotted(at):
                found[dotted(place)] = correlation if column != row else 1.0
    return {path: one for path, one in found.items() if round(one, 4)}


def _decimals(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")


def _note(estimate: Estimate) -> str:
    """Return what is known of a fitted value besides the value."""
    one = estimate.parameter
    unit, scale = one.unit(estimate.value)
    which = f"{one.key} " if one.key else ""
    if estimate.error is None:
        return f"{which}not determined by the measurements"
    error = f"{which}standard error {two_digits(estimate.error / scale)} {unit}".rstrip()
    return error if not one.blocks else f"{error}; the fit has {estimate.value / scale:.4g} {unit}"
