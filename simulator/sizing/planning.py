"""What to buy when: the plan of the least discounted total, and all at once beside it.

A plan has a machine for each period between two purchases, which has to meet all targets under the
loads of the end of each year of it. :mod:`simulator.sizing.route` proposes the cheapest plan among
the machines that are not known to miss a target; those of it are looked at, each under its loads,
and those that miss one are forbidden. The first plan of which all were run and meet everything is
the cheapest of all: what was not run is in none that is cheaper. Nothing is taken to be monotone,
neither in the loads nor in the machines. Where runs are long, short ones leave machines out by a
judgement, as in :mod:`simulator.sizing.short`.

Machines of several alternatives are in one search: a plan may change from one to another, which it
buys whole. The cheapest plan of each alone is found after it, of runs that are mostly made.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from simulator.errors import InputError
from simulator.sizing.accounts import Accounts
from simulator.sizing.evaluate import How
from simulator.sizing.planned import Planned
from simulator.sizing.route import Routes, Stepped
from simulator.sizing.runs import Runs, carried_out
from simulator.sizing.short import CLEARLY
from simulator.sizing.sized import of_all

if TYPE_CHECKING:
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.evaluate import Evaluator
    from simulator.sizing.sized import Sized
    from simulator.sizing.targets import Outcome
    from simulator.study.executors import Executor

MOST = 10_000
"""Machines with different pieces among which a plan is looked for."""

YearTask = tuple[int, int, How]
"""The place of an alternative's year, the number of a machine, and how it is looked at."""
Found = TypeVar("Found")
Search: TypeAlias = Generator[Sequence[YearTask], None, Found]
"""Rounds of tasks, and what is found by them."""
Next = How | Literal["misses", "holds"]
"""How a machine is to be looked at next, or what is known of it."""
PlanningProgress = Callable[[Planned], None]


