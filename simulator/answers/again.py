"""A run that is made again with other settings, as often as a question needs it.

Files are read once; what a setting does not touch is neither read nor lowered again. Whether what
limits is asked of the whole run, of a shortened one, or only when it is wanted depends on the work
of the run, which is counted and not timed: the same command gives the same report on any machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from simulator.answers.levers import with_events
from simulator.answers.limits import MOST_MOVED, Limits, acting, asked_measures, limits_of
from simulator.config.errors import ConfigError
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.variants import Variants
from simulator.errors import InputError
from simulator.plan.errors import SimulationError
from simulator.prepared import Plans, Prepared

if TYPE_CHECKING:
    from simulator.answers.measure import Measure
    from simulator.answers.shorter import Shortened
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload
    from simulator.inputfile import Source
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.run import EngineName, Inputs


class Again(ABC):
    """A run of a machine that can be made again."""

    def __init__(
        self,
        machine: Machine,
        engine: EngineName = "auto",
        stopped: Callable[[], bool] | None = None,
        plans: Plans | None = None,
    ) -> None:
        """``stopped`` is asked now and then whether to give up (KeyboardInterrupt).

        ``plans``: what runs the plans, if something has made plans of such machines before.
        """
        self.machine = machine
        self._engine: EngineName = engine
        self._stopped = stopped
        self._plans = plans or Plans()

    @property
    def workload(self) -> Workload | None:
        """The workload, if it has a file whose values can be set."""
        return None

    @abstractmethod
    def plan(self, settings: Sequence[Setting]) -> Plan:
        """Make the plan with more settings; ConfigError or InputError if they are refused."""

    def run(self, settings: Sequence[Setting]) -> Result | None:
        """Run with more settings; None if the machine cannot be like that, or stands still."""
        try:
            plan = self.plan(settings)
            return self._plans.run(plan, engine=self._engine, stopped=self._stopped)
        except (ConfigError, InputError, SimulationError):
            return None


class PreparedAgain(Again):
    """A run of a machine file and a workload file that were read before."""

    def __init__(
        self,
        prepared: Prepared,
        settings: Sequence[Setting] = (),
        *,
        seed: int | None = None,
        engine: EngineName = "auto",
    ) -> None:
        """``settings`` are those of the run itself, beside those of all runs."""
        machine, self._workload = prepared.load(settings)
        super().__init__(machine, engine, plans=prepared.plans)
        self._prepared = prepared
        self._settings = tuple(settings)
        self._seed = seed

    @property
    def workload(self) -> Workload | None:
        """The workload."""
        return self._workload

    def loaded(self, settings: Sequence[Setting]) -> tuple[Machine, Workload]:
        """Return both files with more settings; ConfigError if they are refused."""
        return self._prepared.load((*self._settings, *settings))

    def plan(self, settings: Sequence[Setting]) -> Plan:
        """Make the plan with more settings; ConfigError if they are refused."""
        return self._plans.fitted(*self.loaded(settings), self._seed)

    def run_jobs(self, names: Collection[str]) -> Result | None:
        """Run with some of the jobs; None if they cannot do without the others, or stand still."""
        machine, whole = self.loaded(())
        workload = whole.with_value("jobs", tuple(one for one in whole.jobs if one.name in names))
        workload.remember(whole.origin)
        if [*WORKLOAD.checks(workload)]:
            return None
        try:
            plan = self._plans.fitted(machine, workload, self._seed)
            return self._plans.run(plan, engine=self._engine, stopped=self._stopped)
        except (ConfigError, InputError, SimulationError):
            return None


class InputsAgain(PreparedAgain):
    """A run of a machine file and a workload file."""

    def __init__(
        self, inputs: Inputs, *, seed: int | None = None, engine: EngineName = "auto"
    ) -> None:
        prepared = Prepared(*inputs.sources, inputs.settings)
        super().__init__(prepared, seed=seed, engine=engine)


class LoweredAgain(Again):
    """A run of whatever is planned for a machine of which there are variants."""

    def __init__(
        self,
        variants: Variants[Machine],
        settings: Sequence[Setting],
        make: Callable[[Machine], Plan],
        engine: EngineName = "auto",
        stopped: Callable[[], bool] | None = None,
    ) -> None:
        """``settings`` are those of the run itself, beside those of all variants."""
        super().__init__(variants.load(tuple(settings)), engine, stopped)
        self._variants = variants
        self._settings = tuple(settings)
        self._make = make

    def plan(self, settings: Sequence[Setting]) -> Plan:
        """Make the plan with more settings; ConfigError or InputError if they are refused."""
        return self._make(self._variants.load((*self._settings, *settings)))


def machine_variants(source: Source, settings: Sequence[Setting]) -> Variants[Machine]:
    """Return the variants of a machine; settings have full paths."""
    return Variants(MACHINE, source, settings)


SHORT = 5_000_000
"""Work of all runs of a question that is done without hesitation: a second of the native engine."""
LONG = 5 * SHORT
"""Work of all runs of a question that is done if nobody asked for it, but with a progress bar."""
MOST_CONFIRMED = 3
"""Levers, or cures, that shortened runs have chosen and that are run whole."""
_MAKING = 10_000
"""Work of making a run: settings, plan, result;"""
_MAKING_PROCESS = 200
"""and for each process."""


class NotAsked(NamedTuple):
    """A question that was not asked, since its answer would take long."""

    runs: int
    """It would take at most so many runs."""

    @property
    def note(self) -> str:
        """A sentence of advice that was given without the answer."""
        return (
            f"Changes of the machine were not looked for, since that takes up to {self.runs} runs"
            " as long as this one (--limits does)."
        )


def work_of(result: Result) -> int:
    """Count the work of a run: events, blocks that stores look at, processes."""
    blocks = sum(
        one.counts.get("hits", 0) + one.counts.get("misses", 0) for one in result.stores.values()
    )
    work = (result.events + blocks) * result.slowness
    return work + _MAKING + _MAKING_PROCESS * len(result.processes)


def ask_limits(
    again: Again,
    plan: Plan,
    result: Result,
    *,
    wanted: bool | None = None,
    job: str | None = None,
    chosen: bool = False,
    progress: bool | None = None,
) -> Limits | NotAsked:
    """Ask what limits a run, and each of its jobs, or only ``job``.

    If all runs together would take long, shortened ones choose the levers, and only those that save
    most are run whole: what is told is of whole runs (``chosen``: all that shortened ones say, for
    a choice of which nothing is told). A run that cannot be shortened is left whole
    if it is ``wanted``, or if all take some seconds (None); then ``progress`` shows a bar on
    standard error (None: if that is a terminal).
    """
    measures = asked_measures(again, result, job)
    runs = _runs(again, plan, result, measures)
    work = runs * work_of(result)
    if work <= SHORT:
        return limits_of(again, plan, result, job=job)
    from simulator.answers.shorter import shortened

    if work_of(result) > LONG and not wanted:
        return NotAsked(runs)
    least = 2 if wanted else -(-work // LONG)
    less = shortened(again, result, -(-work // SHORT), least, measures)
    if less is not None:
        if chosen:
            return limits_of(again, less.plan, less.result, job=job, shortened=less)
        few = max(1, min(MOST_CONFIRMED, LONG // work_of(result)))
        return _confirmed(again, plan, result, less, few, job=job, progress=progress)
    if work > LONG and not wanted:
        return NotAsked(runs)
    return limits_of(again, plan, result, job=job, progress=progress)


def _confirmed(
    again: Again,
    plan: Plan,
    result: Result,
    less: Shortened,
    few: int,
    *,
    job: str | None,
    progress: bool | None,
) -> Limits:
    """Run the first levers of shortened runs whole, ``few`` of each job; tell of these alone."""
    chosen = limits_of(again, less.plan, less.result, job=job, shortened=less, progress=progress)
    names = {one.lever.name for each in chosen.each for one in each.limits[:few]}
    found = limits_of(again, plan, result, job=job, only=names, progress=progress)
    return found._replace(
        shortened=less,
        runs=chosen.runs + found.runs,
        jobs=tuple(one._replace(shortened=less) for one in found.jobs),
    )


def ask_wanted(
    again: Again,
    plan: Plan,
    result: Result,
    *,
    whole: bool,
    job: str | None = None,
    progress: bool | None = None,
) -> Limits:
    """Ask what limits a run, however long it takes; of the ``whole`` one if that is wanted."""
    if not whole:
        found = ask_limits(again, plan, result, wanted=True, job=job, progress=progress)
        assert not isinstance(found, NotAsked)
        return found
    measures = asked_measures(again, result, job)
    long = _runs(again, plan, result, measures) * work_of(result) > SHORT
    return limits_of(again, plan, result, job=job, progress=progress if long else False)


def _runs(again: Again, plan: Plan, result: Result, measures: Sequence[Measure]) -> int:
    """Return how many runs the question takes at most."""
    every = with_events(again.machine, again.workload)
    levers = len(acting(every, plan, result, measures)[0])
    return levers + 2 * min(levers, MOST_MOVED * len(measures))
