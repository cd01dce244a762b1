"""What a configuration comes to: each target in each of its states, by runs or by a bound."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from simulator.config.requirement_file import NORMAL, TIMES
from simulator.plan.drawn import drawn_always, varies
from simulator.result.instances import busiest_instance
from simulator.sizing.bounds import best_of
from simulator.sizing.figures import figure_of, meets, name_of, scaled, slack, weighted
from simulator.sizing.happened import happened
from simulator.sizing.loads import Loads
from simulator.sizing.measured import Measured, Outcome
from simulator.sizing.short import CLEARLY, Short
from simulator.study.replications import Replicated, Replications, Sense, seed_of
from simulator.study.results import key_of

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement, Target
    from simulator.config.settings import Setting
    from simulator.inputfile import Text
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.loads import Ready
    from simulator.study.results import Results

Row = dict[str, Any]
"""Figures of a run by their names, and what else is told of it."""
How = Literal["short", "run", "complete"]
"""By short runs; by runs until a target is missed; or of all targets."""
BUSIEST, HAPPENED = "busiest", "happened"
"""The keys of the busiest instance, and of what failed, in a row of figures."""
LEAST_RUNS = 3
"""Runs after which a target may be known to be missed."""


class Evaluator:
    """Looks at configurations of a requirement, one after the other; it can be sent to others."""

    def __init__(
        self,
        loads: Loads,
        *,
        seed: int | None,
        replications: int,
        results: Results | None = None,
    ) -> None:
        """``seed``: of the first replication; None if service times do not vary.

        ``results``: a store that long runs are looked for in, and go to.
        """
        self.loads = loads
        self.results = results
        self.short: Short | None = None
        """How long runs are made short, if that was looked at."""
        self._first: dict[str, Row] = {}
        """The row of the first whole run of each load in the state that is being looked at."""
        self.seed = seed
        self.replications = 1 if seed is None else replications

    def __reduce__(self) -> tuple[object, ...]:
        short = self.short
        parts = (short.divisions, short.ratios, short.seed) if short is not None else None
        how = self.loads.text, self.seed, self.replications, self.results
        return _evaluator, (*how, parts)

    def close(self) -> None:
        """Close the store, of which no connection may be copied to another process."""
        if self.results is not None:
            self.results.close()

    @property
    def requirement(self) -> Requirement:
        """What is required."""
        return self.loads.requirement

    def __call__(self, task: tuple[int, How]) -> Outcome:
        """Look at the configuration of a number."""
        number, how = task
        one = self.loads.offer.configuration(number)
        if how == "short":
            return self.predicted(one)
        return self.outcome(one, complete=how == "complete")

    def outcome(self, one: Configuration, *, complete: bool) -> Outcome:
        """Run a configuration; unless it is to be ``complete``, stop at the first missed target."""
        found, runs = [*self.capacity(one)], 0
        came: dict[tuple[str, str], Mapping[str, Any]] = {}
        for state in self.states:
            if not complete and any(item.slack < 1 for item in found):
                break
            settings = self.loads.offer.settings_in(one, state)
            self._first.clear()
            more, made = self._in_state(settings, state, complete=complete)
            found += more
            runs += made
            came |= {(state, load): row[HAPPENED] for load, row in self._first.items()}
        left = len(found) < self.count
        return Outcome(one.number, tuple(found), complete=not left, runs=runs, happened=came)

    @cached_property
    def states(self) -> list[str]:
        """The states that a target names, the one without a failure first."""
        named = {state for one in self._timed for state in one[1].in_states}
        return [one for one in (NORMAL, *self.requirement.states) if one in named]

    @cached_property
    def _timed(self) -> list[tuple[int, Target]]:
        """The targets that runs tell about."""
        return [
            (index, one)
            for index, one in enumerate(self.requirement.targets)
            if one.capacity is None
        ]

    @cached_property
    def count(self) -> int:
        """How many targets there are, each state counted."""
        return sum(
            1 if one.capacity is not None else len(one.in_states)
            for one in self.requirement.targets
        )

    def capacity(self, one: Configuration) -> Iterator[Measured]:
        """Yield the targets that no run is needed for."""
        for index, target in enumerate(self.requirement.targets):
            if target.capacity is not None:
                figure = Replicated((float(one.usable),), varies=False)
                yield Measured(index, NORMAL, figure, slack(target, one.usable))

    # -- by runs ----------------------------------------------------------------------------------

    def _in_state(
        self, settings: tuple[Setting, ...], state: str, *, complete: bool
    ) -> tuple[list[Measured], int]:
        """Return the targets of a state, and how many runs were made."""
        targets = [(index, one) for index, one in self._timed if state in one.in_states]
        varying = self._varying(settings, targets)
        replications = self.replications if varying else 1
        alone = not complete and replications == 1
        values: dict[int, list[float]] = {}
        busiest: dict[int, str] = {}
        runs = 0
        for replication in range(replications):
            figures, made = self._run(settings, targets, replication, busiest, alone=alone)
            runs += made
            for index, figure in figures.items():
                values.setdefault(index, []).extend([] if figure is None else [figure])
            if complete or replication + 1 < LEAST_RUNS:
                continue
            if any(self._is_missed(one, values[index]) for index, one in targets):
                break
        found = []
        for index, one in targets:
            if index in values:
                drawn = one.workload in varying if one.workload is not None else bool(varying)
                measured = self._measured(index, one, state, values[index], varies=drawn)
                found.append(replace(measured, busiest=busiest.get(index, "")))
        return found, runs

    def _varying(
        self, settings: tuple[Setting, ...], targets: list[tuple[int, Target]]
    ) -> set[str]:
        """Return the loads of which anything is drawn, so that replications differ."""
        if self.seed is None:
            return set()
        seeds = seed_of(self.seed, 0), seed_of(self.seed, 1)
        return {
            load.name
            for load, _ in self._loads_of(targets)
            if varies(*(load.plan(settings, seed) for seed in seeds))
        }

    def _run(
        self,
        settings: tuple[Setting, ...],
        targets: list[tuple[int, Target]],
        replication: int,
        busiest: dict[int, str],
        *,
        alone: bool,
    ) -> tuple[dict[int, float | None], int]:
        """Return each target's figure of one replication, and how many runs that took.

        None: the run has no such figure. Of all loads it is the weighted mean. ``alone``: no other
        replication follows, so that the first missed target ends it.
        """
        figures: dict[int, float | None] = {}
        shares: dict[int, list[tuple[float, float]]] = {}
        runs = 0
        for load, mine in self._loads_of(targets):
            row = self._replication(load, settings, replication)
            runs += 1
            for index, one in mine:
                figure = row[name_of(one)]
                busiest[index] = row[BUSIEST]
                if one.workload is not None:
                    figures[index] = figure
                    if alone and not (figure is not None and meets(one, figure)):
                        return figures, runs
                elif figure is not None:
                    shares.setdefault(index, []).append((load.weight, figure))
        for index, one in targets:
            if one.workload is None:
                figures[index] = weighted(shares.get(index, []))
        return figures, runs

    def _replication(self, load: Ready, settings: tuple[Setting, ...], number: int) -> Row:
        """Return the figures of one of the runs of a load that differ in their draws.

        Of a load whose runs are made short the first is whole; of another one its figures are those
        of the first, multiplied by what this is over the first where both are short.
        """
        if number == 0 and load.name in self._first:
            return self._first[load.name]
        if number == 0 or self.short is None or load.name not in self.short.divisions:
            row = self._row(load, load.plan(settings, self._seed_of(number)))
            return row if number else self._first.setdefault(load.name, row)
        plans = [self.short.plan(load, settings, self._seed_of(one)) for one in (0, number)]
        first, other = (self._row(load, plan) for plan in plans)
        whole = self._first[load.name]
        return {
            name: one if name in (BUSIEST, HAPPENED) else scaled(one, other[name], first[name])
            for name, one in whole.items()
        }

    def _seed_of(self, replication: int) -> int | None:
        return None if self.seed is None else seed_of(self.seed, replication)

    def _row(self, load: Ready, plan: Plan, result: Result | None = None) -> Row:
        """Return all figures that targets ask for of a plan: of its ``result``, or run it.

        Long runs are stored.
        """
        targets = {name_of(one): one for _, one in self._timed if one.workload in (None, load.name)}
        store = None
        if self.short is not None and load.name in self.short.long:
            store = self.results
        seed = plan.seed if plan.noisy else None
        key = key_of(plan.digest, seed, kind=f"size {' '.join(sorted(targets))}")
        if store is not None and (known := store.get([key])):
            return known[key]
        result = result or load.prepared.plans.run(plan)
        row: Row = {name: figure_of(one, result) for name, one in targets.items()}
        row |= {BUSIEST: _busiest(result), HAPPENED: happened(plan, result)}
        if store is not None:
            store.put({key: row})
        return row

    def _loads_of(
        self, targets: list[tuple[int, Target]]
    ) -> Iterator[tuple[Ready, list[tuple[int, Target]]]]:
        """Yield the loads that targets are of, each with its own."""
        for load in self.loads.loads:
            mine = [(index, one) for index, one in targets if one.workload in (None, load.name)]
            if mine:
                yield load, mine

    def _is_missed(self, target: Target, values: list[float]) -> bool:
        if not values:
            return True
        return (
            self._replicated(values, varies=True)
            .meets(target.limit, _sense(target), self.requirement.share)
            .fails
        )

    def _measured(
        self, index: int, target: Target, state: str, values: list[float], *, varies: bool
    ) -> Measured:
        if not values:
            return Measured(index, state, None, 0.0)
        found = self._replicated(values, varies=varies)
        bound = found.meets(target.limit, _sense(target), self.requirement.share).bound
        return Measured(index, state, found, 0.0 if bound is None else slack(target, bound))

    def _replicated(self, values: list[float], *, varies: bool) -> Replicated:
        return Replicated(tuple(values), self.requirement.confidence, varies=varies)

    def drawn(self, one: Configuration) -> list[str]:
        """Name what of a configuration's runs is drawn without a seed too."""
        plans = [load.plan(one.settings) for load in self.loads.loads]
        return [*dict.fromkeys(name for plan in plans for name in drawn_always(plan))]

    def again(self, load: Ready, settings: tuple[Setting, ...]) -> list[str]:
        """Return the options of the command that makes the runs of a load again."""
        if self.seed is None:
            return []
        words = ["--seed", str(self.seed)]
        whole = self.short is None or load.name not in self.short.divisions
        if whole and self.replications > 1 and self._varying(settings, self._timed):
            words += Replications(self.replications, self.requirement.confidence).options()
        return words

    # -- by short runs ----------------------------------------------------------------------------

    def predicted(self, one: Configuration) -> Outcome:
        """Return what short runs say of a configuration, by the first seed; see :class:`Short`."""
        found, runs = [*self.capacity(one)], 0
        for state in self.states:
            if any(item.slack < CLEARLY for item in found):
                break
            settings = self.loads.offer.settings_in(one, state)
            targets = [(index, item) for index, item in self._timed if state in item.in_states]
            shares: dict[int, list[tuple[float, float]]] = {}
            for load, mine in self._loads_of(targets):
                assert self.short is not None
                row = self._row(load, self.short.plan(load, settings, self.seed))
                runs += 1
                for index, target in mine:
                    figure = row[name_of(target)]
                    if figure is not None:
                        figure *= self.short.ratios.get((load.name, index), 1.0)
                        shares.setdefault(index, []).append((load.weight, figure))
            for index, target in targets:
                if (mean := weighted(shares.get(index, []))) is not None:
                    shown = Replicated((mean,), varies=False)
                    found.append(Measured(index, state, shown, slack(target, mean), by="short"))
        return Outcome(one.number, tuple(found), complete=False, runs=runs)

    def refer_to(self, one: Configuration) -> None:
        """Make a configuration the reference of short runs: run it, short and whole."""
        self.short = short = Short.at(self.loads, one, self.seed)
        settings = self.loads.offer.settings_in(one, NORMAL)
        varying = self._varying(settings, self._timed)
        self._first.clear()
        for load, mine in self._loads_of(self._timed):
            count = self.replications if load.name in varying else 1
            if load.name not in short.divisions and count == 1:
                continue
            if (whole := short.whole.pop(load.name, None)) is not None:
                self._first[load.name] = self._row(load, load.plan(settings, self.seed), whole)
            rows = [self._replication(load, settings, number) for number in range(count)]
            less = self._row(load, short.plan(load, settings, self.seed))
            for index, target in mine:
                name = name_of(target)
                values = [row[name] for row in rows if row[name] is not None]
                if values and less[name]:
                    short.ratios[load.name, index] = fmean(values) / less[name]

    # -- by bounds --------------------------------------------------------------------------------

    def bound(self, one: Configuration) -> Outcome:
        """Return what no run of a configuration can be better than; no run is made."""
        found = [*self.capacity(one)]
        for state in self.states:
            settings = self.loads.offer.settings_in(one, state)
            for index, target in self._timed:
                if state in target.in_states and target.workload is not None:
                    found.append(self._bounded(index, target, state, settings))
        return Outcome(one.number, tuple(found), complete=False, runs=0)

    def _bounded(
        self, index: int, target: Target, state: str, settings: tuple[Setting, ...]
    ) -> Measured:
        (load,) = (one for one in self.loads.loads if one.name == target.workload)
        best = best_of(load, target, settings, self.seed)
        figure = Replicated((best,), varies=False) if best is not None else None
        room = math.inf if best is None else slack(target, best)
        return Measured(index, state, figure, room, by="bound")


def _evaluator(
    text: Text,
    seed: int | None,
    replications: int,
    results: Results | None,
    parts: tuple[Any, Any, int | None] | None,
) -> Evaluator:
    """Make an evaluator again, in another process."""
    made = Evaluator(Loads(text), seed=seed, replications=replications, results=results)
    if parts is not None:
        made.short = Short(made.loads, *parts)
    return made


def _busiest(result: Result) -> str:
    name = busiest_instance(result)
    if not name:
        return ""
    return f"{name} ({100 * result.parts[name].utilisation(result.end_ns):.0f} % busy)"


def _sense(target: Target) -> Sense:
    return "at most" if target.figure in TIMES else "at least"
