"""What a sweep will cost, from the plans of a few of its points, before any is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.config import ConfigError
from simulator.cost import Estimate, words_of_all, words_of_engine
from simulator.errors import InputError
from simulator.prepared import Plans

if TYPE_CHECKING:
    from simulator.study.grid import Grid

MOST_MADE = 8
"""Points whose plans are made: more of them would take as long as light points."""
LIMITS, LIMITS_S = 30, 5.0
"""Runs that ask what limits a point, and the most that they take, since longer ones are cut."""


def words_before(grid: Grid, part: Sequence[int], left: int, jobs: int) -> list[str]:
    """Return what is to be said before ``left`` points of a part of a grid are run."""
    costs, told = [], dict[str, None]()
    plans = Plans()
    for number in _spread(part):
        try:
            point = grid.point(number)
            plan = plans.make(point.machine, point.workload, point.digest, point.seed)
            estimate = Estimate(plan, point.engine)
        except (ConfigError, InputError):  # It is told when it is its turn.
            continue
        if estimate.why:
            told[words_of_engine(estimate.why)] = None
        cost = estimate.cost()
        if grid.sweep.limits:
            cost = replace(cost, seconds=cost.seconds + min(LIMITS * cost.seconds, LIMITS_S))
        costs.append(cost)
    return [*told, *words_of_all(costs, left, jobs)]


def _spread(part: Sequence[int]) -> Iterator[int]:
    """Yield a few points evenly, the first and the last among them."""
    many = min(MOST_MADE, len(part))
    yield from (part[place * (len(part) - 1) // max(many - 1, 1)] for place in range(many))
