"""Fit files by name or path; a study whose file says what is fitted to it is one of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Problem, did_you_mean
from simulator.config.fit_file import FIT
from simulator.config.formats import load_machine
from simulator.config.load import read_file
from simulator.study.fitted import parameters_of
from simulator.study.measurements import Reader, at_mention
from simulator.study.study import calibrated_names, load_study

if TYPE_CHECKING:
    from simulator.config.fit_file import Fit
    from simulator.config.variants import FileText
    from simulator.study.fitted import Parameter
    from simulator.study.measurements import Measure
    from simulator.study.study import Study

_RANGE = 5.0
"""A value of a study's machine is at most so many times its first guess, or a part of it."""


def fit_names() -> list[str]:
    """List the fits that come with the program: those of studies, and files."""
    return [*calibrated_names(), *FIT.shipped()]


def read_fit(name: str) -> FileText:
    """Return the text of a fit, and what messages call it; ConfigError if there is none."""
    if "/" in name or name.endswith((".yaml", ".yml")) or Path(name).is_file():
        return read_file(FIT, name)
    if name in calibrated_names():
        return study_text(load_study(name)), name
    if name in FIT.shipped():
        return read_file(FIT, name)
    about = "there is no such file, and no fit of that name comes with the program"
    near = did_you_mean(name, fit_names())
    raise ConfigError([Problem(name, 0, 0, "", f"{about}; {near}")])


def load_fit(name: str) -> Fit:
    """Read a fit from a file, or by its name one that comes with the program."""
    return FIT.parse(*read_fit(name), ())[0]


@dataclass(frozen=True)
class Prepared:
    """A fit file with its machine and its measurements, ready to be fitted."""

    fit: Fit
    parameters: tuple[Parameter, ...]
    measures: tuple[Measure, ...]


def prepare(fit: Fit) -> Prepared:
    """Read the machine and the workloads of a fit; ConfigError lists what is wrong with any."""
    try:
        machine = load_machine(fit.beside(fit.machine))
    except ConfigError as error:
        mention = fit.origin.place(("machine",)).problem("machine", "")
        raise ConfigError(at_mention(error.problems, fit.beside(fit.machine), mention)) from error
    parameters, problems = parameters_of(fit, machine)
    reader = Reader(fit, machine, parameters)
    reader.problems += problems
    measures = reader.measures()
    return Prepared(fit, tuple(parameters), tuple(measures))


def study_text(study: Study) -> str:
    """Return the fit file of a study: its cells, and the values that its file says are fitted."""
    lines = [
        f"# The fit of the study {study.name}: the means of the cells of its tables.",
        f"# {study.paper}",
        "format: fit/1",
        f"name: {study.name}",
        f'title: "{study.title}"',
        f"machine: {study.machine}",
        "residuals: range",
        "parameters:",
    ]
    for one in study.calibration["parameters"]:
        number, unit = one["start"].split()
        low, high = float(number) / _RANGE, float(number) * _RANGE
        fields = f"start: {one['start']}, low: {low:g} {unit}, high: {high:g} {unit}"
        lines.append(f"  {one['path']}: {{{fields}}}")
    lines.append("measurements:")
    for cell in study.cells:
        settings = ", ".join(f"{key}: {value}" for key, value in cell.settings)
        figure = f"{{mean: {cell.mean} MB/s, min: {cell.low} MB/s, max: {cell.high} MB/s}}"
        lines += [
            f"  - name: {cell.id}",
            f"    workload: {cell.workload}",
            f"    set: {{{settings}}}",
            f"    {cell.work}: {figure}",
        ]
    return "\n".join([*lines, ""])