class YearSearch(Runs):
    """What is known of the machines under the loads of one year."""

    def __init__(self, evaluator: Evaluator, executor: Executor | None) -> None:
        super().__init__(of_all(evaluator), executor)

    def _look(self) -> None:
        """Look how long runs are, at the first machine that no bound discards."""
        self.sized.bounds |= self._look_at_length(self.sized.order)

    prepare = _look
    find_nearest = Runs._find_nearest


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
        place, number, how = task
        return self._evaluators[place]((number, how), executor)


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

    def __init__(
        self, evaluators: Sequence[Sequence[Evaluator]], executor: Executor | None
    ) -> None:
        """``evaluators``: of each alternative, one for the loads of the end of each year.

        InputError if there are too many machines.
        """
        every = [one for years in evaluators for one in years]
        for years in evaluators:
            built: dict[int, Configuration] = {}  # Combinations are the same in all years.
            for one in years:
                one.loads.offer.built = built
        self._searches = [YearSearch(one, executor) for one in every]
        self._executor = self._searches[0].executor
        self._evaluators = Evaluators(every)
        self._accounts = Accounts(every[-1].requirement)
        self._periods = self._accounts.periods
        self._first: dict[str, int] = {}
        """The place of the first year of each alternative among all searches."""
        found: dict[str, list[Sized]] = {}
        for place, search in enumerate(self._searches):
            self._first.setdefault(search.sized.alternative, place)
            found.setdefault(search.sized.alternative, []).append(search.sized)
        self.planned = Planned(found, self._accounts)
        self._asked = self.planned.evaluator.wanted is not None
        self._promising: set[tuple[int, int]] = set()
        """Years and machines that no bound discards;"""
        self._known: set[tuple[int, int]] = set()
        """and those whose probability was found to the precision."""
        self._built = [{one.number for one in search.sized.order} for search in self._searches]
        self._nodes = self._find_alike()
        """The machines of the same pieces."""
        self._routes = self._routes_of(self._nodes) if self._nodes else None

    def _find_alike(self) -> list[list[Configuration]]:
        """Return the machines that a budget allows, those of the same pieces together."""
        built = {
            (one.alternative, one.number): one
            for search in self._searches
            for one in search.sized.order
            if search.sized.affordable(one)
        }
        alike: dict[tuple[object, ...], list[Configuration]] = {}
        for one in sorted(built.values(), key=lambda each: each.order):
            alike.setdefault((one.alternative, *one.pieces.items()), []).append(one)
        return [*alike.values()]

    def run(self, heard: PlanningProgress = lambda _planned: None) -> Planned:
        """Look at machines until the plan is known; ``heard`` is told after each."""
        for search in self._searches:
            search.prepare()
        rounds = Rounds(self._rounds())
        for task, outcome in carried_out(self._executor, self._evaluators, rounds):
            self._take(task, outcome)
            rounds.open -= 1
            heard(self.planned)
        if (missing := self.planned.missing) is not None:
            for first in self._first.values():
                self._searches[first + missing].find_nearest()
        return self.planned

    def _rounds(self) -> Iterator[Sequence[YearTask]]:
        """Yield tasks that can be carried out at one time; what follows depends on all of them."""
        planned = self.planned
        if self._routes is not None:
            planned.machines = yield from self._cheapest(self._nodes, self._routes)
        if not planned.machines:
            planned.missing = yield from self._find_missing()
            return
        if not self._asked and planned.evaluator.timed:
            yield [self._weakest()]
        planned.at_once = yield from self._at_once()
        for name in planned.found if len(planned.found) > 1 else ():
            nodes = [ones for ones in self._nodes if ones[0].alternative == name]
            routes = self._routes_of(nodes) if nodes else None
            planned.alone[name] = (yield from self._cheapest(nodes, routes)) if routes else []

    def _cheapest(
        self, nodes: Sequence[Sequence[Configuration]], routes: Routes
    ) -> Search[list[Configuration]]:
        """Return the machines of the cheapest plan; none if nothing meets everything."""
        left = [
            [[one for one in ones if self._is_built(one, period)] for ones in nodes]
            for period in self._periods
        ]
        for place, of_period in enumerate(left):
            for node, ones in enumerate(of_period):
                if not ones:
                    routes.forbid(place, node)
        while (found := routes.cheapest()) is not None:
            least, way = found
            if not self.planned.machines:
                self.planned.at_least = least
            machines = [left[place][node][0] for place, node in enumerate(way)]
            pairs = [*zip(self._periods, machines, strict=True)]
            years = [(year, one) for period, one in pairs for year in period]
            if (yield from self._hold(years)):
                return machines
            for place, (period, one) in enumerate(pairs):
                if any(self._next(year, one) == "misses" for year in period):
                    left[place][way[place]].remove(one)
                    if not left[place][way[place]]:
                        routes.forbid(place, way[place])
        return []

    def _routes_of(self, nodes: Sequence[Sequence[Configuration]]) -> Routes:
        """Return the ways between machines, the first of each that have the same pieces.

        InputError if there are too many.
        """
        accounts, periods = self._accounts, self._periods
        packs = [accounts.packs(ones[0]) for ones in nodes]
        things = [*dict.fromkeys(thing for each in packs for thing in each)]
        counts = [[accounts.counts(item, period[0]) for _, item in things] for period in periods]
        prices: list[list[float]] = [[] for _ in periods]
        stepped, states = list[Stepped](), len(nodes)
        for place, thing in enumerate(things):
            needs = range(1 + max(each.get(thing, 0) for each in packs))
            sold, sums = zip(*(accounts.purchase(thing[1], need) for need in needs), strict=True)
            plain = all(paid == need * sums[1] for need, paid in enumerate(sums))
            for of, each in zip(prices, counts, strict=True):
                of.append(sums[1] * each[place] if plain else 0.0)
            if not plain:
                of_periods = [[paid * each[place] for paid in sums] for each in counts]
                stepped.append(Stepped(place, sold, of_periods))
                states *= len({bought - need for need, bought in enumerate(sold)})
        if states > MOST:
            rests = " and numbers left over" if states > len(nodes) else ""
            about = f"{states:,} machines of different pieces{rests} are too many for a plan"
            raise InputError(f"{about}; write choices that make at most {MOST:,}")
        matrix = [[each.get(thing, 0) for thing in things] for each in packs]
        running = [[accounts.running(ones[0], period) for ones in nodes] for period in periods]
        return Routes(matrix, prices, running, stepped)

    def _is_built(self, one: Configuration, period: range) -> bool:
        """Return whether a machine can be built, and holds its files, in all years of a period."""
        return all(one.number in self._built[self._place(year, one)] for year in period)

    def _place(self, year: int, one: Configuration) -> int:
        """Return the place of the search that a machine is looked at in, in a year."""
        return self._first[one.alternative] + year

    def _at_once(self) -> Search[list[Configuration]]:
        """Return the machine that is cheapest if it is there in all years, in each period."""
        years = range(self._accounts.years)
        count = len(self._periods)
        built: list[tuple[float, Configuration]] = []
        for ones in self._nodes:
            total = self._accounts.account([ones[0]] * count).total
            built += [(total, one) for one in ones if self._is_built(one, years)]
        for _, one in sorted(built, key=lambda each: (each[0], each[1].order)):
            if (yield from self._hold([(year, one) for year in years])):
                return [one] * count
        return []

    def _weakest(self) -> YearTask:
        """Return the task that finds the probability of the year that has the least to spare."""
        pairs = enumerate(self.planned.of_years())
        found = ((sized.outcome(one).slack, year, one) for year, (sized, one) in pairs)
        _, year, one = min(found, key=lambda each: each[:2])
        return self._place(year, one), one.number, "known"

    # -- what carries which loads -----------------------------------------------------------------

    def _hold(self, wanted: Sequence[tuple[int, Configuration]]) -> Search[bool]:
        """Look at machines, each in a year, until all are known to hold, or one to miss a target.

        The last year first, whose loads are the largest most often: what misses a target then need
        not be looked at in others. Where runs are long, all years at a time. If a probability is
        asked for, that of those that hold is found to the precision.
        """
        while True:
            tasks: list[YearTask] = []
            for year, one in reversed(wanted):
                step = self._next(year, one)
                if step == "misses":
                    return False
                if step in ("short", "run"):
                    tasks.append((self._place(year, one), one.number, step))
                    short = self.planned.sized(year, one).evaluator.short
                    if short is None or not short.long:
                        break
            if not tasks and self._asked:
                tasks = [
                    (self._place(year, one), one.number, "known")
                    for year, one in wanted
                    if self._next(year, one) == "known"
                ]
            if not tasks:
                return True
            yield tasks

    def _next(self, year: int, one: Configuration) -> Next:
        """Return how a machine is to be looked at next in a year, or what is known of it."""
        sized, place = self.planned.sized(year, one), (self._place(year, one), one.number)
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
        place, number, how = task
        sized = self._searches[place].sized
        if how == "short":
            sized.short[number] = outcome
        else:
            sized.keep(outcome)
        if how == "known":
            self._known.add((place, number))

    def _find_missing(self) -> Search[int | None]:
        """Return the place of the first year whose loads no machine carries; None without one."""
        for year in range(self._accounts.years):
            of_year = range(year, year + 1)
            ones = (one for ones in self._nodes for one in ones if self._is_built(one, of_year))
            for one in ones:
                while (step := self._next(year, one)) in ("short", "run"):
                    yield [(self._place(year, one), one.number, step)]
                if step != "misses":
                    break
            else:
                return year
        return None
