"""Finite Markov chains: means of rewards, and the statistical error of their estimates from a run.

A chain in continuous time is given by a state and its moves. The error of a mean over a long run
follows from Poisson's equation Q h = -(r - E[r]): the accumulated gain beyond its mean is a
martingale whose jumps are those of the gain and of h, so that its variance is a sum over all
transitions (Asmussen, Applied Probability and Queues, 2003, chapter I.7).

Not modelled: infinite chains. An unbounded queue is truncated where its probability is negligible.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
State = TypeVar("State", bound=Hashable)
Move: TypeAlias = tuple[float, State, str]
"""Rate, next state (possibly the same), and the name of the event."""
Gain: TypeAlias = str | tuple[str, ...] | Callable[[State], float]
"""Accumulated gain: transitions of one or several names, or weighted time in each state."""


@dataclass(frozen=True, slots=True)
class Law:
    """A mean of many values, and the variance of an independent value with the same error.

    The mean of ``n`` values in a row has the standard error ``sqrt(variance / n)``: correlations
    between the values are part of the variance.
    """

    mean: float
    variance: float

    def error(self, count: int) -> float:
        """Compute the standard error of the mean of ``count`` values."""
        return float(np.sqrt(self.variance / count))

    def moved(self, mean: float) -> Law:
        """Return the law with another mean."""
        return Law(mean, self.variance)

    def times(self, factor: float) -> Law:
        """Return the law of the values times a factor."""
        return Law(self.mean * factor, self.variance * factor**2)


class Chain(Generic[State]):
    """All states reachable from one, and the transitions between them.

    >>> def moves(jobs: int):  # M/M/1/5 at a load of 1
    ...     yield 1.0, min(jobs + 1, 5), "taken" if jobs < 5 else "lost"
    ...     if jobs:
    ...         yield 1.0, jobs - 1, "served"
    >>> law = Chain(0, moves).ratio("lost", "served")
    >>> round(law.mean, 6)
    0.2
    """

    def __init__(self, start: State, moves: Callable[[State], Iterable[Move[State]]]) -> None:
        self.states: list[State] = [start]
        numbers = {start: 0}
        rows: list[tuple[int, int, float]] = []
        self.names: list[str] = []
        for state in self.states:  # grows meanwhile
            for rate, target, name in moves(state):
                if target not in numbers:
                    numbers[target] = len(self.states)
                    self.states.append(target)
                rows.append((numbers[state], numbers[target], rate))
                self.names.append(name)
        self._source = np.array([row[0] for row in rows])
        self._target = np.array([row[1] for row in rows])
        self._rate = np.array([row[2] for row in rows])

    @cached_property
    def generator(self) -> Floats:
        """Transition rates between states; rows add up to 0; shape (states, states)."""
        count = len(self.states)
        matrix = np.zeros((count, count))
        np.add.at(matrix, (self._source, self._target), self._rate)
        np.add.at(matrix, (self._source, self._source), -self._rate)
        return matrix

    @cached_property
    def stationary(self) -> Floats:
        """Share of the time in each state; shape (states,)."""
        matrix = self.generator.T.copy()
        matrix[-1] = 1.0
        right = np.zeros(len(self.states))
        right[-1] = 1.0
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)

    def rate(self, gain: Gain[State]) -> float:
        """Compute the mean gain per unit of time."""
        held, moved = self._gains(gain)
        return float(self.stationary @ held + self.stationary[self._source] @ (self._rate * moved))

    def ratio(self, part: Gain[State], whole: Gain[State]) -> Law:
        """Return the law of one gain per unit of another: ``whole`` counts the values."""
        per_time = self.rate(whole)
        mean = self.rate(part) / per_time
        held, moved = self._gains(part)
        held_whole, moved_whole = self._gains(whole)
        held, moved = held - mean * held_whole, moved - mean * moved_whole
        return Law(mean, self._spread(held, moved) / per_time)

    def _gains(self, gain: Gain[State]) -> tuple[Floats, Floats]:
        """Return gains per unit of time in each state, and per transition."""
        if not callable(gain):
            wanted = (gain,) if isinstance(gain, str) else gain
            for name in wanted:
                if name not in self.names:
                    raise ValueError(f"no move of the chain is called {name!r}")
            moved = np.array([1.0 if name in wanted else 0.0 for name in self.names])
            return np.zeros(len(self.states)), moved
        held = np.array([float(gain(state)) for state in self.states])
        return held, np.zeros(len(self.names))

    def _spread(self, held: Floats, moved: Floats) -> float:
        """Compute the variance, per unit of time, of gains whose mean is 0."""
        flow = self._rate * moved
        drift = held.copy()
        np.add.at(drift, self._source, flow)
        # Up to a constant, chosen so that the mean of h is 0.
        matrix = self.generator - np.outer(np.ones(len(self.states)), self.stationary)
        future = np.linalg.solve(matrix, -drift)
        jumps = moved + future[self._target] - future[self._source]
        weights = self.stationary[self._source] * self._rate
        return float(weights @ jumps**2)
