"""A fit file to begin with: the values of a machine that matter most to a workload.

What stands for measurements is simulated, so that the file can be tried as it is.
"""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.again import LONG, InputsAgain, work_of
from simulator.answers.levers import levers_of
from simulator.answers.limits import acting
from simulator.answers.shorter import shortened
from simulator.config.errors import ConfigError, Problem
from simulator.config.fit_file import FIT
from simulator.config.formats import load_machine
from simulator.config.writing import scalar
from simulator.errors import InputError
from simulator.progress import progress_bar
from simulator.run import load_inputs, run_plan
from simulator.study.fits import prepare
from simulator.study.model import Model
from simulator.study.parameters import numbers_in, parameters_of
from simulator.units import parse_size
from simulator.wording import command_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.answers.levers import Lever
    from simulator.config.fit_file import Fit
    from simulator.config.settings import Setting
    from simulator.run import Inputs
    from simulator.study.parameters import Parameter

    Vector = NDArray[np.float64]

_JOBS = os.cpu_count() or 1
_RECORDS = ("64 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB", "64 MiB", "256 MiB")
_SEVERAL = 3
"""Sizes of records that are tried: the smallest with which no run takes long."""
_MOST_CALLS = 50_000
FIRST = ("copy-file", "read-cached", "shared-file")
"""Workloads that are tried if none is named."""
_LIGHT = "read-cached"
"""The first one where the reference engine has to carry them out."""
_MOST = 2
"""Values that are fitted."""
_STEP = 0.05
_LEAST = 1e-3
"""Derivatives, logarithm by logarithm, below which a value does not matter."""

_TEXT = """\
# A first fit: values of {machine} that are fitted to measured times of {workload}.
#
#   {check}                    lists every mistake, and what to write instead
#   {calibrate}                fits, and says how far the result can be trusted
#   {calibrate} -o FILE        writes the machine with the fitted values
#
# To add something, remove the '#' in front of its line. docs/calibration.md explains the rest.
format: fit/1
name: {name}
machine: {machine}
workload: {workload}
# First guesses; a range is optional. All that can be set: {knobs}
parameters:
{parameters}
# THESE TIMES ARE SIMULATED: write what you measured, one value or several of the same run.
measurements:
{measurements}
# Predicted only: to see how good the fit is where it has not been fitted.
#held_out:
#  - {{name: another, {more}{figure}: [10 s, 11 s]}}
"""


def starter_fit(
    name: str,
    file: str,
    machine: str,
    workload: str | None = None,
    *,
    progress: bool | None = False,
) -> str:
    """Return the text of a first fit for a machine; ``file`` is where it will be.

    ConfigError or InputError if no value of the machine moves the times of any workload.
    ``progress`` shows a bar on standard error (None: if that is a terminal).
    """
    slow = bool(load_machine(machine).services)  # Its mistakes come before the workload's.
    shipped = sorted(FIRST, key=lambda one: slow and one != _LIGHT)
    for source in [workload] if workload else shipped:
        try:
            return _Starter(name, file, load_inputs(machine, source, noisy=False), progress).text()
        except (ConfigError, InputError):
            if workload:
                raise
    about = f"none of {', '.join(FIRST)} runs on it; write --workload, and one that does"
    raise ConfigError([Problem(machine, 0, 0, "", about)])


