"""The search among more configurations than can all be looked at: a sample, then steps.

Optuna's tree-structured Parzen estimator (Bergstra and others, Algorithms for Hyper-Parameter
Optimization, 2011) proposes configurations. Its objective is what is minimised, its constraint by
how much the target that is furthest from being met is missed. As in
:mod:`simulator.sizing.search`, a bound discards without a run what cannot meet a target, short runs
leave out what clearly does not, and what is dearer than two that meet everything is not run. From
the best that was found steps are taken, of one choice, and of one with a small one of a second, as
long as one leads to a cheaper configuration that meets everything; if none meets it, to a nearer
one.

Nothing is known of what was not looked at: the answer is the cheapest of those that were.
"""

from __future__ import annotations

import itertools
from bisect import insort
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simulator.errors import InputError
from simulator.extras import MissingExtraError, need
from simulator.sizing import configurations
from simulator.sizing.runs import Runs
from simulator.sizing.short import CLEARLY
from simulator.sizing.sized import WANTED, Sampled, Sized

if TYPE_CHECKING:
    from simulator.sizing.configurations import Configuration, Offer
    from simulator.sizing.evaluate import Evaluator
    from simulator.sizing.runs import Task
    from simulator.study.executors import Executor

TRIALS = 1_000
"""Configurations that the sampler proposes, if nobody says how many."""
SEED = 1
"""Seed of the sampler."""
BATCH = 16
"""Configurations that are looked at before others are chosen.

However many processes there are: one and eight give the same answer.
"""
FIRST = 64
"""Configurations that are drawn evenly, before the sampler knows anything."""
STEPS = 2
"""Choices that are changed at one time in steps from the best."""
DISTANCES = (*range(1, 9), *(1 << power for power in range(4, 17)))
"""Lengths of a step of one choice, in levels: to each near one, and to some that are far."""
MOST_ASKED = 4
"""Questions to the sampler for each trial: it may propose what is known already."""


