"""The loads of a requirement: workloads on its machine, with its settings, as they will have grown.

Everything that a person wrote is checked here before anything runs: that settings stand for
something, that every combination's values can be set, and that machine and workloads fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Path, Problem
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.knobs import resolved
from simulator.config.load import load_file, parsed, read_file
from simulator.config.requirement_file import NORMAL, REQUIREMENT
from simulator.errors import did_you_mean
from simulator.plan.bounds import Bounds
from simulator.prepared import Prepared
from simulator.sizing.configurations import Full, Offer
from simulator.sizing.contradictions import Contradictions
from simulator.sizing.grown import Grown
from simulator.sizing.ledger import path_of
from simulator.study.measurements import at_mention
from simulator.units import shown
from simulator.wording import command_line

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.requirement_file import Load, Requirement
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload
    from simulator.inputfile import Source
    from simulator.plan.plan import Plan
    from simulator.sizing.configurations import Configuration

MOST_REFUSED = 5_000
"""Combinations among which one is looked for that the machine does not refuse."""


@dataclass(frozen=True)
class Ready:
    """One load, ready to be planned."""

    name: str
    weight: float
    workload: str
    """Its file, or shipped name."""
    settings: tuple[Setting, ...]
    """Settings of all its runs, with full paths."""
    prepared: Prepared

    def plan(self, settings: Iterable[Setting], seed: int | None = None) -> Plan:
        """Make the plan of a run with more settings; ConfigError lists what is wrong."""
        return self.prepared.plan(settings, seed=seed)


class Loads:
    """The machine and the loads of a requirement; ConfigError lists all that is wrong."""

    def __init__(self, source: Source, year: int | None = None) -> None:
        """``source``: a requirement file, the name of a shipped one, or its text.

        ``year``: after so many years of growth; None: as the requirement has it.
        """
        self.text = read_file(REQUIREMENT, source)
        """From which another process makes the same."""
        self.year = year
        requirement: Requirement = parsed(REQUIREMENT, self.text, ())[0]
        if year is not None:
            origin = requirement.origin
            requirement = requirement.with_value("years", float(year))
            requirement.remember(origin)
        self.requirement = requirement
        self.machine_file = requirement.beside(requirement.machine)
        self._problems: list[Problem] = []
        self._refusing = False
        """True if the machine refuses some combinations of values that it takes one by one."""
        self._refused: dict[int, str | None] = {}
        self._growing: dict[str, Path] = {}
        """Places of the growth of settings, by their full paths."""
        machine = self._read_machine()
        workloads = {name: self._read(name, one) for name, one in requirement.workloads.items()}
        self._stop()
        first = next(iter(workloads.values()))
        common = self._full(("set",), requirement.set, machine, first)
        self.loads = tuple(
            self._ready(name, one, machine, workloads[name], common)
            for name, one in requirement.workloads.items()
        )
        full = self._all_settings(machine, first)
        self._check_growing(full)
        self._stop()
        self.offer = Offer(requirement, full)
        self._check_values()
        self._stop()
        self.offer.written = self._written()
        self._contradict()
        self.offer.check_buildable()
        self._check_jobs(workloads)
        self._stop()

    def __reduce__(self) -> tuple[object, ...]:
        return Loads, (self.text, self.year)

    def _stop(self) -> None:
        if self._problems:
            raise ConfigError(self._problems)

    # -- files ------------------------------------------------------------------------------------

    def _read_machine(self) -> Machine:
        name = self.machine_file
        try:
            machine = load_file(MACHINE, name)
        except ConfigError as error:
            mention = self.requirement.origin.problem(("machine",), "")
            raise ConfigError(at_mention(error.problems, name, mention)) from error
        self._tell(("machine",), _impatient(machine))
        self._stop()
        return machine

    def _read(self, name: str, load: Load) -> Workload:
        file = self.requirement.beside(load.workload)
        try:
            return load_file(WORKLOAD, file)
        except ConfigError as error:
            mention = self.requirement.origin.problem(("workloads", name, "workload"), "")
            raise ConfigError(at_mention(error.problems, file, mention)) from error

    def _ready(
        self,
        name: str,
        load: Load,
        machine: Machine,
        workload: Workload,
        common: Sequence[Setting],
    ) -> Ready:
        at = ("workloads", name)
        own = self._full((*at, "set"), load.set, machine, workload)
        grown = self._grown(name, load, (machine, workload), common, own)
        settings = tuple((dict(common) | dict(own) | dict(grown)).items())
        file = self.requirement.beside(load.workload)
        return Ready(name, load.weight, file, settings, Prepared(self.machine_file, file, settings))

    def _grown(
        self,
        name: str,
        load: Load,
        sections: tuple[Machine, Workload],
        common: Sequence[Setting],
        own: Sequence[Setting],
    ) -> list[Setting]:
        """Return the settings of a load that its growth changes, after the years."""
        if not load.growth.all:
            return []
        at = ("workloads", name, "growth")
        named = {
            key: [path for path, _ in self._full((*at, "set"), {key: ""}, *sections)]
            for key in load.growth.set
        }
        with suppress(ConfigError):  # What is wrong with the settings is told where they are tried.
            file = self.requirement.beside(load.workload)
            sections = Prepared(self.machine_file, file, (*common, *own)).load()
        grown = Grown(load.growth, self.requirement.years, *sections)
        found = grown.settings(dict(own), named)
        self._growing |= {path: (*at, *place) for path, place in grown.places.items()}
        for place, about in grown.faults:
            self._tell((*at, *place), [Problem("", 0, 0, "", about)])
        return found

    def _check_growing(self, full: Full) -> None:
        """Tell what a choice sets, and is to grow too."""
        chosen = {path for paths in full.values.values() for path in paths}
        chosen |= {path for settings in full.options.values() for path, _ in settings}
        about = "is what a choice sets, so that it cannot grow; leave it out"
        for path in chosen.intersection(self._growing):
            self._tell(self._growing[path], [Problem("", 0, 0, "", about)])

    # -- settings ---------------------------------------------------------------------------------

    def _full(
        self, at: Path, settings: Mapping[str, str], machine: Machine, workload: Workload
    ) -> list[Setting]:
        """Return settings with their full paths; what stands for nothing is a problem."""
        found = []
        for name, value in settings.items():
            try:
                found += resolved([(name, value)], machine, workload)
            except ConfigError as error:
                self._tell((*at, name), error.problems)
        return found

    def _tell(self, at: Path, problems: Iterable[Problem]) -> None:
        self._problems += [
            self.requirement.origin.problem(at, problem.message) for problem in problems
        ]

    def _all_settings(self, machine: Machine, workload: Workload) -> Full:
        """Return the settings of choices and states, with full paths; they are the machine's."""

        def full(at: Path, settings: Mapping[str, str]) -> list[Setting]:
            found = self._full(at, settings, machine, workload)
            self._of_machine(at, [path for path, _ in found])
            return found

        choices = self.requirement.choices
        firsts = {
            name: dict.fromkeys(one.set or (), (one.values or ("",))[0])
            for name, one in choices.items()
        }
        return Full(
            {
                name: [path for path, _ in full(("choices", name, "set"), settings)]
                for name, settings in firsts.items()
            },
            {
                (name, key): full(("choices", name, "options", key, "set"), option.set)
                for name, one in choices.items()
                for key, option in one.options.items()
            },
            {
                name: full(("states", name, "set"), state.set)
                for name, state in self.requirement.states.items()
            },
        )

    def _of_machine(self, at: Path, paths: Iterable[str]) -> None:
        for path in paths:
            if not path.startswith("machine."):
                about = f"{path} is no value of the machine, of which parts are bought"
                about = f"{about}; write one of 'nwtsim show --full'"
                self._tell(at, [Problem("", 0, 0, "", about)])

    def _check_values(self) -> None:
        """Look at each value of each choice once, in each state, beside the first of the others."""
        offer = self.offer
        stride = offer.size
        numbers: dict[int, tuple[str, int]] = {}
        for name, levels in zip(offer.names, offer.levels, strict=True):
            stride //= len(levels)
            numbers |= {place * stride: (name, place) for place in range(len(levels))}
        for number, (name, place) in numbers.items():
            one = offer.configuration(number)
            for state in (NORMAL, *self.requirement.states):
                settings = offer.settings_in(one, state)
                if wrong := [*self.wrong(settings)]:
                    if self._is_right_elsewhere(name, place):
                        self._refusing = True
                    else:
                        at = self._said(wrong[0]) or self._blamed(name, place, state)
                        self._tell(at, map(_keyed, wrong[:1]))
                    break

    def _is_right_elsewhere(self, name: str, place: int) -> bool:
        """Return whether the machine takes a value beside other values of other choices.

        Of so many combinations that looking for one would take long, nothing is said.
        """
        offer = self.offer
        if offer.size > MOST_REFUSED:
            return False
        index = offer.names.index(name)
        return any(
            self._refusal(number) is None
            for number in range(offer.size)
            if offer.places_of(number)[index] == place
        )

    def _refusal(self, number: int) -> str | None:
        """Return why the machine of a combination is refused, in some state; None if it is not."""
        if number not in self._refused:
            self._refused[number] = None
            one = self.offer.configuration(number)
            for state in (NORMAL, *self.requirement.states):
                wrong = next(self.wrong(self.offer.settings_in(one, state)), None)
                if wrong is not None:
                    about = _keyed(wrong).message.partition(";")[0]
                    self._refused[number] = about if state == NORMAL else f"{state}: {about}"
                    break
        return self._refused[number]

    def _said(self, problem: Problem) -> Path | None:
        """Return where a setting stands that is wrong beside every value of every choice."""
        path = problem.file.removeprefix("--set ").partition("=")[0]
        if path in self.requirement.set:
            return ("set", path)
        if path in self._growing:
            return self._growing[path]
        loads = self.requirement.workloads.items()
        return next(
            (("workloads", name, "set", path) for name, one in loads if path in one.set), None
        )

    def _blamed(self, choice: str, place: int, state: str) -> Path:
        if state != NORMAL:
            return ("states", state)
        index = self.offer.names.index(choice)
        return path_of(self.offer, index, self.offer.levels[index][place])

    def wrong(self, settings: Sequence[Setting]) -> Iterator[Problem]:
        """Yield what is wrong with a machine of these settings under any of the loads."""
        for load in self.loads:
            try:
                both = load.prepared.load(settings)
            except ConfigError as error:
                yield from error.problems
                continue
            yield from _impatient(both[0])
            if load.prepared.plans.misfits(*both):
                yield from load.prepared.misfits(settings)

    def _right(self) -> Configuration:
        """Return the first combination that the machine does not refuse."""
        if not self._refusing:
            return self.offer.configuration(0)
        numbers = range(self.offer.size)
        return self.offer.configuration(next(n for n in numbers if self._refusal(n) is None))

    def _contradict(self) -> None:
        """Tell what is bought and is not the machine, and have no such combination built."""
        self._check_served()
        found = Contradictions(self.offer, self.loads, self._right())
        for one in found.mistakes():
            self._tell(one.at, [Problem("", 0, 0, "", f"{one.about}; {one.cure}")])
        self._stop()
        self.impossible = found.impossible()
        self.offer.contradicted = found.why
        if self._refusing:
            self.offer.contradicted = lambda one: found.why(one) or self._refusal(one.number)
            numbers = range(self.offer.size)
            whys = (self.offer.contradicted(self.offer.configuration(one)) for one in numbers)
            self.impossible = Counter(filter(None, whys))

    def _check_served(self) -> None:
        """Tell what a piece is to serve, and is not in the machine."""
        machine = self.loads[0].prepared.load(self._right().settings)[0]
        names = [*machine.parts, *machine.stores, *machine.nodes]
        for item, one in self.requirement.catalogue.items():
            for name in one.serves:
                if name not in names:
                    about = f"the machine has no {shown(name)}; {did_you_mean(name, names)}"
                    at = "catalogue", item, "serves", name
                    self._tell(at, [Problem("", 0, 0, "", about)])
        self._stop()

    def _written(self) -> float:
        """Return the bytes that all loads write in a day."""
        settings = self._right().settings
        often = [(load, self.requirement.workloads[load.name].per_day) for load in self.loads]
        return sum(count * Bounds(load.plan(settings)).written() for load, count in often if count)

    def _check_jobs(self, workloads: Mapping[str, Workload]) -> None:
        for index, target in enumerate(self.requirement.targets):
            names = [target.workload] if target.workload else [*workloads]
            for name in names:
                jobs = [job.name for job in workloads[name].jobs]
                if target.job is not None and target.job not in jobs:
                    about = f"{name} has no job {target.job!r}; {did_you_mean(target.job, jobs)}"
                    self._tell(("targets", index, "job"), [Problem("", 0, 0, "", about)])


def _keyed(problem: Problem) -> Problem:
    """Return a problem of the machine's file whose message names the key that is meant."""
    about = f"{problem.key}: {problem.message}" if problem.key else problem.message
    return replace(problem, message=about)


def _impatient(machine: Machine) -> Iterator[Problem]:
    """Yield file systems whose calls fail: what is not done takes no time, and meets any target."""
    for name, system in machine.filesystems.items():
        if system.timeout is not None:
            about = f"calls on {name} give up, and times of calls that fail meet no target; leave"
            yield Problem("", 0, 0, "", f"{about} 'timeout' of {name} out")


def command_of(
    loads: Loads, load: Ready, settings: Iterable[Setting], options: Iterable[str]
) -> str:
    """Return the command that makes runs again."""
    words = ["nwtsim", "run", loads.machine_file, load.workload]
    for path, value in (dict(load.settings) | dict(settings)).items():
        words += ["--set", f"{path}={value}"]
    return command_line(*words, *options)
