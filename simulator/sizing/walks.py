"""In what order configurations are looked at, and which of them by a run made short."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.sizing.short import CLEARLY

if TYPE_CHECKING:
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.evaluate import How
    from simulator.sizing.search import Sized

    Task = tuple[int, How]
    """The number of a configuration, and how it is looked at."""


class Behind(Iterator["Task"]):
    """A first task, then others, of which there may be more after there were none."""

    def __init__(self, first: Task, others: Iterator[Task]) -> None:
        self._first: Task | None = first
        self._others = others

    def __next__(self) -> Task:
        task, self._first = self._first, None
        return task if task is not None else next(self._others)


class Walk(Iterator["Task"]):
    """Hands out what is to be run, the cheapest first, until enough is known.

    It may have more after it had none: what short runs say decides what is run whole.
    """

    def __init__(self, sized: Sized) -> None:
        self.sized = sized
        self._place = 0
        """Of the next configuration that was not looked at."""
        self._asked: deque[Configuration] = deque()
        """Those of which short runs have been asked for, but no whole run."""

    def __next__(self) -> Task:
        sized = self.sized
        for one in list(self._asked):
            outcome = sized.short.get(one.number)
            if outcome is None:
                break  # so that whole runs are in order too
            self._asked.popleft()
            if outcome.slack >= CLEARLY and sized.place(one) < sized.end():
                return one.number, self._how
        while self._place < sized.end():
            one = sized.order[self._place]
            self._place += 1
            if one.number in sized.bounds:
                continue
            bound = sized.evaluator.bound(one)
            if bound.slack < 1:
                sized.bounds[one.number] = bound
                continue
            short = sized.evaluator.short
            if short is None or not short.tells:
                return one.number, self._how
            self._asked.append(one)
            return one.number, "short"
        raise StopIteration

    @property
    def _how(self) -> How:
        return "complete" if self.sized.everything else "run"
