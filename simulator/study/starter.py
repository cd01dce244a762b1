"""A fit file to begin with: the values of a machine that matter most to a workload.

What stands for measurements is simulated, so that the file can be tried as it is.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.config.errors import ConfigError, Problem
from simulator.config.fit_file import FIT
from simulator.config.formats import load_machine, load_workload
from simulator.config.knobs import knobs_of
from simulator.errors import InputError
from simulator.study.fits import prepare
from simulator.study.search import Search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_KEYS = ("rate", "overhead", "seek", "latency", "copy_rate", "call_overhead", "mount", "update")
"""What is fitted most often, of parts."""
_RECORDS = ("64 KiB", "1 MiB", "4 MiB")
_FIRST = ("copy-file", "read-cached", "shared-file")
"""Workloads that are tried if none is named."""
_MOST = 2
"""Values that are fitted."""
_STEP = 0.05
_LEAST = 1e-3
"""Derivatives, logarithm by logarithm, below which a value does not matter."""

_TEXT = """\
# A first fit: values of {machine} that are fitted to measured times of {workload}.
#
#   nwtsim check {file}                    lists every mistake, and what to write instead
#   nwtsim calibrate {file}                fits, and says how far the result can be trusted
#   nwtsim calibrate {file} -o FILE        writes the machine with the fitted values
#
# To add something, remove the '#' in front of its line. docs/calibration.md explains the rest.
format: fit/1
name: {name}
machine: {machine}
workload: {workload}
# First guesses; a range is optional. 'nwtsim show {machine} --knobs' lists the rest.
parameters:
{parameters}
# THESE TIMES ARE SIMULATED: write what you measured, one value or several of the same run.
measurements:
{measurements}
# Predicted only: to see how good the fit is where it has not been fitted.
#held_out:
#  - {{name: another, {more}elapsed: [10 s, 11 s]}}
"""


def starter_fit(name: str, file: str, machine: str, workload: str | None = None) -> str:
    """Return the text of a first fit for a machine; ``file`` is where it will be.

    ConfigError if no value of the machine moves the times of any workload.
    """
    load_machine(machine)  # Its mistakes come first, and those of the workload.
    if workload is not None:
        load_workload(workload)
    for source in [workload] if workload else _FIRST:
        for settings in ([f"set: {{record: {one}}}, " for one in _RECORDS], [""]):
            try:
                return _fit(name, file, machine, source, settings)
            except (ConfigError, InputError):
                if workload and not settings[0]:
                    raise
    about = f"none of {', '.join(_FIRST)} runs on it; write --workload, and one that does"
    raise ConfigError([Problem(machine, 0, 0, "", about)])


def _fit(name: str, file: str, machine: str, workload: str, settings: Sequence[str]) -> str:
    """Return the text of a fit with two values, or one, that matter to some runs."""
    fields = {"name": name, "file": file, "more": settings[0]}
    fields |= {"machine": _from(file, machine), "workload": _from(file, workload)}

    def text(parameters: Sequence[str], times: Sequence[str]) -> str:
        runs = enumerate(zip(settings, times, strict=True), start=1)
        lines = [f"  - {{name: run {i}, {one}elapsed: {time}}}" for i, (one, time) in runs]
        rows = {"parameters": "\n".join(parameters), "measurements": "\n".join(lines)}
        return _TEXT.format(**fields, **rows)

    def search(knobs: Sequence[str]) -> Search:
        written = text([f"  {one}: {{}}" for one in knobs], ["1 s"] * len(settings))
        made = Search(prepare(FIT.parse(written, file, ())[0]), 1, lambda *_: None)
        made.start()
        return made

    tried = []
    for knob in _knobs(machine):
        with suppress(ConfigError):  # What is 0 now, or is not one number.
            tried.append((knob, _moved(search([knob]))))
    chosen: list[str] = []
    while tried and len(chosen) < min(_MOST, len(settings)):
        knob, column = max(tried, key=lambda one: float(np.linalg.norm(one[1])))
        length = float(np.linalg.norm(column))
        if length < _LEAST:
            break
        chosen.append(knob)  # The next one is that which adds most to it.
        unit = column / length
        tried = [(name, one - unit * (unit @ one)) for name, one in tried if name != knob]
    if not chosen:
        raise InputError(f"{machine}: none of its values moves the times of {workload}")
    last = search(chosen)
    (times,) = last.figures([last.x], last.fitted)
    assert times is not None  # They have been run.
    starts = [f"  {one.name}: {one.shown(one.start)}" for one in last.parameters]
    return text(starts, [f"{float(f'{one / 1e9:.4g}'):g} s" for one in times])


def _knobs(machine: str) -> list[str]:
    """List the values of the parts that may be fitted, by short names."""
    knobs = knobs_of(load_machine(machine))
    return [
        name
        for name, knob in knobs.items()
        if ".parts." in knob.path and name.rpartition(".")[2] in _KEYS and ".noise." not in name
    ]


def _moved(search: Search) -> Vector:
    """Return the derivatives of the figures by the one value, logarithm by logarithm."""
    here, there = search.figures([search.x, search.x + _STEP], search.fitted)
    if here is None or there is None:
        return np.zeros(len(search.fitted))
    return np.asarray((np.log(there) - np.log(here)) / _STEP)


def _from(file: str, name: str) -> str:
    """Return a file's name as another file has it; a shipped name stays."""
    if not ("/" in name or Path(name).is_file()):
        return name
    return os.path.relpath(name, Path(file).parent)
