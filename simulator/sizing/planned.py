"""What to buy when: the plan of the least discounted total, and all at once beside it.

A plan has a machine for each period between two purchases, which has to meet all targets under the
loads of the end of each year of it. :mod:`simulator.sizing.route` proposes the cheapest plan among
the machines that are not known to miss a target; those of it are looked at, each under its loads,
and those that miss one are forbidden. The first plan of which all were run and meet everything is
the cheapest of all: what was not run is in none that is cheaper. Nothing is taken to be monotone,
neither in the loads nor in the machines. Where runs are long, short ones leave machines out by a
judgement, as in :mod:`simulator.sizing.short`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from simulator.errors import InputError
from simulator.sizing.accounts import Account, Accounts
from simulator.sizing.evaluate import How
from simulator.sizing.probability import together
from simulator.sizing.route import Routes
from simulator.sizing.runs import Runs, carried_out
from simulator.sizing.short import CLEARLY
from simulator.sizing.sized import of_all

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.evaluate import Evaluator
    from simulator.sizing.probability import Probability
    from simulator.sizing.sized import Sized
    from simulator.sizing.targets import Outcome
    from simulator.study.executors import Executor

MOST = 10_000
"""Machines with different pieces among which a plan is looked for."""

YearTask = tuple[int, int, How]
"""The place of a year, the number of a configuration, and how it is looked at."""
Found = TypeVar("Found")
Search: TypeAlias = Generator[Sequence[YearTask], None, Found]
"""Rounds of tasks, and what is found by them."""
Next = How | Literal["misses", "holds"]
"""How a machine is to be looked at next, or what is known of it."""


@dataclass
class Planned:
    """The result of a search for a plan."""

    years: list[Sized]
    """What is known of machines under the loads of the end of each year."""
    accounts: Accounts
    machines: list[Configuration] = field(default_factory=list)
    """Those of the cheapest plan, one for each period; none if nothing meets everything."""
    at_once: Configuration | None = None
    """The machine that is cheapest if it is bought in year 0, and nothing later."""
    at_least: float = 0.0
    """What the cheapest plan costs at least, as far as it is known."""
    missing: int | None = None
    """The place of a year whose loads no machine carries; None if each has one."""

    @property
    def requirement(self) -> Requirement:
        """The requirement."""
        return self.years[-1].requirement

    @property
    def evaluator(self) -> Evaluator:
        """That of the last year."""
        return self.years[-1].evaluator

    @property
    def everything(self) -> bool:
        """False: no plan runs everything."""
        return False

    @property
    def winner(self) -> Configuration | None:
        """The machine of the last year; None if there is no plan."""
        return self.machines[-1] if self.machines else None

    @property
    def account(self) -> Account:
        """The account of the plan."""
        return self.accounts.account(self.machines)

    @property
    def account_at_once(self) -> Account | None:
        """The account of buying all at once; None if no machine carries the loads of all years."""
        if self.at_once is None:
            return None
        return self.accounts.account([self.at_once] * len(self.accounts.periods))

    def of_years(self) -> list[tuple[Sized, Configuration]]:
        """Return what is known of each year, and its machine of the plan."""
        pairs = zip(self.machines, self.accounts.periods, strict=bool(self.machines))
        return [(self.years[year], one) for one, period in pairs for year in period]

    @property
    def probabilities(self) -> dict[int, Probability]:
        """The probability that all targets are met under the loads of each year, from 1 on.

        Of the years of which it is known.
        """
        found = enumerate(self.of_years(), 1)
        each = {year: sized.outcome(one).probability for year, (sized, one) in found}
        return {year: one for year, one in each.items() if one is not None}

    @property
    def together(self) -> float | None:
        """The probability that all targets are met in all years; None if one's is not known."""
        found = [*self.probabilities.values()]
        all_known = self.machines and len(found) == self.accounts.years
        return together(found).estimate if all_known else None

    @property
    def run_whole(self) -> int:
        """How many machines were run, each year counted."""
        return sum(len(one.outcomes) for one in self.years)

    @property
    def looked(self) -> int:
        """How many machines were looked at, each year counted."""
        return self.run_whole + sum(len(one.discarded) + len(one.left_out) for one in self.years)


PlanningProgress = Callable[[Planned], None]