class _Starter:
    """A fit file that is being made for a machine and a workload."""

    def __init__(self, name: str, file: str, inputs: Inputs, progress: bool | None) -> None:
        """Run the workload once: what can matter, how long it takes, what is measured of it."""
        self._names = tuple(map(str, inputs.sources))
        self._file, self._progress = file, progress
        self._inputs = inputs
        plan = inputs.plan()
        self._base = base = run_plan(plan)
        levers = acting(levers_of(inputs.machine), plan, base)[0]
        self._candidates = [number for lever in levers for number in _numbers_of(lever)]
        opened = any(job.arrivals is not None for job in inputs.workload.jobs)
        self._fields = {
            "name": name,
            "check": command_line("nwtsim", "check", file),
            "calibrate": command_line("nwtsim", "calibrate", file),
            "knobs": command_line("nwtsim", "show", self._names[0], "--knobs"),
            "machine": scalar(name_from(file, self._names[0])),
            "workload": scalar(name_from(file, self._names[1])),
            "figure": "job_mean" if opened else "elapsed",
        }

    def text(self) -> str:
        """Return the text; InputError if no value moves the times."""
        for settings in (self._several(), [""]):
            with suppress(ConfigError, InputError):
                chosen = self._chosen(settings) if settings else []
                if chosen:
                    return self._with_times(chosen, settings)
        machine, workload = self._names
        about = f"none of its values moves the times of {workload}; write another --workload"
        raise InputError(f"{machine}: {about}")

    def _several(self) -> list[str]:
        """Return settings of measurements with several sizes of records; empty if they are slow."""
        if self._base.engine == "reference":
            return []
        moved = sum(one.read.bytes + one.write.bytes for one in self._base.processes)
        quick = [one for one in _RECORDS if moved / parse_size(one) <= _MOST_CALLS]
        if len(quick) < _SEVERAL:
            return []
        return [f"set: {{record: {one}}}, " for one in quick[:_SEVERAL]]

    def _chosen(self, settings: Sequence[str]) -> list[str]:
        """Return the values that matter most: each adds most to those before."""
        tried = self._moved(settings)
        chosen: list[str] = []
        while tried and len(chosen) < min(_MOST, len(settings)):
            name, column = max(tried, key=lambda one: float(np.linalg.norm(one[1])))
            length = float(np.linalg.norm(column))
            if length < _LEAST:
                break
            chosen.append(name)
            unit = column / length
            tried = [(other, one - unit * (unit @ one)) for other, one in tried if other != name]
        return chosen

    def _moved(self, settings: Sequence[str]) -> list[tuple[str, Vector]]:
        """Return the derivatives of the times by each value, logarithm by logarithm."""
        always = self._shortening(len(settings))
        parameters: list[Parameter] = []
        for one in self._candidates:
            fit = self._parsed([one], settings, always)
            parameters += parameters_of(fit, self._inputs.machine)[0]  # None of what is 0 now.
        if not parameters:
            return []
        measures = prepare(self._parsed([parameters[0].name], settings, always)).measures
        starts = [one.start for one in parameters]
        points = [tuple(starts)]
        for row, start in enumerate(starts):
            points.append((*starts[:row], start * math.exp(_STEP), *starts[row + 1 :]))
        first, *others = self._figures(Model(parameters, measures, jobs=_JOBS), points)
        if first is None or len(set(first)) < len(first):  # Records of another size change nothing.
            return []
        return [
            (one.name, np.asarray((np.log(there) - np.log(first)) / _STEP))
            for one, there in zip(parameters, others, strict=True)
            if there is not None
        ]

    def _figures(
        self, model: Model, points: Sequence[tuple[float, ...]]
    ) -> list[list[float] | None]:
        """Return the times of all measurements at each point."""
        rows = range(len(model.measures))
        with progress_bar(len(points) * len(rows), unit="run", wanted=self._progress) as advance:

            def heard(_runs: int) -> None:
                advance(1)

            model.heard = heard
            return model.figures(points, rows)

    def _shortening(self, measures: int) -> tuple[Setting, ...]:
        """Return the settings that shorten the workload, if all runs together would take long."""
        work = work_of(self._base) * measures * (len(self._candidates) + 1)
        if work <= LONG:
            return ()
        again = InputsAgain(self._inputs)
        less = shortened(again, self._base, -(-work // LONG), 2)
        return () if less is None else less.settings

    def _parsed(
        self, names: Sequence[str], settings: Sequence[str], always: Sequence[Setting] = ()
    ) -> Fit:
        text = self._written([f"  {one}: {{}}" for one in names], settings, ["1 s"] * len(settings))
        lines = "".join(f"  {path}: {value}\n" for path, value in always)
        return FIT.parse(f"{text}set:\n{lines}" if lines else text, self._file, ())[0]

    def _with_times(self, chosen: Sequence[str], settings: Sequence[str]) -> str:
        """Return the text with what the whole runs take."""
        prepared = prepare(self._parsed(chosen, settings))
        starts = tuple(one.start for one in prepared.parameters)
        if settings[0]:
            model = Model(prepared.parameters, prepared.measures, jobs=_JOBS)
            (times,) = self._figures(model, [starts])
        else:  # It has been run.
            times = [prepared.measures[0].simulated(self._base)]
        if times is None:
            raise InputError(str(model.why(starts)))
        rows = [f"  {one.name}: {one.shown(one.start)}" for one in prepared.parameters]
        return self._written(rows, settings, [f"{float(f'{one / 1e9:.4g}'):g} s" for one in times])

    def _written(
        self, parameters: Sequence[str], settings: Sequence[str], times: Sequence[str]
    ) -> str:
        figure = self._fields["figure"]
        runs = enumerate(zip(settings, times, strict=True), start=1)
        lines = [f"  - {{name: run {i}, {one}{figure}: {time}}}" for i, (one, time) in runs]
        rows = {"parameters": "\n".join(parameters), "measurements": "\n".join(lines)}
        return _TEXT.format(**self._fields, **rows, more=settings[0])


def _numbers_of(lever: Lever) -> list[str]:
    """Return the names of the numbers of a rate or a time; none of another lever."""
    if lever.kind not in ("bandwidth", "latency") or lever.where not in ("part", "service"):
        return []
    numbers = numbers_in(lever.values[0].now)
    return [f"{lever.name}.{key}" for key in numbers] if len(numbers) > 1 else [lever.name]


def name_from(file: str, name: str) -> str:
    """Return a file's name as another file has it; a shipped name stays."""
    if not ("/" in name or Path(name).is_file()):
        return name
    return os.path.relpath(name, Path(file).parent)
