"""Long runs made short, to tell which configurations are worth a whole one.

A run of a configuration is divided as ``what limits`` divides it (:mod:`simulator.answers.shorter`)
and the figures of the short run are multiplied by what whole over short was at one configuration,
the reference, where the short run spends its time as the whole one. What misses a target by
``CLEARLY`` that way is left out: a judgement, not a proof, and told as such. Nothing meets a target
by a short run alone.

Of several runs that differ in what is drawn the one is whole that the reference fares worst in; the
others are short, multiplied by whole over short of that one of the same configuration, and whole as
well if that is within ``SURELY`` of a target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.answers.again import PreparedAgain
from simulator.answers.shorter import shortened, ways
from simulator.config.requirement_file import NORMAL
from simulator.config.requirement_targets import STILL
from simulator.cost import Estimate
from simulator.sizing.targets import figure_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.config.settings import Setting
    from simulator.plan.plan import Plan
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.loads import Loads
    from simulator.sizing.ready import Ready

CLEARLY = 0.9
"""A slack by a short run below which a configuration is not run whole."""
SURELY = 1.05
"""A slack by a short run below which a further run of what meets a target is made whole."""
LONG_S = 1.0
"""Estimated seconds of a run from which it is worth making short,"""
SHORT_S = 0.1
"""and those of the short one."""


@dataclass(frozen=True, slots=True)
class Division:
    """The division by which the runs of a load are made short."""

    by: int
    how: str
    apart: float
    """Distance between the shares of processes' times; see ``MOST_APART``."""

    def settings(self, load: Ready, settings: Sequence[Setting]) -> list[Setting] | None:
        """Return what makes a run of other settings short; None if it cannot be divided."""
        machine, workload = load.prepared.load(settings)
        found = (one for one, how in ways(machine, workload, self.by) if how == self.how)
        return next(found, None)


class Short:
    """The loads of a requirement with short runs, those of them that are long."""

    def __init__(
        self,
        loads: Loads,
        divisions: Mapping[str, Division],
        ratios: Mapping[tuple[str, int], float],
    ) -> None:
        self.loads = loads
        self.long: set[str] = set(divisions)
        """Loads whose runs are long, whether they can be divided or not."""
        self.divisions = dict(divisions)
        self.ratios = dict(ratios)
        """Whole over short at the reference, by load and target."""

    @classmethod
    def at(cls, loads: Loads, reference: Configuration, seed: int | None = None) -> Short:
        """Run the reference, whole and short, where a whole run is long; ``seed``: of its draws."""
        made = cls(loads, {}, {})
        settings = loads.offer.settings_in(reference, NORMAL)
        for load in loads.loads:
            made._divide(load, settings, seed)
        return made

    def plan(self, load: Ready, settings: tuple[Setting, ...], seed: int | None) -> Plan:
        """Return the plan of a run of a load, short if its runs are made short."""
        division = self.divisions.get(load.name)
        less = None if division is None else division.settings(load, settings)
        return load.plan((*settings, *(less or ())), seed)

    def _divide(self, load: Ready, settings: tuple[Setting, ...], seed: int | None) -> None:
        plan = load.plan(settings, seed)
        seconds = Estimate(plan, "auto").cost().seconds
        if seconds < LONG_S:
            return
        self.long.add(load.name)
        again = PreparedAgain(load.prepared, settings, seed=seed)
        whole = load.prepared.plans.run(plan)
        less = shortened(again, whole, int(seconds / SHORT_S), 2)
        if less is None:
            return
        for index, target in enumerate(self.loads.requirement.targets):
            if not load.is_asked(target) or target.figure in STILL:
                continue
            figures = figure_of(target, whole), figure_of(target, less.result)
            if None not in figures and figures[1]:
                self.ratios[load.name, index] = (figures[0] or 0.0) / figures[1]
        self.divisions[load.name] = Division(less.by, less.how, less.apart)