class YearSearch(Runs):
    """What is known of the machines under the loads of one year."""

    def __init__(self, evaluator: Evaluator, executor: Executor | None) -> None:
        super().__init__(of_all(evaluator), executor)

    def _look(self) -> None:
        """Look how long runs are, at the first machine that no bound discards."""
        self.sized.bounds |= self._look_at_length(self.sized.order)

    def prepare(self) -> None:
        """Look how long runs are."""
        self._look()

    def find_nearest(self) -> None:
        """Run what is nearest to meet everything."""
        self._find_nearest()


class Evaluators:
    """The evaluators of all years, as one that can be sent to others."""

    def __init__(self, evaluators: Sequence[Evaluator]) -> None:
        self._evaluators = evaluators

    def close(self) -> None:
        """Close their stores."""
        for one in self._evaluators:
            one.close()

    def __call__(self, task: YearTask, executor: Executor | None = None) -> Outcome:
        """Look at a configuration in a year."""
        year, number, how = task
        return self._evaluators[year]((number, how), executor)


class Rounds(Iterator[YearTask]):
    """Hands out the tasks of one round after the other, each when all of the last are done."""

    def __init__(self, rounds: Iterator[Sequence[YearTask]]) -> None:
        self._rounds = rounds
        self._tasks: deque[YearTask] = deque()
        self.open = 0
        """Tasks of the round whose outcomes have not come."""

    def __next__(self) -> YearTask:
        if not self._tasks:
            if self.open:
                raise StopIteration
            self._tasks.extend(next(self._rounds))
            self.open = len(self._tasks)
        return self._tasks.popleft()


