"""Evaluation of a configuration: each target in each of its states, by runs or by a bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from simulator.config.requirement_file import NORMAL
from simulator.config.requirement_targets import STILL
from simulator.cost import Estimate
from simulator.plan.drawn import drawn_always, varies
from simulator.sizing.bounded import Bounded
from simulator.sizing.draws import KNOWN, Draws, by_draws, whole_runs
from simulator.sizing.happened import BUSIEST, HAPPENED
from simulator.sizing.loads import Loads
from simulator.sizing.probability import MOST_DRAWS
from simulator.sizing.rows import Ahead, Row, Rows
from simulator.sizing.short import CLEARLY, SURELY, Short
from simulator.sizing.targets import (
    Judged,
    Measured,
    Outcome,
    column_of,
    is_missed,
    measured_of,
    name_of,
    slack,
    weighted,
)
from simulator.study.nearest import ModelError, kinds_of, nearest
from simulator.study.replications import Replicated, seed_of

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement, Target
    from simulator.config.settings import Setting
    from simulator.plan.plan import Plan
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.ready import Ready
    from simulator.study.executors import Executor
    from simulator.study.results import Results

How = Literal["short", "run", "complete", "known", "nearest"]
"""By short runs; by runs until a target is missed; of all targets; or with its probability."""
SHORTENED = "shortened"
"""The key of whether the figures of a row are by a run made short."""
RowsOfLoads = dict[str, dict[int, Row]]
"""The rows of each load by the numbers of their replications, in the order in which they came."""


class Evaluator:
    """Looks at configurations of a requirement, one after the other; it can be sent to others."""

    def __init__(
        self,
        loads: Loads,
        *,
        seed: int | None,
        replications: int,
        draws: int | None = None,
        results: Results | None = None,
    ) -> None:
        """``seed``: of the first replication; None if service times do not vary.

        ``draws``: the most of a configuration, if a probability is asked for; None: as many as tell
        it. ``results``: a store that long runs are looked for in, and go to.
        """
        self.loads = loads
        self.rows = Rows(results)
        self.short: Short | None = None
        """The division of long runs, if that was looked at."""
        self.order: dict[str, tuple[int, ...]] = {}
        """Replications of loads that vary, the reference's worst first: misses show early."""
        self.wanted = loads.requirement.probability
        """The probability that the requirement asks for; None: each run has to meet each target."""
        self.given = None if self.wanted is None else draws
        self.draws = self.given or MOST_DRAWS
        """The most draws of a configuration by which its probability is found."""
        self.seed = seed
        self.replications = 1 if seed is None else replications
        self._bounded = Bounded(self)

    def close(self) -> None:
        """Close the store, of which no connection may be copied to another process."""
        if self.rows.results is not None:
            self.rows.results.close()

    @property
    def requirement(self) -> Requirement:
        """The requirement."""
        return self.loads.requirement

    def __call__(self, task: tuple[int, How], executor: Executor | None = None) -> Outcome:
        """Look at the configuration of a number; ``executor``: where its many runs are made."""
        number, how = task
        one = self.loads.offer.configuration(number)
        if how == "short":
            return self.predicted(one)
        if executor is not None and how != "run":
            Ahead(self, whole_runs(self, one, how)).make(executor)
        if self.wanted is not None:
            return by_draws(self, one, how, executor)
        outcome = self.outcome(one, complete=how != "run")
        if how in KNOWN and self.timed and all(item.slack >= 1 for item in self.capacity(one)):
            found = Draws(self, one, whole=True).until(None, to=KNOWN[how], executor=executor)
            return replace(outcome, probability=found)
        return outcome

    def outcome(self, one: Configuration, *, complete: bool) -> Outcome:
        """Run a configuration; unless it is to be ``complete``, stop at the first missed target."""
        found, made = [*self.capacity(one)], list[Row]()
        came: dict[tuple[str, str], Mapping[str, Any]] = {}
        for state in self.states:
            if not complete and any(item.slack < 1 for item in found):
                break
            settings = self.loads.offer.settings_in(one, state)
            more, rows = self._in_state(settings, state, complete=complete)
            found += more
            made += [row for of_load in rows.values() for row in of_load.values()]
            firsts = {load: next(iter(of_load.values())) for load, of_load in rows.items()}
            came |= {(state, load): row[HAPPENED] for load, row in firsts.items()}
        shortened = sum(SHORTENED in row for row in made)
        return Outcome(
            one.number,
            tuple(found),
            complete=len(found) == self.count,
            runs=len(made),
            shortened=shortened,
            happened=came,
        )

    @cached_property
    def error(self) -> ModelError:
        """The model's error, by the study whose machine is nearest to that of the requirement."""
        machine, _ = self.loads.loads[0].prepared.load()
        return nearest(kinds_of(machine), machine.name)

    def needs(self, target: Target) -> float:
        """Return the least slack of all runs with which a target has the wanted probability.

        If the best run has less, each has a smaller chance than wanted, and so has their mean.
        """
        return self.needs_of_any if column_of(target) else 1.0

    @cached_property
    def needs_of_any(self) -> float:
        """The least slack with the wanted probability, by the model's error."""
        return 1.0 if self.wanted is None else self.error.needed(self.wanted)

    def seconds(self, one: Configuration) -> float:
        """Estimate what its runs take, all of them, on one processor."""
        settings = [self.loads.offer.settings_in(one, state) for state in self.states]
        plans = [load.plan(each) for each in settings for load in self.loads.loads]
        return self.replications * sum(Estimate(one, "auto").cost().seconds for one in plans)

    @cached_property
    def states(self) -> list[str]:
        """The states that a target names, the one without a failure first."""
        named = {state for one in self.timed for state in one[1].in_states}
        return [one for one in (NORMAL, *self.requirement.states) if one in named]

    @cached_property
    def targets(self) -> list[tuple[int, Target]]:
        """The targets, with their places; of a plan those that hold in this year."""
        plan, years = self.requirement.plan, (None, self.requirement.years)
        found = enumerate(self.requirement.targets)
        return [each for each in found if plan is None or each[1].year in years]

    @cached_property
    def timed(self) -> list[tuple[int, Target]]:
        """The targets that runs tell about."""
        return [(index, one) for index, one in self.targets if one.figure not in STILL]

    @cached_property
    def count(self) -> int:
        """The number of targets, each state counted."""
        return sum(1 if one.figure in STILL else len(one.in_states) for _, one in self.targets)

    def capacity(self, one: Configuration) -> Iterator[Measured]:
        """Yield the targets that no run is needed for."""
        for index, target in self.targets:
            if target.figure in STILL:
                value = self.loads.still(target.figure, one)
                figure = Replicated((value,), varies=False)
                yield Measured(index, NORMAL, figure, slack(target, value), judged=value)

    # -- by runs ----------------------------------------------------------------------------------

    def _in_state(
        self, settings: tuple[Setting, ...], state: str, *, complete: bool
    ) -> tuple[list[Measured], RowsOfLoads]:
        """Return the targets of a state, and the rows of the runs; see :mod:`.targets`.

        Unless it is to be ``complete`` the first missed target ends it.
        """
        targets = [(index, one) for index, one in self.timed if state in one.in_states]
        rows: RowsOfLoads = {}
        missed = False
        for load, number, mine in self._in_turn(settings, targets):
            made = rows.setdefault(load.name, {})
            row = self._by_short(load, settings, number, made)
            if row is None or (not missed and self._is_close(mine, row)):
                plan = load.plan(settings, self.seed_of(number))
                row = self.row(load, plan, told=not made)
            made[number] = row
            missed = missed or any(is_missed(one, self._values(one, rows)) for _, one in mine)
            if missed and not complete:
                break
        found = []
        for index, one in targets:
            if values := self._values(one, rows):
                judged = Judged(self.requirement.confidence)
                each = measured_of((index, state), one, values, judged)
                last = rows[self.asked(one)[-1].name]
                busiest = next(iter(last.values()))[BUSIEST]
                found.append(replace(each, busiest=busiest))
        return found, rows

    def _in_turn(
        self, settings: tuple[Setting, ...], targets: list[tuple[int, Target]]
    ) -> Iterator[tuple[Ready, int, list[tuple[int, Target]]]]:
        """Yield loads with the numbers of their replications, those first that tell most."""
        again = []
        for load, mine in self._loads_of(targets):
            yield load, self.order_of(load)[0], mine
            again.append((load, mine))
        if self.seed is not None:
            again = [(load, mine) for load, mine in again if self.is_drawn(load, settings)]
            for place in range(1, self.replications):
                yield from ((load, self.order_of(load)[place], mine) for load, mine in again)

    def order_of(self, load: Ready) -> Sequence[int]:
        """Return the replications of a load, those first that tell most."""
        return self.order.get(load.name, range(self.replications))

    def asked(self, target: Target) -> list[Ready]:
        """Return the loads that a target is of."""
        return [one for one in self.loads.loads if one.is_asked(target)]

    def _values(self, target: Target, rows: RowsOfLoads) -> list[float | None]:
        """Return a target's figure of each replication of which all runs are made.

        None: a run has no such figure. Of all loads it is the weighted mean of those that have, by
        their runs in order: the worst of each, and so on; the only one of what does not vary.
        """
        loads = self.asked(target)
        made = [[*rows.get(one.name, {}).values()] for one in loads]
        if not all(made):
            return []
        count = max(map(len, made))
        found = []
        for place in range(count):
            several = zip(loads, made, strict=True)
            each = [(one.weight, of[place] if len(of) > 1 else of[0]) for one, of in several]
            figures = [(weight, row[name_of(target)]) for weight, row in each]
            found.append(weighted([(w, one) for w, one in figures if one is not None]))
        return found

    def _by_short(
        self, load: Ready, settings: tuple[Setting, ...], number: int, made: Mapping[int, Row]
    ) -> Row | None:
        """Return the figures of a replication behind the first, of a load that is made short.

        They are those of the first one, multiplied by what this is over the first where both are
        short. None where runs are not made short.
        """
        if not made or self.short is None or load.name not in self.short.divisions:
            return None
        first, whole = next(iter(made.items()))
        short = [
            self.row(load, self.short.plan(load, settings, self.seed_of(one)), told=False)
            for one in (first, number)
        ]
        row = dict(whole) | {SHORTENED: True}
        for name in self._names(load):
            figures = [whole[name], short[1][name], short[0][name]]
            row[name] = None
            if None not in figures and figures[2]:
                row[name] = figures[0] * figures[1] / figures[2]
        return row

    def _is_close(self, mine: list[tuple[int, Target]], row: Row) -> bool:
        """Return whether a run made short is too near to a target for it to tell."""
        figures = [(one, row[name_of(one)]) for _, one in mine]
        return any(
            one.workload is None or figure is None or slack(one, figure) < SURELY
            for one, figure in figures
        )

    def is_drawn(self, load: Ready, settings: tuple[Setting, ...]) -> bool:
        """Return whether anything of a load is drawn, so that replications differ."""
        return varies(*(load.plan(settings, self.seed_of(number)) for number in (0, 1)))

    def seed_of(self, replication: int) -> int | None:
        """Return the seed of a replication; None if service times do not vary."""
        return None if self.seed is None else seed_of(self.seed, replication)

    def _names(self, load: Ready) -> dict[str, Target]:
        """Return the targets that a load is asked for, by the names of their figures."""
        return {name_of(one): one for _, one in self.timed if load.is_asked(one)}

    def row(self, load: Ready, plan: Plan, *, told: bool = True) -> Row:
        """Run a plan, and return all figures of it that targets ask for; see :class:`Rows`."""
        return self.rows.of(load, plan, self._names(load), told=told)

    def _loads_of(
        self, targets: list[tuple[int, Target]]
    ) -> Iterator[tuple[Ready, list[tuple[int, Target]]]]:
        """Yield the loads that targets are of, each with its own."""
        for load in self.loads.loads:
            mine = [(index, one) for index, one in targets if load.is_asked(one)]
            if mine:
                yield load, mine

    def drawn(self, one: Configuration) -> list[str]:
        """Name what of a configuration's runs is drawn without a seed too."""
        plans = [load.plan(one.settings) for load in self.loads.loads]
        return [*dict.fromkeys(name for plan in plans for name in drawn_always(plan))]

    def options(self) -> list[str]:
        """Return the options of a command that draws as these runs do."""
        if self.seed is None:
            return ["--no-noise"]
        if self.wanted is not None and self.given is None:
            return ["--seed", str(self.seed)]
        return ["--seed", str(self.seed), "--replications", str(self.runs)]

    @property
    def runs(self) -> int:
        """The runs of a configuration: those that have to hold, or the most that are drawn."""
        return self.replications if self.wanted is None else self.draws

    def options_of(self, load: Ready, settings: tuple[Setting, ...]) -> list[str]:
        """Return the options of a command that makes the runs of a load again."""
        if self.seed is None:
            return []
        many = ["--replications", str(self.runs)] if self.is_drawn(load, settings) else []
        return ["--seed", str(self.seed), *many]

    # -- by short runs ----------------------------------------------------------------------------

    def predicted(self, one: Configuration, *, every: bool = False) -> Outcome:
        """Return what short runs say of a configuration, each the first in order; see `Short`.

        Unless ``every`` state is to be looked at, a target that one misses clearly ends it.
        """
        assert self.short is not None
        found, runs = [*self.capacity(one)], 0
        for state in self.states:
            if not every and any(item.slack < CLEARLY * item.needs for item in found):
                return Outcome(one.number, tuple(found), complete=False, runs=runs, partial=True)
            settings = self.loads.offer.settings_in(one, state)
            targets = [(index, item) for index, item in self.timed if state in item.in_states]
            shares: dict[int, list[tuple[float, float]]] = {}
            for load, mine in self._loads_of(targets):
                plan = self.short.plan(load, settings, self.first_seed(load))
                row = self.row(load, plan, told=False)
                runs += 1
                for index, target in mine:
                    if (figure := row[name_of(target)]) is not None:
                        figure *= self.short.ratios.get((load.name, index), 1.0)
                        shares.setdefault(index, []).append((load.weight, figure))
            for index, target in targets:
                if (mean := weighted(shares.get(index, []))) is not None:
                    shown = Replicated((mean,), varies=False)
                    room = slack(target, mean)
                    each = Measured(index, state, shown, room, mean, by="short")
                    found.append(replace(each, needs=self.needs(target)))
        return Outcome(one.number, tuple(found), complete=False, runs=runs)

    def first_seed(self, load: Ready) -> int | None:
        """Return the seed of bounds and short runs: the worst, or the best for a probability."""
        return self.seed_of(self.order_of(load)[0 if self.wanted is None else -1])

    def refer_to(self, one: Configuration) -> None:
        """Make a configuration the reference: see how long runs are, and which seeds are worst."""
        self.short = Short.at(self.loads, one, self.seed)
        self.rows.long = self.short.long
        settings = self.loads.offer.settings_in(one, NORMAL)
        for load, mine in self._loads_of(self.timed):
            whole = load.name in self.short.long - {*self.short.divisions}
            if whole or self.seed is None or not self.is_drawn(load, settings):
                continue
            slacks = {}
            for number in range(self.replications):
                plan = self.short.plan(load, settings, self.seed_of(number))
                row = self.row(load, plan, told=False)
                figures = [(target, row[name_of(target)]) for _, target in mine]
                slacks[number] = min(
                    0.0 if figure is None else slack(target, figure) for target, figure in figures
                )
            self.order[load.name] = tuple(sorted(slacks, key=lambda number: slacks[number]))

    def bound(self, one: Configuration, *, every: bool = True) -> Outcome:
        """Return what no run of a configuration can be better than; no run is made.

        Unless ``every`` state is to be looked at, a target that one misses ends it.
        """
        return self._bounded.outcome(one, every=every)
