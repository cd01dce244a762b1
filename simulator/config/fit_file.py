"""A fit file, ``fit/1``: measurements, and the values of a machine that are fitted to them.

What needs the machine and the workloads themselves is checked in :mod:`simulator.study.parameters`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Any, Literal

from simulator.config.errors import Fault, Path
from simulator.config.load import Kind
from simulator.config.quantities import (
    FileName,
    Leaf,
    Name,
    Percent,
    Rate,
    Text,
    Time,
    each,
    keyed,
    keyed_schema,
    not_text,
)
from simulator.config.section import Called, Section, leaf_of
from simulator.config.sources import Document

_KEYS = ("mean", "min", "max")


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured, in ns, bytes per second, or as a fraction."""

    mean: float
    low: float
    """The smallest of the repeated values; the mean if there is one value."""
    high: float
    runs: tuple[float, ...] = ()
    """The repeated values, if they were given."""

    @property
    def range(self) -> float:
        """The largest less the smallest; 0 of one value."""
        return self.high - self.low

    def holds(self, figure: float) -> bool:
        """Return whether a figure lies between the smallest and the largest."""
        return self.low <= figure <= self.high


def _measured(name: str, one: Leaf) -> Leaf:
    """Make the leaf of measured values of one dimension."""
    example = f"[{one.example}, {one.example}]"
    fields = f"{{mean: {one.example}, min: {one.example}, max: {one.example}}}"

    def number(value: object) -> float:
        read = float(one.read(value))
        if not read:
            raise ValueError(f"0 was read; write a value above 0, like {one.example!r}")
        return read

    def several(values: Sequence[object]) -> Measured:
        if not values:
            raise ValueError(not_text(values, example))
        numbers = tuple(each(number, enumerate(values)).values())
        return Measured(fmean(numbers), min(numbers), max(numbers), numbers)

    def bounded(values: Mapping[Any, object]) -> Measured:
        read_all = keyed(values, dict.fromkeys(_KEYS, number), f"'{fields}'")
        mean, low, high = (read_all[key] for key in _KEYS)
        if not low <= mean <= high:
            raise ValueError("the mean is not between min and max; write it so")
        return Measured(mean, low, high)

    def read(value: object) -> Measured:
        if isinstance(value, Measured):
            return value
        if isinstance(value, Mapping):
            return bounded(value)
        if isinstance(value, list | tuple):
            return several(value)
        single = number(value)
        return Measured(single, single, single)

    def show(value: Measured) -> str:
        if not value.range:
            return one.show(value.mean)
        if value.runs:
            return f"[{', '.join(map(one.show, value.runs))}]"
        numbers = zip(_KEYS, (value.mean, value.low, value.high), strict=True)
        return f"{{{', '.join(f'{key}: {one.show(number)}' for key, number in numbers)}}}"

    bounds = keyed_schema(dict.fromkeys(_KEYS, one.schema))
    listed = {"type": "array", "items": one.schema, "minItems": 1}
    return Leaf(name, one.example, read, show, {"anyOf": [one.schema, listed, bounds]}, keyed=True)


Times = Annotated[Measured, _measured("measured-time", leaf_of(Time))]
"""Measured times; ns."""
Rates = Annotated[Measured, _measured("measured-rate", leaf_of(Rate))]
"""Measured rates; bytes per second."""
Percents = Annotated[Measured, _measured("measured-percentage", leaf_of(Percent))]
"""Measured percentages; fractions."""