class Sampling(Runs):
    """A search that looks at some configurations."""

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        trials: int = TRIALS,
        seed: int = SEED,
        executor: Executor | None = None,
    ) -> None:
        """Prepare the sampler; InputError if it is not installed."""
        offer = evaluator.loads.offer
        self._first = _first(offer, seed)
        self._proposals = Proposals(offer, seed, self._first)
        sampled = Sampled(self._proposals.name, seed, trials)
        super().__init__(Sized(evaluator, offer.size, None, sampled=sampled), executor)
        self.sampled = sampled

    def _look(self) -> None:
        """Look at what the sampler proposes, and at steps from the best of it."""
        self._look_at_length(sorted(self._first, key=lambda one: one.order))
        self._carry_out(_Rounds(self.sized, self._rounds()))
        if self.sized.winner is not None:
            self.sampled.steps_from_the_best += self._enter(self._steps_up(self.sized.winner))
            self.sampled.steps_from_the_best += self._enter(self.sized.may_be_swapped())

    def _rounds(self) -> Iterator[list[Task]]:
        """Yield tasks that can be carried out at one time; what follows depends on all of them."""
        yield from self._sample()
        several = 1
        while several <= STEPS and (best := self._best) is not None:
            yield from self._around(best, several)
            several = several + 1 if self._best == best else 1

    def _sample(self) -> Iterator[list[Task]]:
        """Look at what the sampler proposes."""
        offer, sampled = self.sized.offer, self.sampled
        asked = 0
        while sampled.proposed < sampled.trials and asked < MOST_ASKED * sampled.trials:
            count = min(BATCH, sampled.trials - sampled.proposed)
            asked += count
            proposed = [self._proposals.ask() for _ in range(count)]
            ones = {number: offer.configuration(number) for _, number in proposed}
            built = [one for one in ones.values() if offer.crowded(one) is None]
            before = len(self.sized.order)
            yield from self._look_at(built)
            sampled.proposed += len(self.sized.order) - before
            for trial, number in proposed:
                one = ones[number]
                self._proposals.tell(trial, one.cost, self._violation(one))

    def _around(self, best: Configuration, several: int) -> Iterator[list[Task]]:
        """Look at what so many steps from the best lead to, until one is better."""
        offer = self.sized.offer
        found = [offer.configuration(number) for number in steps_from(offer, best.number, several)]
        if self.sized.meeting:
            found = [one for one in found if one.order < best.order or self._may_follow(one)]
        else:
            found = [one for one in found if self.sized.affordable(one)]
        found = [one for one in found if offer.crowded(one) is None]
        found.sort(key=lambda one: one.order)
        for start in range(0, len(found), BATCH):
            before = len(self.sized.order)
            yield from self._look_at(found[start : start + BATCH])
            self.sampled.steps_from_the_best += len(self.sized.order) - before
            if self._best != best:
                return

    def _may_follow(self, one: Configuration) -> bool:
        """Return whether it may be the answer behind what is beyond the budget: by the total."""
        sized = self.sized
        by_total = sized.requirement.minimise == "total"
        return by_total and sized.winner is None and sized.affordable(one)

    @property
    def _best(self) -> Configuration | None:
        """The cheapest that meets everything, within the budget if one does; else the nearest."""
        sized = self.sized
        best = sized.winner or next(iter(sized.meeting), None)
        return best or next(sized.promising(), None)

    def _look_at(self, ones: Iterable[Configuration]) -> Iterator[list[Task]]:
        """Look at configurations that were not: by a bound, by short runs, by whole ones."""
        sized, left = self.sized, []
        meeting = sized.meeting
        known = {one.number for one in sized.order}
        new = [one for one in ones if one.number not in known]
        self._enter(new)
        for one in new:
            if self._is_dear(one, meeting):
                self.sampled.dearer_not_run += 1
            elif (bound := self.evaluator.bound(one)).slack < 1:
                sized.bounds[one.number] = bound
            else:
                left.append(one)
        short = self.evaluator.short
        if short is not None and short.divisions:
            yield [(one.number, "short") for one in left]
            left = [one for one in left if sized.short[one.number].slack >= CLEARLY]
        yield [(one.number, "run") for one in left]

    def _enter(self, ones: Iterable[Configuration]) -> int:
        """Put those that are new in their place by price; return how many there were."""
        known = {one.number for one in self.sized.order}
        new = [one for one in ones if one.number not in known]
        for one in new:
            insort(self.sized.order, one, key=lambda item: item.order)
        return len(new)

    def _is_dear(self, one: Configuration, meeting: Sequence[Configuration]) -> bool:
        """Return whether enough that is cheaper meets everything: what is dearer is no answer."""
        cheaper = [other for other in meeting if other.order < one.order]
        if not self.sized.affordable(one):
            return bool(cheaper)
        return sum(map(self.sized.affordable, cheaper)) >= WANTED

    def _violation(self, one: Configuration) -> float:
        """Return how far a configuration is from what is asked for; 0 if nothing is known of it.

        One that cannot be built is as far as one that has no figure at all.
        """
        sized = self.sized
        if sized.offer.crowded(one) is not None:
            return 1.0
        outcome = sized.known.get(one.number)
        missed = max(0.0, 1 - outcome.slack) if outcome is not None else 0.0
        budget = sized.requirement.budget
        if budget is None:
            return missed
        over = one.power / budget.power - 1 if budget.power else 0.0
        if budget.price and sized.requirement.minimise == "total":
            over = max(over, one.price / budget.price - 1)
        return missed + max(0.0, over)


