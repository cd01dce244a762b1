"""Fit files by name or path; a study whose file says what is fitted to it is one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Problem
from simulator.config.fit_file import FIT
from simulator.config.formats import load_machine
from simulator.config.load import read_file
from simulator.errors import did_you_mean
from simulator.inputfile import Text
from simulator.study.measurements import Reader, at_mention
from simulator.study.parameters import parameters_of
from simulator.study.study_file import calibrated_names, load_study

if TYPE_CHECKING:
    from simulator.config.fit_file import Fit
    from simulator.study.measurements import Measure
    from simulator.study.parameters import Parameter
    from simulator.study.study_file import Cell, StudyFile

_RANGE = 5.0
"""A value of a study's machine is at most so many times its first guess, or a part of it."""
_FIXED = 1.001
"""The same, of a value that is not fitted."""


def fit_names() -> list[str]:
    """List the fits that come with the program: those of studies, and files."""
    return [*calibrated_names(), *FIT.shipped()]


def read_fit(name: str) -> Text:
    """Return the text of a fit, and what messages call it; ConfigError if there is none."""
    if "/" in name or name.endswith((".yaml", ".yml")) or Path(name).is_file():
        return read_file(FIT, name)
    if name in calibrated_names():
        return Text(study_text(load_study(name)), name)
    if name in FIT.shipped():
        return read_file(FIT, name)
    about = "there is no such file, and no fit of that name comes with the program"
    near = did_you_mean(name, fit_names())
    raise ConfigError([Problem(name, 0, 0, "", f"{about}; {near}")])


def load_fit(name: str) -> Fit:
    """Read a fit from a file, or by its name one that comes with the program."""
    return FIT.parse(*read_fit(name), ())[0]


@dataclass(frozen=True)
class PreparedFit:
    """A fit file with its machine and its measurements, ready to be fitted."""

    fit: Fit
    parameters: tuple[Parameter, ...]
    measures: tuple[Measure, ...]


def prepare(fit: Fit) -> PreparedFit:
    """Read the machine and the workloads of a fit; ConfigError lists what is wrong with any."""
    try:
        machine = load_machine(fit.beside(fit.machine))
    except ConfigError as error:
        mention = fit.origin.problem(("machine",), "")
        raise ConfigError(at_mention(error.problems, fit.beside(fit.machine), mention)) from error
    parameters, problems = parameters_of(fit, machine)
    reader = Reader(fit, machine, parameters)
    reader.problems += problems
    measures = reader.measures()
    return PreparedFit(fit, tuple(parameters), tuple(measures))


def study_fit(
    study: StudyFile, held_out: Collection[str] = (), fixed: Mapping[str, str] | None = None
) -> Fit:
    """Return the fit of a study; ``held_out`` and ``fixed`` as for :func:`study_text`."""
    return FIT.parse(study_text(study, held_out, fixed), study.name, ())[0]


def study_text(
    study: StudyFile, held_out: Collection[str] = (), fixed: Mapping[str, str] | None = None
) -> str:
    """Return the fit file of a study: its cells, and the values that its file says are fitted.

    ``held_out``: tables whose cells do not take part. ``fixed``: path -> the text of a value that
    is not fitted, but may move by a thousandth.
    """
    fixed = fixed or {}
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
        start = fixed.get(one["path"], one["start"])
        number, unit = start.split()
        reach = _FIXED if one["path"] in fixed else _RANGE
        low, high = float(number) / reach, float(number) * reach
        fields = f"start: {start}, low: {low:.6g} {unit}, high: {high:.6g} {unit}"
        lines.append(f"  {one['path']}: {{{fields}}}")
    cells = [one for one in study.cells if one.table not in held_out]
    lines += ["measurements:", *_measurements(cells)]
    others = [one for one in study.cells if one.table in held_out]
    lines += ["held_out:", *_measurements(others)] if others else []
    return "\n".join([*lines, ""])


def _measurements(cells: Iterable[Cell]) -> Iterator[str]:
    for cell in cells:
        settings = ", ".join(f"{key}: {value}" for key, value in cell.settings)
        figure = f"{{mean: {cell.mean} MB/s, min: {cell.low} MB/s, max: {cell.high} MB/s}}"
        yield f"  - name: {cell.id}"
        yield f"    workload: {cell.workload}"
        yield f"    set: {{{settings}}}"
        yield f"    {cell.work}: {figure}"
