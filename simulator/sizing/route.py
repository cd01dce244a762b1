"""The cheapest way from machine to machine over periods, where pieces that are there stay.

A machine is a number of pieces, or of packs, of each thing. From one to the next those are paid for
that it has more of; those that it has fewer of are taken out, and bring nothing. Where a larger
number is cheaper, what is bought beyond the need is left for later: a state is a machine, and what
is left of each such thing. Labels of a shortest path (Bellman's) are computed once, of each state.
What turns out not to carry its loads is forbidden; labels behind it are then lower bounds, and are
computed again when they are on the shortest path, not before: the path that is returned has none,
so that no other is cheaper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    Whole = np.ndarray[Any, np.dtype[np.int64]]

NEVER = 1 << 62
"""The cost of a machine that is forbidden."""
_LARGEST = 1 << 46
"""The largest cost, in the whole units in which costs are added, so that equal ones are equal."""
_FINER = 1 << 12
"""So many pieces taken out would cost one such unit: of equal ways one takes out the fewest."""


class Stepped(NamedTuple):
    """A thing of which a larger number may cost less than a smaller one."""

    thing: int
    """Its place among all things; its price there is 0."""
    sold: Sequence[int]
    """How many are bought where 0, 1, 2, ... more are needed;"""
    sums: Sequence[Sequence[float]]
    """and what these cost together, in each period."""


class Routes:
    """Ways over periods; of several of one cost the one whose last machine comes first."""

    def __init__(
        self,
        pieces: Sequence[Sequence[int]],
        prices: Sequence[Sequence[float]],
        running: Sequence[Sequence[float]],
        stepped: Sequence[Stepped] = (),
    ) -> None:
        """``pieces``: of each machine its number of each thing.

        ``prices``: of each thing in each period; ``running``: the other costs of each machine in
        each period; ``stepped``: the things that these prices are not of.
        """
        import numpy as np

        self._np = np
        self._pieces = np.array(pieces, dtype=np.int64).reshape(len(pieces), -1)
        paid = self._pieces @ np.array(prices, dtype=float).T if self._pieces.size else np.zeros(1)
        most = float(np.max(paid)) + sum(max(map(max, one.sums)) for one in stepped)
        most = most * len(running) + sum(max(one) for one in running)
        self.unit = (most or 1.0) / _LARGEST
        """The amount that a whole unit is."""
        self._prices = [self._whole(one) for one in prices]
        self._running = [self._whole(one) for one in running]
        self._stepped = [
            (
                thing,
                np.array(sold, dtype=np.int64) - np.arange(len(sold)),
                [*map(self._whole, sums)],
            )
            for thing, sold, sums in stepped
        ]
        """Of each of them: its place, what is left of each number needed, and the sums."""
        self._machines: list[Whole] = []
        """The machine of each state of a period,"""
        self._left: list[Whole] = []
        """and how many are left of each thing of ``stepped``."""
        self._least: list[Whole] = []
        self._before: list[Whole] = []
        self._there = [np.zeros((1, self._pieces.shape[1]), dtype=np.int64)]
        """The pieces of the states before each period,"""
        self._sums = [self._there[0].sum(axis=1)]
        """and their sums."""
        for period in range(len(running)):
            self._begin(period)

    def _begin(self, period: int) -> None:
        """Find the states that can be in a period, and compute the least cost of each."""
        np = self._np
        machines, least, before = list[int](), list[int](), list[int]()
        left: list[Whole] = []
        for machine in range(len(self._pieces)):
            costs, over = self._costs(period, machine)
            kinds = np.unique(over, axis=0) if self._stepped else over[:1]
            for kind in kinds:
                here = self._only(costs, over, kind)
                before.append(int(here.argmin()))
                least.append(min(int(here[before[-1]]), NEVER))
                machines.append(machine)
                left.append(kind)
        self._machines.append(np.array(machines))
        self._left.append(np.array(left).reshape(len(left), -1))
        self._least.append(np.array(least))
        self._before.append(np.array(before))
        self._there.append(self._pieces[self._machines[period]])
        self._sums.append(self._there[-1].sum(axis=1))

    def _whole(self, amounts: Sequence[float]) -> Whole:
        whole = self._np.rint(self._np.array(amounts, dtype=float) / self.unit)
        found: Whole = whole.astype(self._np.int64) * _FINER
        return found

    def forbid(self, period: int, machine: int) -> None:
        """Let no way have a machine in a period."""
        self._least[period][self._machines[period] == machine] = NEVER

    def cheapest(self) -> tuple[float, list[int]] | None:
        """Return the cost of the cheapest way, and its machine of each period; None without any."""
        last = len(self._least) - 1
        while True:
            state = int(self._least[last].argmin())
            cost = int(self._least[last][state])
            if cost >= NEVER:
                return None
            way = [state]
            for period in range(last, 0, -1):
                way.append(int(self._before[period][way[-1]]))
            way.reverse()
            for period in range(1, last + 1):
                of = int(self._machines[period][way[period]])
                costs = self._only(*self._costs(period, of), self._left[period][way[period]])
                known = int(self._least[period][way[period]])
                if known < min(int(costs[way[period - 1]]), NEVER):
                    before = int(costs.argmin())
                    self._before[period][way[period]] = before
                    self._least[period][way[period]] = min(int(costs[before]), NEVER)
                    break
            else:
                machines = [int(self._machines[place][one]) for place, one in enumerate(way)]
                return cost / _FINER * self.unit, machines

    def _only(self, costs: Whole, over: Whole, left: Whole) -> Whole:
        """Return the costs with which just so much is left, where they are not forbidden."""
        if not self._stepped:
            return costs
        return self._np.where((over == left).all(axis=1), costs, NEVER)

    def _costs(self, period: int, machine: int) -> tuple[Whole, Whole]:
        """Return the costs of a machine in a period, by the state before, and what is left then."""
        np = self._np
        more = np.maximum(self._pieces[machine] - self._there[period], 0)
        # What is taken out: what is more, less by how much the sum of all is.
        costs: Whole = more @ (self._prices[period] + 1) + self._sums[period]
        costs += self._running[period][machine] - self._pieces[machine].sum()
        over = np.zeros((len(more), len(self._stepped)), dtype=np.int64)
        if period:
            costs += self._least[period - 1]
            over[:] = self._left[period - 1]
        for place, (thing, rest, sums) in enumerate(self._stepped):
            need = np.maximum(more[:, thing] - over[:, place], 0)
            costs += sums[period][need]
            over[:, place] = np.where(need, rest[need], over[:, place] - more[:, thing])
        return costs, over