class Proposals:
    """Proposals of Optuna's sampler, which learns their costs, and how far each is from met."""

    def __init__(self, offer: Offer, seed: int, first: Sequence[Configuration]) -> None:
        """``first``: what it proposes before it knows anything."""
        check_sampler(offer)
        import optuna

        self.name = f"the TPE sampler of Optuna {optuna.__version__}"
        self._offer = offer
        distributions = optuna.distributions
        self._space: dict[str, Any] = {
            name: distributions.CategoricalDistribution(range(len(levels)))
            if offer.requirement.choices[name].options
            else distributions.IntDistribution(0, len(levels) - 1)
            for name, levels in zip(offer.names, offer.levels, strict=True)
        }
        sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=len(first))
        before = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.ERROR)  # It tells of each study.
        self._study = optuna.create_study(sampler=sampler)
        optuna.logging.set_verbosity(before)
        for one in first:
            places = offer.lattice.places(one.number)
            self._study.enqueue_trial(dict(zip(offer.names, places, strict=True)))

    def ask(self) -> tuple[Any, int]:
        """Return a trial, and the number of the configuration that it proposes."""
        trial = self._study.ask(self._space)
        return trial, self._offer.lattice.number(trial.params[name] for name in self._offer.names)

    def tell(self, trial: Any, cost: float, violation: float) -> None:
        """Tell what became of a trial; a ``violation`` of 0 is what was asked for."""
        trial.set_constraint("missed", violation)
        self._study.tell(trial, cost)


def check_sampler(offer: Offer) -> None:
    """Raise InputError if the sampler is not installed."""
    try:
        need("optuna")
    except MissingExtraError as error:
        raise InputError(
            f"{offer.requirement.origin.file}: choices: {offer.size:,} combinations are too many"
            f" to look at all; write fewer values, for at most {configurations.MOST:,}, or have a"
            f" sample looked at: {error}"
        ) from None


def _first(offer: Offer, seed: int) -> list[Configuration]:
    """Return what is looked at first: the first and the last values of all choices, and draws."""
    ends = [offer.configuration(number) for number in (0, offer.size - 1)]
    built = [one for one in ends if offer.crowded(one) is None]
    drawn = itertools.islice(offer.drawn(seed, FIRST * BATCH), FIRST)
    return [*{one.number: one for one in (*built, *drawn)}.values()]


def steps_from(offer: Offer, number: int, several: int) -> list[int]:
    """Return the combinations that differ from one in one choice, or in two.

    In one choice by any of ``DISTANCES``; in the second by one level. Of ways each is beside each
    other.
    """
    places = offer.lattice.places(number)
    found = dict[int, None]()
    for chosen in itertools.permutations(range(len(places)), several):
        moves = [
            [
                (index, step)
                for step in _steps(offer, index, places[index], (1,) if order else DISTANCES)
            ]
            for order, index in enumerate(chosen)
        ]
        steps = (offer.lattice.step(number, *each) for each in itertools.product(*moves))
        found |= dict.fromkeys(one for one in steps if one is not None)
    return [*found]


def _steps(offer: Offer, index: int, place: int, distances: Sequence[int]) -> list[int]:
    """Return so far steps of a choice, up and down; of ways those to all others."""
    if offer.requirement.choices[offer.names[index]].options:
        return [one - place for one in range(len(offer.levels[index])) if one != place]
    return [sign * distance for distance in distances for sign in (-1, 1)]


class _Rounds(Iterator["Task"]):
    """Hands out the tasks of one round after the other, the next when all of one are done."""

    def __init__(self, sized: Sized, rounds: Iterator[list[Task]]) -> None:
        self._sized = sized
        self._rounds = rounds
        self._left: deque[Task] = deque()
        self._under_way: list[Task] = []

    def __next__(self) -> Task:
        if not self._left and all(map(self._is_done, self._under_way)):
            self._under_way = next(filter(None, self._rounds), [])
            self._left.extend(self._under_way)
        if not self._left:
            raise StopIteration
        return self._left.popleft()

    def _is_done(self, task: Task) -> bool:
        number, how = task
        return number in (self._sized.short if how == "short" else self._sized.outcomes)
