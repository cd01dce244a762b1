"""A requirement file, ``requirement/1``: loads, targets, and what can be bought to meet them.

What needs the machine and the workloads themselves is checked in :mod:`simulator.sizing.loads`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from simulator.config.alternatives import faults_of_alternatives
from simulator.config.amounts import (
    Bought,
    Height,
    Money,
    Names,
    Power,
    Raid,
    Redundancy,
    Values,
    Weight,
)
from simulator.config.catalogue import Sold, faults_of_holders
from simulator.config.errors import Fault, Path
from simulator.config.fit_file import SettingText
from simulator.config.growth import Growing, Purchasing, faults_of_plan
from simulator.config.load import Kind
from simulator.config.ownership import Minimise, Ownership, faults_of_ownership
from simulator.config.quantities import (
    Count,
    CountOrNone,
    FileName,
    Name,
    Percent,
    Rate,
    Size,
    Text,
    Time,
)
from simulator.config.requirement_durability import Failing, faults_of_items
from simulator.config.requirement_targets import MORE_TIMES, TargetFigures, faults_of_target
from simulator.config.rules import above, faults_of_rules, no
from simulator.config.section import FULL, Called, Section
from simulator.config.sources import Document
from simulator.units import shown

NORMAL = "normal"
"""The state in which nothing has failed."""


TIMES = (
    *("elapsed", "end", "read_time", "write_time"),
    *MORE_TIMES,
    *("rebuild", "degraded"),
)
"""Figures of a target that are to be at most so long."""
RATES = ("read", "write", "stable")
"""Figures that are to be at least so high."""
AT_MOST = (*TIMES, "loss_per_year")
FIGURES = (*AT_MOST, *RATES, "mttdl", "capacity")


class Item(Sold, Failing):
    """One thing that can be bought."""

    synonyms = {"cost": "price", "watts": "power", "capacity": "size", "slots": "takes"}
    later = frozenset(("bays", "serves", "height", "pack", "mtbf", "afr", "repair"))

    power: Power = 0.0
    """Of one piece, at work."""
    height: Height | None = None
    """Of one piece in a rack; left out: it has its place in another piece, or in none."""
    size: Size | None = None
    """What one piece can keep, without redundancy; left out: it keeps nothing."""
    takes: dict[str, Count] = {}
    """How many pieces of other things one of these has room for, by their names."""
    bays: Count | None = None
    """How many pieces of all that it takes it has room for together; left out: for all of each."""
    serves: dict[str, Count] = {}
    """How many of a part of the machine one piece serves, by its name: ports of a switch."""
    endurance: Size | None = None
    """Bytes that may be written to one piece in a day, for as long as it is to last."""


class Option(Section):
    """One of several ways, by settings."""

    set: dict[str, SettingText] = {}
    """Settings of the machine: short names or paths, as for '--set'."""
    buys: dict[str, CountOrNone] = {}
    """How many pieces of what it takes, beside those of the choice itself."""
    redundancy: Bought | None = None
    """Data and parity pieces of each group that it buys, or ``raid6`` of each array."""


class Choice(Section):
    """One thing to decide: how many, how large, or which of several ways."""

    synonyms = {"path": "set", "sets": "set", "counts": "values", "each": "per", "in": "per"}
    later = frozenset(("only_with",))

    set: Names | None = None
    """The settings that take the value: short names or paths, as for '--set'."""
    values: Values | None = None
    """What may be chosen: a list, or a range like '4..32 x2' or '8..48 +8'."""
    options: dict[str, Option] = {}
    """Or ways to choose from, by their names."""
    per: Names | None = None
    """Choices of each unit of which there are so many: disks per server."""
    unit: Text = ""
    """What one piece is of a value that is no count: '8 GB' of a cache."""
    buys: dict[str, CountOrNone] = {}
    """How many pieces of what each unit takes, by their names in the catalogue."""
    redundancy: Bought | None = None
    """Data and parity pieces of each group that it buys, or ``raid6`` of each array."""
    only_with: dict[str, dict[str, Names]] = {}
    """By its values, or ways: beside which of other choices alone each can be."""

    @property
    def texts(self) -> list[str]:
        """Its values, or the names of its ways."""
        return [*(self.options or self.values or ())]

    def faults(self, at: Path) -> Iterator[Fault]:
        """Find what does not go together."""
        if self.options and (self.values is not None or self.set is not None):
            yield at, "has options, and values too; make these a choice of its own"
        elif not self.options and self.values is None:
            yield at, "has neither values nor options; write 'set: clients' and 'values: 4..32 x2'"
        elif self.values is not None and self.set is None and not self.buys:
            yield at, "sets nothing and buys nothing; write 'set: ' with what takes the value"
        counted = self.buys and not self.unit
        other = next((one for one in self.values or () if not re.fullmatch(r"\d+", one)), "")
        if counted and other:
            about = f"{shown(other)} is no count of what it buys"
            yield (*at, "values"), f"{about}; write 'unit: ' with the size of one piece"

    def all_buys(self, at: Path) -> Iterator[tuple[Path, dict[str, int], Redundancy | Raid | None]]:
        """Yield what it buys, and each of its options: where, what, and with which redundancy."""
        yield (*at, "buys"), self.buys, self.redundancy
        for key, one in self.options.items():
            yield (*at, "options", key, "buys"), one.buys, one.redundancy or self.redundancy


class Load(Section):
    """One workload that the machine is to carry."""

    shorthand = {"text": "workload"}
    synonyms = {"settings": "set", "times_a_day": "per_day"}

    workload: Text
    """The workload: a file, beside this one, or a shipped name."""
    set: dict[str, SettingText] = {}
    """Settings of its runs: short names or paths, as for '--set'."""
    weight: Weight = 1.0
    """How much it counts in targets of all loads together."""
    growth: Growing = Growing()
    """By how much it grows in a year: a percentage is that of its files."""
    per_day: Weight = 0.0
    """How often it comes in a day, for what wears out by writing."""


class State(Section):
    """Something has failed: the targets that name it hold then too."""

    less: dict[str, Count] = {}
    """How many units less of choices there are, by their names."""
    set: dict[str, SettingText] = {}
    """Settings of the machine in this state."""


class Target(TargetFigures):
    """One figure, and what it has to be: exactly one."""

    synonyms = {"load": "workload", "time": "elapsed", "drained": "end", "usable": "capacity"}

    workload: Name | None = None
    """Of which load; all of them by their weights if left out."""
    job: Name | None = None
    """Of one job of it; of the whole run if left out."""
    elapsed: Time | None = None
    """It ends in at most this time."""
    end: Time | None = None
    """All that it wrote is on the devices after at most this time."""
    read_time: Time | None = None
    """A process spends at most so much in reads, on the average."""
    write_time: Time | None = None
    """A process spends at most so much in writes, on the average."""
    read_p95: Time | None = None
    """95 % of the READs take at most this long."""
    write_p95: Time | None = None
    """95 % of the WRITEs take at most this long."""
    read_p99: Time | None = None
    """99 % of the READs take at most this long."""
    write_p99: Time | None = None
    """99 % of the WRITEs take at most this long."""
    job_p95: Time | None = None
    """95 % of the jobs that arrive take at most this long."""
    job_p99: Time | None = None
    """99 % of the jobs that arrive take at most this long."""
    read: Rate | None = None
    """It reads at least so fast, all processes together."""
    write: Rate | None = None
    """It writes at least so fast, all processes together: calls, syncs and closes."""
    stable: Rate | None = None
    """What it wrote comes to stable storage at least so fast."""
    capacity: Size | None = None
    """At least so much can be kept, redundancy taken off."""
    states: Names | None = None
    """In which states; nothing has failed if left out ('normal')."""

    @property
    def figures(self) -> list[str]:
        """The keys of the figures that it gives."""
        return [key for key in FIGURES if getattr(self, key) is not None]

    @property
    def figure(self) -> str:
        """Return what has to be so."""
        (figure,) = self.figures
        return figure

    @property
    def limit(self) -> float:
        """Return what it has to be; ns, bytes per second, or bytes."""
        return float(getattr(self, self.figure))

    @property
    def in_states(self) -> tuple[str, ...]:
        """The states in which it has to hold."""
        return self.states or (NORMAL,)


class Alternative(Section):
    """One machine of several, and what of it is chosen."""

    machine: Text
    """The machine whose parts are chosen: a file, beside this one, or a shipped name."""
    set: dict[str, SettingText] = {}
    """Settings of its runs, beside those of all."""
    states: dict[str, State] = {}
    """What may have failed of it, by the names that targets have, beside what all have."""
    choices: Annotated[dict[str, Choice], FULL]
    """What is to be decided, by names."""


class Budget(Section):
    """What may be spent."""

    price: Money | None = None
    """On everything together."""
    power: Power | None = None
    """Of everything together, at work."""


class Requirement(Document):
    """What a machine is to do, and what can be bought for it."""

    later = frozenset(("ownership", "rack_units", "minimise", "alternatives", "plan"))

    format: Annotated[Literal["requirement/1"], Called("requirement-format", sourced=False)]
    """The version of this file format."""
    name: FileName
    """Short name, used in the names of results."""
    machine: Text = ""
    """The machine whose parts are chosen: a file, beside this one, or a shipped name."""
    set: dict[str, SettingText] = {}
    """Settings of all runs: short names or paths, as for '--set'."""
    currency: Text = ""
    """What prices are in."""
    workloads: Annotated[dict[str, Load], FULL]
    """What the machine is to carry, by names."""
    years: Weight = 0.0
    """After so many years of their growth."""
    plan: Purchasing | None = None
    """What is bought when, in these years; left out: all is bought at once, for the last one."""
    targets: Annotated[tuple[Target, ...], FULL]
    """What has to hold."""
    states: dict[str, State] = {}
    """What may have failed, by names."""
    confidence: Percent = 0.95
    """Of intervals from run to run, where runs differ."""
    probability: Percent | None = None
    """That a machine that is bought meets all targets, with noise, ranges and the model's error;
    left out: each of the runs that are made has to meet each target."""
    budget: Budget | None = None
    """What may be spent."""
    ownership: Ownership | None = None
    """What is paid beside the purchase, as long as the machine is kept."""
    rack_units: Height | None = None
    """What there is room for: what is higher cannot be built."""
    minimise: Minimise = "price"
    """By what the answer is the cheapest: its price, or its total as ``ownership`` has it."""
    catalogue: Annotated[dict[str, Item], FULL]
    """What can be bought, by names."""
    choices: Annotated[dict[str, Choice], FULL] = {}
    """What is to be decided, by names."""
    alternatives: Annotated[dict[str, Alternative], FULL] = {}
    """Machines of which one is bought, with their choices, by names; else there is one machine."""

    def faults(self) -> Iterator[Fault]:
        """Find what no single value shows."""
        if self.alternatives or not (self.machine and self.choices):
            yield from faults_of_alternatives(self)
            return
        for key in ("confidence", "probability"):
            value = getattr(self, key)
            if value is not None and not 0 < value < 1:
                yield (key,), "is certainty or nothing; write more than 0 % and less than 100 %"
        for name, item in self.catalogue.items():
            yield from self._unknown(("catalogue", name, "takes"), item.takes, self.catalogue)
        for name, choice in self.choices.items():
            yield from self._of_choice(name, choice)
        buys = [one[1] for choice in self.choices.values() for one in choice.all_buys(())]
        yield from faults_of_items(self.catalogue)
        yield from faults_of_rules(self.choices)
        yield from faults_of_holders(self.catalogue, buys)
        for name, state in self.states.items():
            yield from self._of_state(name, state)
        yield from self._of_targets()
        yield from faults_of_ownership(self.ownership, self.minimise)
        yield from faults_of_plan(self)
        if self.rack_units is not None and not any(one.height for one in self.catalogue.values()):
            about = "nothing in the catalogue has a height; write 'height: 2 U' there"
            yield ("rack_units",), about

    def _of_choice(self, name: str, choice: Choice) -> Iterator[Fault]:
        at = ("choices", name)
        yield from choice.faults(at)
        for place, buys, redundancy in choice.all_buys(at):
            yield from self._unknown(place, buys, self.catalogue)
            for item, count in buys.items():
                known = self.catalogue.get(item)
                if not isinstance(redundancy, Redundancy) or not known or not known.size:
                    continue  # A RAID has as many disks as are bought, or as its array has.
                if count % redundancy.group:
                    about = f"{count} is no whole number of groups of {redundancy}"
                    yield (*place, item), f"{about}; write a multiple of {redundancy.group}"

    def above(self, name: str) -> list[str]:
        """Return the choices that one is per, those that these are per too."""
        return above(self.choices, name)

    def _of_state(self, name: str, state: State) -> Iterator[Fault]:
        if name == NORMAL:
            yield ("states", name), "is the name of the state without a failure; write another"
        yield from self._unknown(("states", name, "less"), state.less, self.choices)
        for one, count in state.less.items():
            values = self.choices[one].values if one in self.choices else None
            if one in self.choices and values is None:
                about = f"{one} has options, of which there is none less; write 'set: '"
                yield ("states", name, "less", one), about
            elif values and any(not value.isdigit() or int(value) <= count for value in values):
                about = f"{one} can be {values[0]}, so that {count} less leaves nothing"
                yield ("states", name, "less", one), f"{about}; write larger values"

    def _of_targets(self) -> Iterator[Fault]:
        seen: dict[tuple[Any, ...], int] = {}
        for index, one in enumerate(self.targets):
            at = ("targets", index)
            figures = one.figures
            if not figures:
                like = "'elapsed: 10 min'"
                yield at, f"has no figure; write one of {', '.join(FIGURES)}, like {like}"
            for more in figures[1:]:
                yield (*at, more), f"{figures[0]} is given already; make this a target of its own"
            yield from self._names_of_target(at, one)
            if len(figures) != 1:
                continue
            for state in one.in_states:
                year = self.years if one.year is None and not self.plan else one.year
                key = one.workload, one.job, one.node, one.figure, year, state
                if key in seen:
                    about = f"{one.figure} of the same is target {seen[key] + 1} already"
                    yield (*at, one.figure), f"{about}; leave one of them out"
                seen[key] = index

    def _names_of_target(self, at: Path, one: Target) -> Iterator[Fault]:
        if one.workload is not None and one.workload not in self.workloads:
            yield (*at, "workload"), no("load", one.workload, self.workloads)
        if one.job is not None and one.workload is None and len(self.workloads) > 1:
            yield (*at, "job"), "of which load? write 'workload: ' too"
        yield from faults_of_target(self, at, one)
        for state in one.states or ():
            if state != NORMAL and state not in self.states:
                yield (*at, "states"), no("state", state, [NORMAL, *self.states])

    def _unknown(self, at: Path, names: Iterable[str], known: Mapping[str, Any]) -> Iterator[Fault]:
        what = "choice" if known is self.choices else "thing in the catalogue"
        for name in names:
            if name not in known:
                yield (*at, name), no(what, name, known)


REQUIREMENT = Kind("requirement", Requirement, checks=Requirement.faults)