def _read_setting(value: object) -> str:
    """Read the value of a setting, as ``--set`` takes it."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_read_setting(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_read_setting, value))}]"
    if not isinstance(value, str):
        raise ValueError(not_text(value, "8 MB"))
    return value


_FORMS = ("string", "number", "boolean", "array", "object")
_SETTING: dict[str, Any] = {"anyOf": [{"type": form} for form in _FORMS]}
SettingText = Annotated[
    str, Leaf("setting", "8 MB", _read_setting, str, _SETTING, sourced=False, keyed=True)
]
"""The value of a setting."""


Residuals = Annotated[Literal["log", "range"], Called("residuals", sourced=False)]

FIGURES = (
    *("elapsed", "end", "read", "write", "read_time", "write_time"),
    *("read_mean", "read_p99", "write_mean", "write_p99", "job_mean", "job_p99", "lost"),
    "phase_time",
)
"""What can be measured: keys of a measurement."""
RATES = ("read", "write")


class Parameter(Section):
    """One value of the machine that is fitted; a plain text is its start."""

    shorthand = {"text": "start"}
    synonyms = {"from": "low", "min": "low", "to": "high", "max": "high", "guess": "start"}

    start: Text | None = None
    """First guess, with its unit; what the machine has if left out."""
    low: Text | None = None
    """The least that it can be; a hundredth of the start if left out."""
    high: Text | None = None
    """The most that it can be; a hundred times the start if left out."""


class Measurement(Section):
    """One run that was measured, and what it gave: exactly one figure."""

    synonyms = {"time": "elapsed", "settings": "set", "read_rate": "read", "write_rate": "write"}

    name: Name
    """What reports call it; each measurement has another."""
    workload: Text | None = None
    """What ran: a workload file, beside this one, or a shipped name; as above if left out."""
    set: dict[str, SettingText] = {}
    """Settings of this run: short names or paths, as for '--set'."""
    elapsed: Times | None = None
    """Time until the last process ended."""
    end: Times | None = None
    """Time until all written data were on their devices."""
    read: Rates | None = None
    """Rate of reading, of all processes together."""
    write: Rates | None = None
    """Rate of writing, of all processes together."""
    read_time: Times | None = None
    """Time that a process spent reading, on the average."""
    write_time: Times | None = None
    """Time that a process spent writing, on the average."""
    read_mean: Times | None = None
    """Mean latency of a READ."""
    read_p99: Times | None = None
    """Latency of a READ that 99 % do not exceed."""
    write_mean: Times | None = None
    """Mean latency of a WRITE."""
    write_p99: Times | None = None
    """Latency of a WRITE that 99 % do not exceed."""
    job_mean: Times | None = None
    """Mean time of a job that arrives."""
    job_p99: Times | None = None
    """Time of a job that 99 % do not exceed."""
    lost: Percents | None = None
    """Part of the processes' time that was not computing."""

    phase: Text | None = None
    """With phase_time: which phase, by its job and its place there: 'application.0'."""
    phase_time: Times | None = None
    """Time that a process spent in a phase, on the average."""

    @property
    def figures(self) -> list[str]:
        """The keys of the figures that it gives."""
        return [key for key in FIGURES if getattr(self, key) is not None]

    @property
    def measured(self) -> Measured:
        """Return what was measured."""
        (figure,) = self.figures
        found: Measured = getattr(self, figure)
        return found


class Fit(Document):
    """Which values of a machine are fitted, and to what."""

    format: Annotated[Literal["fit/1"], Called("fit-format", sourced=False)]
    """The version of this file format."""
    name: FileName
    """Short name, used as the source of the fitted values."""
    machine: Text
    """The machine: a file, beside this one, or a shipped name."""
    workload: Text | None = None
    """The workload of measurements that name none."""
    set: dict[str, SettingText] = {}
    """Settings of all runs: short names or paths, as for '--set'."""
    residuals: Residuals = "log"
    """What is made small: logarithms of simulated over measured (log), or differences in units of
    the range of the repeated values (range)."""
    parameters: dict[str, Parameter]
    """The values that are fitted, by path or short name ('nwtsim show M --knobs --full')."""
    measurements: tuple[Measurement, ...]
    """What they are fitted to."""
    held_out: tuple[Measurement, ...] = ()
    """Measurements that are predicted only."""

    def faults(self) -> Iterator[Fault]:
        """Find what no single value shows: too few measurements, names twice, figures missing."""
        if not self.parameters:
            yield ("parameters",), "is empty; name one value of the machine or more"
        if not self.measurements:
            yield ("measurements",), "is empty; write one or more"
        elif len(self.parameters) > len(self.measurements):
            about = f"{len(self.parameters)} values are fitted to {len(self.measurements)}"
            about = f"{about} measurement{'s' * (len(self.measurements) > 1)}"
            yield ("parameters",), f"{about}; fit fewer, or measure more"
        names = Counter(one.name for _, one in self.listed())
        seen: set[str] = set()
        for at, one in self.listed():
            if one.name in seen and names[one.name] > 1:
                yield (*at, "name"), f"{one.name!r} is the name of another one; write a new one"
            seen.add(one.name)
            yield from self._wrong_figures(at, one)
            if one.workload is None and self.workload is None:
                yield at, "workload is missing; write it here, or 'workload:' for all at the top"

    def listed(self) -> Iterator[tuple[Path, Measurement]]:
        """Yield all measurements with their places, those that are held out last."""
        for key in ("measurements", "held_out"):
            for index, one in enumerate(getattr(self, key)):
                yield (key, index), one

    def _wrong_figures(self, at: Path, one: Measurement) -> Iterator[Fault]:
        figures = one.figures
        if not figures:
            yield at, f"has no figure; write one of {', '.join(FIGURES)}, like 'elapsed: 12.5 s'"
        for more in figures[1:]:
            about = f"{figures[0]} is given already; make this a measurement of its own"
            yield (*at, more), about
        if one.phase_time is not None and one.phase is None:
            about = "needs 'phase': which one it is; write it like 'phase: application.0'"
            yield (*at, "phase_time"), about
        if one.phase is not None and one.phase_time is None:
            yield (*at, "phase"), "is only for phase_time; write that too, or leave this out"
        if len(figures) == 1 and self.residuals == "range" and not one.measured.range:
            about = "has no range; repeat it, or write 'residuals: log' at the top"
            if at[0] == "measurements":
                yield (*at, figures[0]), about


FIT = Kind("fit", Fit, checks=Fit.faults)
