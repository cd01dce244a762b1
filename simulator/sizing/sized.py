"""The result of a search: what is known of each configuration, the answer, and what comes next."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import TYPE_CHECKING

from simulator.sizing.targets import margin

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement
    from simulator.sizing.configurations import Configuration, Offer
    from simulator.sizing.evaluate import Evaluator
    from simulator.sizing.targets import Measured, Outcome

LEAST_CHANGE = 0.001
"""Of the figure of the target that binds: a smaller part of it is no change."""
MOST_SWAPS = 6
"""Runs of what is a step up in one choice and a step down in another."""
WANTED = 2
"""Configurations that meet everything and are looked for: the cheapest, and the runner-up."""


@dataclass
class Sampled:
    """The choice of configurations where there are too many to look at all."""

    sampler: str
    search_seed: int
    trials: int
    """Configurations that it was to propose, at most."""
    proposed: int = 0
    """Configurations that it did propose, each once, and that can be built;"""
    steps_from_the_best: int = 0
    """configurations that are a few steps from the best of them;"""
    dearer_not_run: int = 0
    """and how many of both were not run, since cheaper ones meet everything."""

    @property
    def looked(self) -> int:
        """The number of configurations that were looked at."""
        return self.proposed + self.steps_from_the_best


@dataclass
class Sized:
    """The result of a search."""

    evaluator: Evaluator
    combinations: int
    """All of them,"""
    built: int | None
    """and those that can be built; None where not all were looked at."""
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    """Outcomes of configurations that were run, by their numbers."""
    bounds: dict[int, Outcome] = field(default_factory=dict)
    """Outcomes of those that a bound discarded."""
    short: dict[int, Outcome] = field(default_factory=dict)
    """Outcomes by short runs."""
    order: list[Configuration] = field(default_factory=list)
    """All that can be built, or those of them that were looked at, the cheapest first."""
    meeting: list[Configuration] = field(default_factory=list)
    """Configurations that were run and meet all targets, the cheapest first, budget aside."""
    precise: set[int] = field(default_factory=set)
    """Numbers of those whose probability was found to the precision."""
    everything: bool = False
    """True if all were run that no bound discards."""
    sampled: Sampled | None = None
    """The choice of those that were looked at; None if all were."""
    each_s: float | None = None
    """Estimated seconds of the runs of one; None before one was found that no bound discards."""
    alternatives: dict[str, Sized] = field(default_factory=dict, repr=False)
    """What was found of each alternative of the requirement, this one too, by their names."""
    _last: tuple[int, int] = field(default=(-1, 0), repr=False)
    """How many configurations there were, and the place behind the last within the price."""

    @property
    def requirement(self) -> Requirement:
        """The requirement."""
        return self.evaluator.requirement

    @property
    def alternative(self) -> str:
        """The name of the alternative that this is of; empty if there are none."""
        return self.evaluator.loads.alternative

    @property
    def rank(self) -> tuple[bool, tuple[float, float]]:
        """Key for sorting searches: the cheapest answer, or what is nearest to one, first."""
        winner, nearest = self.winner, self.nearest
        if winner is not None:
            return False, winner.order[:2]
        return True, (0.0 if nearest is None else -self.outcome(nearest).slack, 0.0)

    @property
    def offer(self) -> Offer:
        """The offer."""
        return self.evaluator.loads.offer

    @property
    def runs(self) -> int:
        """The number of runs that were made."""
        return sum(one.runs for one in self.outcomes.values())

    @property
    def discarded(self) -> list[int]:
        """The numbers of those that a bound discarded, and that were not run all the same."""
        return [one for one in self.bounds if one not in self.outcomes]

    @property
    def left_out(self) -> list[int]:
        """The numbers of those that only short runs were made of."""
        return [one for one in self.short if one not in self.outcomes and one not in self.bounds]

    def keep(self, outcome: Outcome) -> None:
        """Note what a run says of a configuration, whatever another one has said before."""
        self.outcomes[outcome.number] = outcome
        one = self.offer.configuration(outcome.number)
        place = _place(self.meeting, one)
        known = self.meeting[place : place + 1] == [one]
        if outcome.meets and not known:
            self.meeting.insert(place, one)
        elif known and not outcome.meets:
            del self.meeting[place]

    @property
    def winner(self) -> Configuration | None:
        """The cheapest that meets all targets within the budget; None if nothing does."""
        return next((one for one in self.meeting if self.affordable(one)), None)

    @property
    def runner_up(self) -> Configuration | None:
        """The next one."""
        return next(iter([one for one in self.meeting if self.affordable(one)][1:]), None)

    def affordable(self, one: Configuration) -> bool:
        """True if a configuration is within the budget."""
        budget = self.requirement.budget
        if budget is None:
            return True
        price, power = budget.price, budget.power
        return (price is None or one.price <= price) and (power is None or one.power <= power)

    @property
    def nearest(self) -> Configuration | None:
        """The configuration within the budget that was run and misses its targets by the least."""
        # Of one that was stopped at its first missed target others may be missed by more; and of
        # more draws the furthest is further, so that only those of as many compare.
        found = {number: one for number, one in self.outcomes.items() if one.complete}
        precise = {number: one for number, one in found.items() if number in self.precise}
        several = (self._furthest(one) for one in (precise, found, self.outcomes))
        return next(chain.from_iterable(several), None)

    def _furthest(self, outcomes: Mapping[int, Outcome]) -> Iterator[Configuration]:
        """Yield what is within the budget, the most slack first, of as much the cheapest first."""
        ordered = sorted(outcomes, key=lambda number: -outcomes[number].slack)
        for _, some in groupby(ordered, key=lambda number: outcomes[number].slack):
            within = [one for one in map(self.offer.configuration, some) if self.affordable(one)]
            yield from sorted(within, key=lambda one: one.order)

    @property
    def known(self) -> dict[int, Outcome]:
        """The best that is known of each configuration: by runs, by short runs, or by a bound."""
        return self.bounds | self.short | self.outcomes

    def promising(self) -> Iterator[Configuration]:
        """Yield what may be nearest to the requirement, by all that is known, the nearest first."""
        return self._furthest(self.known)

    def end(self) -> int:
        """Return the place in the order from which on no configuration matters.

        It is behind the runner-up. If something beyond the budget's price meets all targets, it is
        behind that and all that is within that price: by the total, dearer ones may be cheaper.
        """
        if self.everything:
            return len(self.order)
        within, end = 0, None
        budget = self.requirement.budget
        price = None if budget is None else budget.price
        for one in self.meeting:
            within += self.affordable(one)
            if within >= WANTED:
                return min(self.place(one) + 1, end or len(self.order))
            if end is None and price is not None and one.price > price:
                end = max(self.place(one) + 1, self._behind(price))
        return end or len(self.order)

    def _behind(self, price: float) -> int:
        """Return the place behind the last configuration of at most this price."""
        if self._last[0] != len(self.order):
            left = (place for place, one in enumerate(self.order, 1) if one.price <= price)
            self._last = len(self.order), max(left, default=0)
        return self._last[1]

    def place(self, one: Configuration) -> int:
        """Return the place of a configuration in the order."""
        return _place(self.order, one)

    def outcome(self, one: Configuration) -> Outcome:
        """Return what is known of a configuration."""
        return self.known[one.number]

    def binding(self, one: Configuration) -> Measured:
        """Return the target with the least to spare; or the one that is furthest missed."""
        return min(self.outcome(one).measured, key=self.spare)

    def spare(self, one: Measured) -> float:
        """Return what a target has to spare, as a part of it, beyond what the probability needs."""
        return margin(self.requirement.targets[one.target], one.slack / one.needs)

    def swaps(self) -> list[tuple[str, str, Configuration]]:
        """Return what was run that has a step more of one choice and one less of another: by price.

        Only what meets everything, and what binds the answer better than the answer does.
        """
        if self.winner is None:
            return []
        found = []
        for up, down, number in self.offer.swaps(self.winner.number):
            outcome = self.outcomes.get(number)
            if outcome is not None and outcome.meets and self._binds_less(outcome):
                found.append((up, down, self.offer.configuration(number)))
        return sorted(found, key=lambda one: one[2].order)

    def _binds_less(self, outcome: Outcome) -> bool:
        """Return whether the target that binds the answer is further from being missed."""
        assert self.winner is not None
        binding = self.binding(self.winner)
        at = binding.target, binding.state
        slack = [one.slack for one in outcome.measured if (one.target, one.state) == at]
        return not slack or slack[0] > binding.slack

    def may_be_swapped(self) -> list[Configuration]:
        """Return what :meth:`swaps` may have, the cheapest first; nothing where runs are long.

        It is dearer than the answer: what is cheaper was looked at, and misses a target.
        """
        short = self.evaluator.short
        if self.winner is None or (short is not None and short.long):
            return []
        found = []
        for _, _, number in self.offer.swaps(self.winner.number):
            one = self.offer.configuration(number)
            if one.order < self.winner.order or not self.affordable(one):
                continue
            bound = self.outcomes.get(number) or self.evaluator.bound(one)
            may = bound.slack >= 1 and self._binds_less(bound)
            if may and self.offer.crowded(one) is None:
                found.append(one)
        return sorted(found, key=lambda one: one.order)[:MOST_SWAPS]

    def front(self) -> list[Configuration]:
        """Return those that were run of which none is both cheaper and better, by price.

        Better is what has more slack at the target that is nearest to be missed, by the part
        ``LEAST_CHANGE`` or more, or what meets all targets where nothing cheaper does.
        """
        found: list[Configuration] = []
        best, met = 0.0, False
        for one in self.order:
            outcome = self.outcomes.get(one.number)
            if outcome is None or not outcome.complete or outcome.slack <= best:
                continue
            if outcome.slack >= best * (1 + LEAST_CHANGE) or (outcome.meets and not met):
                best, met = outcome.slack, met or outcome.meets
                found.append(one)
        return found


def of_all(evaluator: Evaluator, *, everything: bool = False) -> Sized:
    """Return what is known before a search that looks at all that can be built."""
    offer = evaluator.loads.offer
    order = sorted(offer.configurations(), key=lambda one: one.order)
    return Sized(evaluator, offer.size, len(order), order=order, everything=everything)


def _place(ones: Sequence[Configuration], one: Configuration) -> int:
    """Return the place by price that a configuration has, or would have."""
    return bisect_left(ones, one.order, key=lambda other: other.order)
