"""The cheapest way from machine to machine over periods, where pieces that are there stay.

A machine is a number of pieces of each thing. From one to the next those are paid for that it has
more of; those that it has fewer of are taken out, and bring nothing. Labels of a shortest path
(Bellman's) are computed once. What turns out not to carry its loads is forbidden; labels behind it
are then lower bounds, and are computed again when they are on the shortest path, not before: the
path that is returned has none, so that no other is cheaper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Whole = np.ndarray[Any, np.dtype[np.int64]]

NEVER = 1 << 62
"""The cost of a machine that is forbidden."""
_LARGEST = 1 << 46
"""The largest cost, in the whole units in which costs are added, so that equal ones are equal."""
_FINER = 1 << 12
"""So many pieces taken out would cost one such unit: of equal ways one takes out the fewest."""


class Routes:
    """Ways over periods; of several of one cost the one whose last machine comes first."""

    def __init__(
        self,
        pieces: Sequence[Sequence[int]],
        prices: Sequence[Sequence[float]],
        running: Sequence[Sequence[float]],
    ) -> None:
        """``pieces``: of each machine its number of each thing.

        ``prices``: of each thing in each period; ``running``: the other costs of each machine in
        each period.
        """
        import numpy as np

        self._np = np
        self._pieces = np.array(pieces, dtype=np.int64).reshape(len(pieces), -1)
        paid = self._pieces @ np.array(prices, dtype=float).T if self._pieces.size else np.zeros(1)
        most = float(np.max(paid)) * len(running) + sum(max(one) for one in running)
        self.unit = (most or 1.0) / _LARGEST
        """The amount that a whole unit is."""
        self._prices = [self._whole(one) for one in prices]
        self._running = [self._whole(one) for one in running]
        self._least = [self._pieces @ self._prices[0] + self._running[0]]
        self._before = [np.zeros(len(pieces), dtype=np.int64)]
        for period in range(1, len(running)):
            self._least.append(np.zeros(len(pieces), dtype=np.int64))
            self._before.append(np.zeros(len(pieces), dtype=np.int64))
            for machine in range(len(pieces)):
                self._compute(period, machine)

    def _whole(self, amounts: Sequence[float]) -> Whole:
        whole = self._np.rint(self._np.array(amounts, dtype=float) / self.unit)
        found: Whole = whole.astype(self._np.int64) * _FINER
        return found

    def forbid(self, period: int, machine: int) -> None:
        """Let no way have a machine in a period."""
        self._least[period][machine] = NEVER

    def cheapest(self) -> tuple[float, list[int]] | None:
        """Return the cost of the cheapest way, and its machine of each period; None without any."""
        last = len(self._least) - 1
        while True:
            machine = int(self._least[last].argmin())
            cost = int(self._least[last][machine])
            if cost >= NEVER:
                return None
            way = [machine]
            for period in range(last, 0, -1):
                way.append(int(self._before[period][way[-1]]))
            way.reverse()
            for period in range(1, last + 1):
                known = int(self._least[period][way[period]])
                now = int(self._costs(period, way[period])[way[period - 1]])
                if known < min(now, NEVER):
                    self._compute(period, way[period])
                    break
            else:
                return cost / _FINER * self.unit, way

    def _compute(self, period: int, machine: int) -> None:
        """Compute the least cost with which a machine is there in a period, and from which."""
        costs = self._costs(period, machine)
        before = int(costs.argmin())
        self._before[period][machine] = before
        self._least[period][machine] = min(int(costs[before]), NEVER)

    def _costs(self, period: int, machine: int) -> Whole:
        """Return the costs of a machine in a period, by that of the period before."""
        more = self._pieces[machine] - self._pieces
        out = self._np.maximum(-more, 0).sum(axis=1)
        found: Whole = self._np.maximum(more, 0) @ self._prices[period] + out
        found += self._least[period - 1] + self._running[period][machine]
        return found
