"""A fit file, ``fit/1``: measurements, and the values of a machine that are fitted to them.

What needs the machine and the workloads themselves is checked in :mod:`simulator.study.fitted`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from simulator.config.document import Document
from simulator.config.errors import Fault, Path
from simulator.config.load import Kind
from simulator.config.measured import Measured, Percents, Rates, SettingText, Times
from simulator.config.quantities import FileName, Name, Text, word
from simulator.config.section import Section

Residuals = Annotated[Literal["log", "range"], word("residuals", "log", "range", sourced=False)]

FIGURES = (
    *("elapsed", "end", "read", "write", "read_time", "write_time"),
    *("read_mean", "read_p99", "write_mean", "write_p99", "job_mean", "job_p99", "lost"),
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

    @property
    def figures(self) -> list[str]:
        """The keys of the figures that it gives."""
        return [key for key in FIGURES if getattr(self, key) is not None]

    @property
    def measured(self) -> Measured:
        """What was measured."""
        (figure,) = self.figures
        found: Measured = getattr(self, figure)
        return found


class Fit(Document):
    """Which values of a machine are fitted, and to what."""

    format: Annotated[Literal["fit/1"], word("fit-format", "fit/1", sourced=False)]
    """The version of this file format."""
    name: FileName
    """Short name, used as the source of the fitted values."""
    title: Text = ""
    """What people call it."""
    references: dict[str, Text] = {}
    """The literature that sources name, by key."""
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
    """The values that are fitted, by short name ('nwtsim show M --knobs' lists them) or path."""
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
        if len(figures) == 1 and self.residuals == "range" and not one.measured.range:
            about = "has no range; repeat it, or write 'residuals: log' at the top"
            if at[0] == "measurements":
                yield (*at, figures[0]), about

    def beside(self, name: str) -> str:
        """Return what a name in the file stands for: a file beside it, or a shipped name."""
        path = FilePath(self.origin.file).parent / name
        like_a_path = "/" in name or name.endswith((".yaml", ".yml"))
        return str(path) if like_a_path or path.is_file() else name


def _nothing(_plain: Any) -> Iterable[Any]:
    return ()


FIT = Kind("fit", Fit, _nothing, checks=Fit.faults)