class Planning:
    """The search for a plan."""

    def __init__(self, evaluators: Sequence[Evaluator], executor: Executor | None) -> None:
        """``evaluators``: one for the loads of the end of each year.

        InputError if there are too many machines.
        """
        self._searches = [YearSearch(one, executor) for one in evaluators]
        self._executor = self._searches[0].executor
        self._evaluators = Evaluators(evaluators)
        years = [one.sized for one in self._searches]
        self._accounts = Accounts(years[-1].requirement)
        self._periods = self._accounts.periods
        self.planned = Planned(years, self._accounts)
        self._asked = self.planned.evaluator.wanted is not None
        self._heard: PlanningProgress = lambda _planned: None
        self._promising: set[tuple[int, int]] = set()
        """Years and machines that no bound discards;"""
        self._known: set[tuple[int, int]] = set()
        """and those whose probability was found to the precision."""
        self._built = [{one.number: one for one in year.order} for year in years]
        built = {number: one for year in self._built for number, one in year.items()}
        self._alike: dict[tuple[int, ...], list[Configuration]] = {}
        """The machines of the same pieces."""
        items = [*self.planned.requirement.catalogue]
        for one in sorted(built.values(), key=lambda each: each.order):
            if years[-1].affordable(one):
                counts = tuple(one.pieces.get(item, 0) for item in items)
                self._alike.setdefault(counts, []).append(one)
        if len(self._alike) > MOST:
            about = f"{len(self._alike):,} machines of different pieces are too many for a plan"
            raise InputError(f"{about}; write choices that make at most {MOST:,}")

    def run(self, heard: PlanningProgress = lambda _planned: None) -> Planned:
        """Look at machines until the plan is known; ``heard`` is told after each."""
        self._heard = heard
        for search in self._searches:
            search.prepare()
        rounds = Rounds(self._rounds())
        for task, outcome in carried_out(self._executor, self._evaluators, rounds):
            self._take(task, outcome)
            rounds.open -= 1
            self._heard(self.planned)
        if not self.planned.machines:
            self._find_missing()
        return self.planned

    def _rounds(self) -> Iterator[Sequence[YearTask]]:
        """Yield tasks that can be carried out at one time; what follows depends on all of them."""
        if self._alike:
            yield from self._look()
        if self.planned.machines:
            if not self._asked and self.planned.evaluator.timed:
                yield [self._weakest()]
            self.planned.at_once = yield from self._at_once()

    def _look(self) -> Iterator[Sequence[YearTask]]:
        """Look for the cheapest plan."""
        nodes = [*self._alike.values()]
        left = [
            [[one for one in ones if self._is_built(one, period)] for ones in nodes]
            for period in self._periods
        ]
        routes = self._routes([ones[0] for ones in nodes])
        for place, of_period in enumerate(left):
            for node, ones in enumerate(of_period):
                if not ones:
                    routes.forbid(place, node)
        while (found := routes.cheapest()) is not None:
            self.planned.at_least, way = found
            machines = [left[place][node][0] for place, node in enumerate(way)]
            pairs = [*zip(self._periods, machines, strict=True)]
            years = [(year, one) for period, one in pairs for year in period]
            if (yield from self._hold(years)):
                self.planned.machines = machines
                return
            for place, (period, one) in enumerate(pairs):
                if any(self._next(year, one) == "misses" for year in period):
                    left[place][way[place]].remove(one)
                    if not left[place][way[place]]:
                        routes.forbid(place, way[place])

    def _routes(self, firsts: Sequence[Configuration]) -> Routes:
        """Return the ways between machines, the first of each that have the same pieces."""
        accounts, periods = self._accounts, self._periods
        items = [*self.planned.requirement.catalogue]
        return Routes(
            [*self._alike],
            [[accounts.of_piece(item, period[0]) for item in items] for period in periods],
            [[accounts.running(one, period) for one in firsts] for period in periods],
        )

    def _is_built(self, one: Configuration, period: range) -> bool:
        """Return whether a machine can be built, and holds its files, in all years of a period."""
        return all(one.number in self._built[year] for year in period)

    def _at_once(self) -> Search[Configuration | None]:
        """Return the machine that is cheapest if it is there in all years."""
        years = range(self._accounts.years)
        count = len(self._periods)
        built = [one for ones in self._alike.values() for one in ones if self._is_built(one, years)]
        for one in sorted(
            built, key=lambda each: (self._accounts.account([each] * count).total, each.order)
        ):
            if (yield from self._hold([(year, one) for year in years])):
                return one
        return None

    def _weakest(self) -> YearTask:
        """Return the task that finds the probability of the year that has the least to spare."""
        pairs = enumerate(self.planned.of_years())
        found = ((sized.outcome(one).slack, year, one.number) for year, (sized, one) in pairs)
        _, year, number = min(found)
        return year, number, "known"

    # -- what carries which loads -----------------------------------------------------------------

    def _hold(self, wanted: Sequence[tuple[int, Configuration]]) -> Search[bool]:
        """Look at machines, each in a year, until all are known to hold, or one to miss a target.

        If a probability is asked for, that of those that hold is found to the precision.
        """
        while True:
            steps = [(year, one.number, self._next(year, one)) for year, one in wanted]
            if any(step == "misses" for _, _, step in steps):
                return False
            tasks: list[YearTask] = [
                (year, number, step)
                for year, number, step in dict.fromkeys(steps)
                if step in ("short", "run")
            ]
            if not tasks and self._asked:
                tasks = [(year, number, "known") for year, number, step in steps if step == "known"]
            if not tasks:
                return True
            yield tasks

    def _next(self, year: int, one: Configuration) -> Next:
        """Return how a machine is to be looked at next in a year, or what is known of it."""
        sized, place = self.planned.years[year], (year, one.number)
        outcome = sized.outcomes.get(one.number)
        if outcome is not None:
            holds: Next = "holds" if place in self._known else "known"
            return holds if outcome.meets else "misses"
        if one.number not in sized.bounds and place not in self._promising:
            bound = sized.evaluator.bound(one, every=False)
            if bound.slack < 1:
                sized.bounds[one.number] = bound
            else:
                self._promising.add(place)
        if one.number in sized.bounds:
            return "misses"
        if sized.evaluator.short is None or not sized.evaluator.short.divisions:
            return "run"
        short = sized.short.get(one.number)
        if short is None:
            return "short"
        return "run" if short.slack >= CLEARLY else "misses"

    def _take(self, task: YearTask, outcome: Outcome) -> None:
        year, number, how = task
        sized = self.planned.years[year]
        if how == "short":
            sized.short[number] = outcome
        else:
            sized.keep(outcome)
        if how == "known":
            self._known.add((year, number))

    def _find_missing(self) -> None:
        """Find the first year whose loads no machine carries, and run what is nearest to that."""
        for year, search in enumerate(self._searches):
            order = [one for one in search.sized.order if search.sized.affordable(one)]
            if all(self._next(year, one) == "misses" for one in order):
                self.planned.missing = year
                search.find_nearest()
                return
