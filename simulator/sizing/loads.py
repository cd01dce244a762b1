"""The loads of a requirement: workloads on its machine, with its settings, as they will have grown.

Everything that a person wrote is checked here before anything runs: that settings stand for
something, that every combination's values can be set, and that machine and workloads fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.config.alternatives import alternative
from simulator.config.errors import ConfigError, Path, Problem
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.growth import years_of
from simulator.config.knobs import resolved
from simulator.config.load import load_file, parsed, read_file
from simulator.config.requirement_file import NORMAL, REQUIREMENT
from simulator.errors import did_you_mean
from simulator.plan.bounds import Bounds
from simulator.prepared import Prepared
from simulator.sizing.configurations import Full
from simulator.sizing.contradictions import Contradictions
from simulator.sizing.durability import durability_of
from simulator.sizing.groups import offer_of
from simulator.sizing.grown import Grown
from simulator.sizing.ledger import path_of
from simulator.sizing.ready import Ready, faults_of_names, impatient
from simulator.study.measurements import at_mention
from simulator.units import shown

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.requirement_file import Load, Requirement
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload
    from simulator.inputfile import Source
    from simulator.sizing.configurations import Configuration

MOST_REFUSED = 5_000
"""Combinations among which one is looked for that the machine does not refuse."""


class Loads:
    """The machine and the loads of a requirement; ConfigError lists all that is wrong."""

    def __init__(self, source: Source, name: str = "", year: int | None = None) -> None:
        """``source``: a requirement file, the name of a shipped one, or its text.

        ``name``: which of its alternatives; empty for a requirement that has none. ``year``: after
        so many years of growth; None: as the requirement has it.
        """
        self.text = read_file(REQUIREMENT, source)
        """From which another process makes the same."""
        self.alternative, self.year = name, year
        requirement: Requirement = parsed(REQUIREMENT, self.text, ())[0]
        requirement = alternative(requirement, name) if name else requirement
        if year is not None:
            origin = requirement.origin
            requirement = requirement.with_value("years", float(year))
            requirement.remember(origin)
        self.requirement = requirement
        self.machine_file = requirement.beside(requirement.machine)
        self.unserved: dict[str, Problem] = {}
        """What a piece is to serve, and is nowhere in this machine or the catalogue."""
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
            self._ready(name, year, machine, workloads[name], common)
            for name in requirement.workloads
            for year in years_of(requirement, name)
        )
        full = self._all_settings(machine, first)
        self._check_growing(full)
        self._stop()
        self.offer = offer_of(requirement, full, self.loads[0])
        self.offer.alternative = name
        self._check_values()
        self._stop()
        self.offer.written = self._written()
        self._contradict()
        self.offer.check_buildable()
        self._check_jobs(workloads)
        self._stop()

    def __reduce__(self) -> tuple[object, ...]:
        return Loads, (self.text, self.alternative, self.year)

    def _stop(self) -> None:
        if self._problems:
            raise ConfigError(self._problems)

    # -- files ------------------------------------------------------------------------------------

    def _read_machine(self) -> Machine:
        try:
            machine = load_file(MACHINE, self.machine_file)
        except ConfigError as error:
            mention = self.requirement.origin.problem(("machine",), "")
            raise ConfigError(at_mention(error.problems, self.machine_file, mention)) from error
        self._tell(("machine",), impatient(machine))
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
        year: float,
        machine: Machine,
        workload: Workload,
        common: Sequence[Setting],
    ) -> Ready:
        at, load = ("workloads", name), self.requirement.workloads[name]
        own = self._full((*at, "set"), load.set, machine, workload)
        grown = self._grown(name, year, (machine, workload), common, own)
        settings = tuple((dict(common) | dict(own) | dict(grown)).items())
        file = self.requirement.beside(load.workload)
        prepared = Prepared(self.machine_file, file, settings)
        counts = year == self.requirement.years
        full = name if counts else f"{name} in year {year:g}"
        return Ready(full, name, year, counts, load.weight, file, settings, prepared)

    def _grown(
        self,
        name: str,
        year: float,
        sections: tuple[Machine, Workload],
        common: Sequence[Setting],
        own: Sequence[Setting],
    ) -> list[Setting]:
        """Return the settings of a load that its growth changes, in a year."""
        load = self.requirement.workloads[name]
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
        grown = Grown(load.growth, year, *sections)
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
        """Return settings with full paths; a name of nothing, or of the same, is a problem."""
        found: list[Setting] = []
        names: dict[tuple[str, ...], str] = {}
        for name, value in settings.items():
            try:
                mine = resolved([(name, value)], machine, workload)
            except ConfigError as error:
                self._tell((*at, name), error.problems)
                continue
            found += mine
            other = names.setdefault(tuple(path for path, _ in mine), name)
            if other != name:
                about = f"is another name of {other}, which is set here too; leave one of them out"
                self._problems.append(self.requirement.origin.problem((*at, name), about))
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
        """Look at each value of each choice once, in each state, beside the first of the others.

        Of the others those are taken that the rules between choices allow.
        """
        offer = self.offer
        numbers: dict[int, tuple[str, int]] = {}
        for index, (name, levels) in enumerate(zip(offer.names, offer.levels, strict=True)):
            for place, level in enumerate(levels):
                if (places := offer.rules.beside({index: place})) is not None:
                    numbers[offer.lattice.number(places)] = name, place
                    continue
                ruled = ("choices", name, "only_with", level.text)
                own = level.text in self.requirement.choices[name].only_with
                at = ruled if own else path_of(offer, index, level)
                about = f"{level.text} can never be chosen: each combination with it breaks a rule"
                self._tell(at, [Problem("", 0, 0, "", f"{about} of 'only_with'; allow one")])
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
            if (places := offer.places_of(number))[index] == place
            and offer.rules.broken(places) is None
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
            yield from impatient(both[0])
            if load.prepared.plans.misfits(*both):
                yield from load.prepared.misfits(settings)

    def still(self, figure: str, one: Configuration) -> float:
        """Return a figure of a configuration that no run is needed for."""
        if figure == "capacity":
            return float(one.usable)
        machine = self.loads[0].prepared.load(one.settings)[0]
        return durability_of(self.offer, machine, self.offer.levels_of(one.number)).figure(figure)

    def _right(self) -> Configuration:
        """Return the first combination that the machine does not refuse."""
        offer = self.offer
        if not self._refusing:
            return offer.configuration(offer.lattice.number(offer.rules.beside({}) or ()))
        allowed = (n for n in range(offer.size) if offer.rules.broken(offer.places_of(n)) is None)
        return offer.configuration(next(n for n in allowed if self._refusal(n) is None))

    def _contradict(self) -> None:
        """Tell what is bought and is not the machine, and have no such combination built."""
        self._check_served()
        found = Contradictions(self.offer, [*self._counting()], self._right())
        for one in found.mistakes():
            self._tell(one.at, [Problem("", 0, 0, "", f"{one.about}; {one.cure}")])
        self._stop()
        self.impossible = found.impossible()
        self.offer.contradicted, self.offer.stored = found.why, found.stored
        if self._refusing:
            self.offer.contradicted = lambda one: found.why(one) or self._refusal(one.number)
            ones = map(self.offer.configuration, range(self.offer.size))
            broken = self.offer.rules.broken
            allowed = (one for one in ones if broken(self.offer.places_of(one.number)) is None)
            whys = map(self.offer.contradicted, allowed)
            self.impossible = Counter(filter(None, whys))

    def _check_served(self) -> None:
        """Note what a piece is to serve, and is neither in the machine nor in the catalogue.

        It may be in that of another alternative.
        """
        machine = self.loads[0].prepared.load(self._right().settings)[0]
        catalogue = self.requirement.catalogue
        there = [*machine.parts, *machine.stores, *machine.nodes]
        for item, one in catalogue.items():
            for name in one.serves:
                if name not in there and name not in catalogue:
                    hint = did_you_mean(name, [*there, *catalogue])
                    about = f"the machine has no {shown(name)}, nor has the catalogue; {hint}"
                    at = "catalogue", item, "serves", name
                    self.unserved[name] = self.requirement.origin.problem(at, about)
        if self.unserved and not self.alternative:
            raise ConfigError(self.unserved.values())
        served = {name for one in catalogue.values() for name in one.serves}
        self.offer.rooms.ports = [name for name in catalogue if name in served]

    def _written(self) -> float:
        """Return the bytes that all loads write in a day."""
        settings = self._right().settings
        loads = self.requirement.workloads
        often = [(load, loads[load.load].per_day) for load in self._counting()]
        return sum(count * Bounds(load.plan(settings)).written() for load, count in often if count)

    def _counting(self) -> Iterator[Ready]:
        """Yield the loads of the year that counts, whose files are the largest."""
        return (load for load in self.loads if load.counts)

    def _check_jobs(self, workloads: Mapping[str, Workload]) -> None:
        machine = self.loads[0].prepared.load(self._right().settings)[0]
        for at, about in faults_of_names(self.requirement.targets, workloads, machine):
            self._tell(at, [Problem("", 0, 0, "", about)])


def _keyed(problem: Problem) -> Problem:
    """Return a problem of the machine's file whose message names the key that is meant."""
    about = f"{problem.key}: {problem.message}" if problem.key else problem.message
    return replace(problem, message=about)
