"""The measurements of a fit file with the runs that stand for them: workload, settings, figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Path, Problem, dotted, raise_errors
from simulator.config.fit_file import RATES
from simulator.config.fitting import fit as misfits
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.knobs import resolved
from simulator.config.variants import Variants
from simulator.config.workload_file import no_phase, phases_of
from simulator.errors import InputError
from simulator.prepared import Prepared
from simulator.result.jobs import phase_times_ns

if TYPE_CHECKING:
    from simulator.config.fit_file import Fit, Measured, Measurement
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload
    from simulator.result.result import Result
    from simulator.study.parameters import Parameter


@dataclass(frozen=True)
class Measure:
    """One measurement, ready to be simulated."""

    name: str
    figure: str
    measured: Measured
    held_out: bool
    prepared: Prepared
    """The machine and the workload with the settings of this run."""
    place: str
    """Its place in the fit file, for messages."""
    phase: str = ""
    """Whose time it is, of ``phase_time``."""

    @property
    def kind(self) -> str:
        """Name of its figure in the store of results."""
        return f"figure={self.figure}" + (f" of {self.phase}" if self.phase else "")

    @property
    def is_rate(self) -> bool:
        """True if its figure is a rate; all others are times, or parts of them."""
        return self.figure in RATES

    @property
    def unit(self) -> str:
        """The unit of its figure in tables: MB/s, s, or %."""
        return "MB/s" if self.is_rate else "%" if self.figure == "lost" else "s"

    @property
    def scale(self) -> float:
        """That unit in bytes per second, in ns, or as a fraction."""
        return {"MB/s": 1e6, "s": 1e9, "%": 0.01}[self.unit]

    def simulated(self, result: Result) -> float:
        """Return its figure of a run; InputError if the run has none."""
        number = _FIGURES[self.figure](result) if not self.phase else self._phase_ns(result)
        if number <= 0:
            about = f"the run has no {self.figure}; measure another figure of it"
            raise InputError(f"{self.place}: {about}")
        return number

    def _phase_ns(self, result: Result) -> float:
        """Return the mean time of a process in its phase; 0 if none came there."""
        return phase_times_ns(result).get(self.phase, 0.0)


def _latency(operation: str, figure: str) -> Callable[[Result], float]:
    def of(result: Result) -> float:
        one = result.latencies.get(operation)
        if one is None or not one.count:
            return 0.0
        return one.mean_ns if figure == "mean" else one.quantile_ns(0.99)

    return of


_FIGURES: dict[str, Callable[[Result], float]] = {
    "elapsed": lambda result: result.elapsed_ns,
    "end": lambda result: result.end_ns,
    "read": lambda result: result.rate("read"),
    "write": lambda result: result.rate("write"),
    "read_time": lambda result: result.mean_calls_ns("read"),
    "write_time": lambda result: result.mean_calls_ns("write"),
    "lost": lambda result: result.lost(),
} | {
    f"{operation}_{figure}": _latency(operation, figure)
    for operation in ("read", "write", "job")
    for figure in ("mean", "p99")
}
"""Each figure of a run, in ns, bytes per second, or as a fraction."""


class Reader:
    """Makes the runs of a fit file's measurements; files that several use are read once."""

    def __init__(self, fit: Fit, machine: Machine, parameters: Sequence[Parameter]) -> None:
        self.fit = fit
        self.machine = machine
        self.parameters = parameters
        self.problems: list[Problem] = []
        self._machines: dict[tuple[Setting, ...], Variants[Machine]] = {}
        self._workloads: dict[tuple[str, tuple[Setting, ...]], Variants[Workload]] = {}

    def measures(self) -> list[Measure]:
        """Return all measurements; ConfigError lists what is wrong with any of them."""
        found = []
        for at, one in self.fit.listed():
            try:
                found.append(self._measure(at, one))
            except ConfigError as error:
                self.problems += error.problems
        if self.problems:
            raise ConfigError(self.problems)
        return found

    def _measure(self, at: Path, one: Measurement) -> Measure:
        source = one.workload or self.fit.workload
        assert source is not None  # The file has been checked.
        origin = self.fit.origin
        name = self.fit.beside(source)
        where = (*at, "workload") if one.workload is not None else ("workload",)
        plain = self._load_workload(name, (), origin.problem(where, ""))
        common = [(("set", key), key, value) for key, value in self.fit.set.items()]
        own = [((*at, "set", key), key, value) for key, value in one.set.items()]
        settings = [self._full(*given, plain.load(())) for given in (*common, *own)]
        mine = _of("machine", [setting for _, setting in settings])
        theirs = _of("workload", [setting for _, setting in settings])
        try:
            prepared = Prepared.of(self._machine(mine), self._workload(name, theirs))
            machine, workload = prepared.load()
        except ConfigError as error:
            raise ConfigError(self._at_settings(error.problems, settings)) from error
        raise_errors(
            origin.problem(at, f"{problem}")
            for problem in misfits(machine, workload)
            if problem.severity == "error"
        )
        (figure,) = one.figures
        place = origin.place(at)
        shown = f"{place.file}:{place.line}:{place.column}: {dotted(at)}"
        held = at[0] == "held_out"
        phase = one.phase or ""
        known = phases_of(workload)
        if phase and phase not in known:
            about = f"{phase!r} is no phase; {no_phase(phase, known)}"
            raise ConfigError([origin.problem((*at, "phase"), about)])
        return Measure(one.name, figure, one.measured, held, prepared, shown, phase)

    def _full(self, at: Path, name: str, value: str, workload: Workload) -> tuple[Path, Setting]:
        """Return a setting with its full path, and its place."""
        try:
            ((path, _),) = resolved([(name, value)], self.machine, workload)
        except ConfigError as error:
            problems = [self.fit.origin.problem(at, one.message) for one in error.problems]
            raise ConfigError(problems) from error
        for one in self.parameters:
            if path == one.path:
                about = f"is fitted as {one.name}; leave one of them out"
                raise ConfigError([self.fit.origin.problem(at, about)])
        return at, (path, value)

    def _at_settings(
        self, problems: Iterable[Problem], settings: Sequence[tuple[Path, Setting]]
    ) -> list[Problem]:
        """Put what is wrong with a setting where the fit file has it."""
        places = {f"--set {path}={value}": at for at, (path, value) in settings}
        return [
            self.fit.origin.problem(places[one.file], one.message) if one.file in places else one
            for one in problems
        ]

    def _machine(self, settings: tuple[Setting, ...]) -> Variants[Machine]:
        if settings not in self._machines:
            name = self.fit.beside(self.fit.machine)
            self._machines[settings] = Variants(MACHINE, name, settings)
        return self._machines[settings]

    def _load_workload(
        self, name: str, settings: tuple[Setting, ...], missing: Problem
    ) -> Variants[Workload]:
        """Return the variants of a workload; that a file is missing is said where it is named."""
        try:
            return self._workload(name, settings)
        except ConfigError as error:
            raise ConfigError(at_mention(error.problems, name, missing)) from error

    def _workload(self, name: str, settings: tuple[Setting, ...]) -> Variants[Workload]:
        key = name, settings
        if key not in self._workloads:
            variants = Variants(WORKLOAD, name, settings)
            variants.load(())
            self._workloads[key] = variants
        return self._workloads[key]


def at_mention(problems: Iterable[Problem], name: str, mention: Problem) -> list[Problem]:
    """Put what is wrong with a file as a whole where it is named."""
    return [
        replace(mention, message=f"{name}: {one.message}")
        if one.file == name and not one.line and not one.key
        else one
        for one in problems
    ]


def _of(head: str, settings: Sequence[Setting]) -> tuple[Setting, ...]:
    return tuple(one for one in settings if one[0].partition(".")[0] == head)
