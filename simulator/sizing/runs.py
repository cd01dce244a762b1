"""A search under way: configurations are run, and what they give is kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar

from simulator.sizing.evaluate import How
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes

if TYPE_CHECKING:
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.targets import Outcome
    from simulator.study.executors import Executor

Task = tuple[int, How]
"""The number of a configuration, and how it is looked at."""
One = TypeVar("One")
Asked_contra = TypeVar("Asked_contra", contravariant=True)
SizingProgress = Callable[[Sized], None]

MOST_NEAREST = 12
"""Runs to find what is nearest if nothing meets a requirement,"""
TOGETHER = 4
"""and how many at one time where runs are short, however many processes there are."""


class Behind(Iterator[One]):
    """Some tasks, then others, of which there may be more after there were none."""

    def __init__(self, some: Iterable[One], others: Iterator[One]) -> None:
        self._some = deque(some)
        self._others = others

    def __next__(self) -> One:
        return self._some.popleft() if self._some else next(self._others)


class Evaluate(Protocol[Asked_contra]):
    """Looks at configurations; it can be sent to other processes once it is closed."""

    def __call__(self, task: Asked_contra, executor: Executor | None = None, /) -> Outcome:
        """Look at one; ``executor``: where its many runs are made."""

    def close(self) -> None:
        """Close what no two processes may share."""


def carried_out(
    executor: Executor, evaluate: Evaluate[One], tasks: Iterator[One]
) -> Iterator[tuple[One, Outcome]]:
    """Run configurations, in several processes if there are such; yield each and its outcome."""
    most, here = executor.processes, not executor.remote
    while (first := next(tasks, None)) is not None:
        second = next(tasks, None) if most > 1 else None
        if second is None and here:  # Of one configuration the runs are made side by side.
            yield first, evaluate(first, executor if most > 1 else None)
            continue
        evaluate.close()
        some = Behind([one for one in (first, second) if one is not None], tasks)
        with closing(executor.map(evaluate, some, most)) as done:
            yield from done


class Runs(ABC):
    """A search under way: its runs are carried out, and kept."""

    def __init__(self, sized: Sized, executor: Executor | None) -> None:
        """``executor``: where configurations are run; processes of this computer if left out."""
        self.sized = sized
        self.evaluator = sized.evaluator
        self.executor = executor or Processes()
        if self.executor.remote:  # Other computers do not see this one's store.
            self.evaluator.rows.results = None
        self._heard: SizingProgress = lambda _sized: None

    def run(self, heard: SizingProgress = lambda _sized: None) -> Sized:
        """Find the answer, or how probably what is nearest meets all targets if there is none."""
        self.look(heard)
        self.settle()
        return self.sized

    def look(self, heard: SizingProgress = lambda _sized: None) -> Sized:
        """Look at configurations until the answer is known; ``heard`` is told after each."""
        self._heard = heard
        self._look()
        while (one := self.sized.winner) is not None and one.number not in self.sized.precise:
            self._make_precise(one)
            if one != self.sized.winner:  # Its probability is less than few draws told.
                self._look_on()
        if self.sized.winner is None:
            self._find_nearest()
        self._carry_out(self._beside())
        return self.sized

    def settle(self) -> None:
        """Find the probability of what is nearest, if nothing meets the requirement.

        It has none if it misses a target that no run tells about: a capacity, say.
        """
        one = self.sized.nearest
        if self.sized.winner is not None or one is None or one.number in self.sized.precise:
            return
        if all(item.slack >= 1 for item in self.evaluator.capacity(one)):
            self._make_precise(one)

    def _make_precise(self, one: Configuration) -> None:
        self.sized.precise.add(one.number)
        known = one == self.sized.winner or self.evaluator.given is not None
        how: How = "known" if known else "nearest"
        self._carry_out(iter([(one.number, how)]))

    @abstractmethod
    def _look(self) -> None:
        """Look for the answer, and the runner-up."""

    def _look_on(self) -> None:  # noqa: B027 - a sample has what it looked at
        """Look for another answer behind those that turned out not to be one."""

    def _find_nearest(self) -> None:
        """Run what may be nearest to the requirement, the most promising first.

        Bounds promise too much: it is found when nothing promises more than a run has kept.
        """
        short = self.evaluator.short
        together = 1 if short is not None and short.long else TOGETHER
        for _ in range(MOST_NEAREST // together):
            found = [(one.number, self._is_complete(one)) for one in self._promising(together)]
            if not found or found[0][1]:
                return
            self._carry_out(iter([(number, "complete") for number, known in found if not known]))

    def _is_complete(self, one: Configuration) -> bool:
        known = self.sized.outcomes.get(one.number)
        return known is not None and known.complete

    def _promising(self, count: int) -> list[Configuration]:
        """Return so many that may be nearest, by bounds and short runs of all states."""
        sized, evaluator = self.sized, self.evaluator
        while True:
            found = [*islice(sized.promising(), count)]
            partial = [one.number for one in found if sized.known[one.number].partial]
            for number in partial:
                one = sized.offer.configuration(number)
                if number in sized.short:
                    sized.short[number] = evaluator.predicted(one, every=True)
                else:
                    sized.bounds[number] = evaluator.bound(one)
            if not partial:
                return found

    def _look_at_length(self, order: Iterable[Configuration]) -> dict[int, Outcome]:
        """Estimate how long runs are, at the first configuration that no bound discards.

        That is told before any is run. Return the bounds of those before it.
        """
        discarded = {}
        for one in order:
            bound = self.evaluator.bound(one, every=False)
            if bound.slack >= 1:
                self.sized.each_s = self.evaluator.seconds(one)
                self._heard(self.sized)
                self.evaluator.refer_to(one)
                break
            discarded[one.number] = bound
        return discarded

    def _carry_out(self, tasks: Iterator[Task]) -> None:
        for task, outcome in carried_out(self.executor, self.evaluator, tasks):
            self._take(task, outcome)

    def _take(self, task: Task, outcome: Outcome) -> None:
        if task[1] == "short":
            self.sized.short[outcome.number] = outcome
        else:
            self.sized.keep(outcome)
        self._heard(self.sized)

    def _beside(self) -> Iterator[Task]:
        """Yield what is run in full besides: the answer, and one step up from it."""
        sized = self.sized
        wanted = [one.number for one in (sized.winner, sized.runner_up) if one is not None]
        if sized.winner is not None:
            wanted += [one.number for one in self._steps_up(sized.winner)]
            wanted += [one.number for one in sized.may_be_swapped()]
        for number in dict.fromkeys(wanted):
            outcome = sized.outcomes.get(number)
            if outcome is None or not outcome.complete:
                yield number, "complete"

    def _steps_up(self, one: Configuration) -> list[Configuration]:
        """Return what is one step of one choice up from a configuration, and can be built."""
        offer = self.sized.offer
        steps = [offer.configuration(number) for _, number in offer.neighbours(one.number)]
        return [step for step in steps if offer.crowded(step) is None]
