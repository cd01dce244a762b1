"""What a configuration comes to: each target in each of its states, by runs or by a bound."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from simulator.config.requirement_file import NORMAL, TIMES
from simulator.cost import Estimate
from simulator.plan.drawn import drawn_always, varies
from simulator.result.instances import busiest_instance
from simulator.sizing.bounds import least_ns, most_stable
from simulator.sizing.figures import figure_of, meets, slack
from simulator.sizing.happened import happened
from simulator.sizing.loads import Loads
from simulator.sizing.measured import Measured, Outcome
from simulator.sizing.short import Short
from simulator.study.replications import Replicated, Sense, seed_of
from simulator.study.results import key_of

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement, Target
    from simulator.config.settings import Setting
    from simulator.inputfile import Text
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
        self._last: dict[str, Row] = {}
        """The row of the last run of each load in the state that is being looked at."""
        self.seed = seed
        self.replications = 1 if seed is None else replications

    def __reduce__(self) -> tuple[object, ...]:
        parts = (self.short.divisions, self.short.ratios) if self.short is not None else None
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
            self._last.clear()
            more, made = self._in_state(settings, state, complete=complete)
            found += more
            runs += made
            came |= {(state, load): row[HAPPENED] for load, row in self._last.items()}
        left = len(found) < self.count
        return Outcome(one.number, tuple(found), complete=not left, runs=runs, happened=came)

    def seconds(self, one: Configuration) -> float:
        """Estimate what its runs take, all of them, on one processor."""
        settings = [self.loads.offer.settings_in(one, state) for state in self.states]
        plans = [load.plan(each) for each in settings for load in self.loads.loads]
        return self.replications * sum(Estimate(one, "auto").cost().seconds for one in plans)

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
            seed = None if self.seed is None else seed_of(self.seed, replication)
            figures, made = self._run(settings, targets, seed, busiest, alone=alone)
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
        seed: int | None,
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
            row = self._last[load.name] = self._row(load, settings, seed)
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
                figures[index] = _weighted(shares.get(index, []))
        return figures, runs

    def _row(self, load: Ready, settings: tuple[Setting, ...], seed: int | None) -> Row:
        """Run a load, and return all figures of it that targets ask for; long runs are stored."""
        targets = {name_of(one): one for _, one in self._timed if one.workload in (None, load.name)}
        store = None
        if self.short is not None and load.name in self.short.long:
            store = self.results
        plan = load.plan(settings, seed)
        key = key_of(plan.digest, seed, kind=f"size {' '.join(sorted(targets))}")
        if store is not None and (known := store.get([key])):
            return known[key]
        result = load.prepared.plans.run(plan)
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

    # -- by short runs ----------------------------------------------------------------------------

    def predicted(self, one: Configuration) -> Outcome:
        """Return what short runs say of a configuration, without noise; see :class:`Short`."""
        found, runs = [*self.capacity(one)], 0
        for state in self.states:
            settings = self.loads.offer.settings_in(one, state)
            targets = [(index, item) for index, item in self._timed if state in item.in_states]
            shares: dict[int, list[tuple[float, float]]] = {}
            for load, mine in self._loads_of(targets):
                result, ratios = self._short_run(load, settings)
                runs += 1
                for index, target in mine:
                    figure = figure_of(target, result)
                    if figure is not None:
                        figure *= ratios.get((load.name, index), 1.0)
                        shares.setdefault(index, []).append((load.weight, figure))
            for index, target in targets:
                if (mean := _weighted(shares.get(index, []))) is not None:
                    shown = Replicated((mean,), varies=False)
                    found.append(Measured(index, state, shown, slack(target, mean), by="short"))
        return Outcome(one.number, tuple(found), complete=False, runs=runs)

    def _short_run(
        self, load: Ready, settings: tuple[Setting, ...]
    ) -> tuple[Result, dict[tuple[str, int], float]]:
        """Run a load, short if its runs are long; and what to multiply its figures by."""
        division = None if self.short is None else self.short.divisions.get(load.name)
        less = None if division is None else division.settings(load, settings)
        result = load.prepared.plans.run(load.plan((*settings, *(less or ()))))
        return result, self.short.ratios if self.short is not None and less is not None else {}

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
    parts: tuple[Any, Any] | None,
) -> Evaluator:
    """Make an evaluator again, in another process."""
    made = Evaluator(Loads(text), seed=seed, replications=replications, results=results)
    if parts is not None:
        made.short = Short(made.loads, *parts)
    return made


def best_of(
    load: Ready, target: Target, settings: tuple[Setting, ...], seed: int | None
) -> float | None:
    """Return what no run has a better figure than; None where nothing can be said."""
    if target.figure in ("elapsed", "end"):
        return least_ns(load.plan(settings, seed), target.job) or None
    if target.figure == "stable":
        most = most_stable(load.plan(settings, seed), target.job)
        return most if math.isfinite(most) else None
    return None


def name_of(target: Target) -> str:
    """Name a target's figure of a run."""
    return target.figure if target.job is None else f"{target.job}:{target.figure}"


def _busiest(result: Result) -> str:
    name = busiest_instance(result)
    if not name:
        return ""
    return f"{name} ({100 * result.parts[name].utilisation(result.end_ns):.0f} % busy)"


def _weighted(shares: list[tuple[float, float]]) -> float | None:
    weight = sum(one for one, _ in shares)
    return sum(one * figure for one, figure in shares) / weight if weight else None


def _sense(target: Target) -> Sense:
    return "at most" if target.figure in TIMES else "at least"
