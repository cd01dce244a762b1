"""The machine file of a calibration: the fitted values in it, with the fit as their source."""

from __future__ import annotations

from collections.abc import Mapping

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
from simulator.report.calibration import two_digits
from simulator.study.calibration import Calibration, Estimate
from simulator.study.fitted import settings_of, whole_text


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
    values = {}
    for steps, estimates in by_place.items():
        given = [(one.parameter, one.parameter.shown(one.written)) for one in estimates]
        texts = {steps: whole_text(given)}
        if steps[-1] == POSITIONING:
            section = dict(positioned(wanted.parts))[tuple(map(str, steps[1:-1]))]
            times = positioning_times(section).items()
            texts = {(*steps[:-1], key): leaf_of(Time).show(time) for key, time in times}
        for at, text in texts.items():
            old = before.get(dotted(at), DEFAULT)
            note = scalar("; ".join(filter(None, (old.note, *map(_note, estimates)))))
            source = f"calibrated {calibration.name}"
            values[at] = f"{{value: {text}, source: {source}, note: {note}}}"
    return values


def _note(estimate: Estimate) -> str:
    """Return what is known of a fitted value besides the value."""
    one = estimate.parameter
    unit, scale = one.unit(estimate.value)
    which = f"{one.key} " if one.key else ""
    if estimate.error is None:
        return f"{which}not determined by the measurements"
    error = f"{which}standard error {two_digits(estimate.error / scale)} {unit}".rstrip()
    return error if not one.blocks else f"{error}; the fit has {estimate.value / scale:.4g} {unit}"
