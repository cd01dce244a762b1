"""Long runs made short, to tell which configurations are worth a whole one.

A run of a configuration is divided as ``what limits`` divides it (:mod:`simulator.answers.shorter`)
and the figures of the short run are multiplied by what whole over short was at one configuration,
the reference, where the short run spends its time as the whole one. What misses a target by
``CLEARLY`` that way is left out: a judgement, not a proof, and told as such. Nothing meets a target
by a short run alone.

With a seed runs are drawn, and targets are about several of them. The short run is then that of the
first seed, and what its figures are multiplied by leads to the mean of all runs at the reference;
of a load whose runs are not long it is one whole run instead of several.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.answers.again import Again
from simulator.answers.shorter import shortened, ways
from simulator.config.requirement_file import NORMAL
from simulator.cost import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.loads import Loads, Ready

CLEARLY = 0.9
"""A slack by a short run below which a configuration is not run whole."""
LONG_S = 1.0
"""Estimated seconds of a run from which it is worth making short,"""
SHORT_S = 0.1
"""and those of the short one."""


@dataclass(frozen=True, slots=True)
class Division:
    """How the runs of a load are made short."""

    by: int
    how: str
    apart: float
    """How far shares of processes' times are apart; see ``MOST_APART``."""

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
        seed: int | None = None,
    ) -> None:
        """``seed``: of the run that is made short; None if service times do not vary."""
        self.loads = loads
        self.seed = seed
        self.long: set[str] = set(divisions)
        """Loads whose runs are long, whether they can be divided or not."""
        self.divisions = dict(divisions)
        self.ratios = dict(ratios)
        """The mean of whole runs over a short one at the reference, by load and target."""
        self.whole: dict[str, Result] = {}
        """Whole runs of loads at the reference, until they are made use of."""

    @classmethod
    def at(cls, loads: Loads, reference: Configuration, seed: int | None = None) -> Short:
        """Run the reference, whole and short, where a whole run is long: find the divisions."""
        made = cls(loads, {}, {}, seed)
        settings = loads.offer.settings_in(reference, NORMAL)
        for load in loads.loads:
            made._divide(load, settings)
        return made

    @property
    def tells(self) -> bool:
        """Whether short runs are less work than whole ones, of any load."""
        return bool(self.divisions or self.ratios)

    def plan(self, load: Ready, settings: tuple[Setting, ...], seed: int | None) -> Plan:
        """Make the plan of a run of a load, short if its runs are divided."""
        division = self.divisions.get(load.name)
        less = None if division is None else division.settings(load, settings)
        return load.plan((*settings, *(less or ())), seed)

    def _divide(self, load: Ready, settings: tuple[Setting, ...]) -> None:
        plan = load.plan(settings, self.seed)
        seconds = Estimate(plan, "auto").cost().seconds
        if seconds < LONG_S:
            return
        self.long.add(load.name)
        again = _Again(load, settings, self.seed)
        whole = load.prepared.plans.run(plan)
        less = shortened(again, whole, int(seconds / SHORT_S), 2)
        if less is None:
            return
        self.whole[load.name] = whole
        self.divisions[load.name] = Division(less.by, less.how, less.apart)


class _Again(Again):
    """A run of a load that is made again with other settings."""

    def __init__(self, load: Ready, settings: tuple[Setting, ...], seed: int | None) -> None:
        machine, self._workload = load.prepared.load(settings)
        super().__init__(machine)
        self._seed = seed
        self._load = load
        self._settings = settings

    @property
    def workload(self) -> Workload:
        """The workload."""
        return self._workload

    def plan(self, settings: Sequence[Setting]) -> Plan:
        """Make the plan with more settings; ConfigError if they are refused."""
        return self._load.plan((*self._settings, *settings), self._seed)
