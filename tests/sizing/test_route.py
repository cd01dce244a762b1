"""The cheapest way over periods equals the cheapest of all ways, whatever is forbidden when."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from simulator.sizing.route import Routes, Stepped


class Drawn:
    """Machines, prices and running costs that were drawn."""

    def __init__(self, seed: int) -> None:
        drawn = random.Random(seed)
        things, self.periods = drawn.randint(1, 3), drawn.randint(1, 4)
        most = drawn.choice((1, 3))
        self.pieces = [
            [drawn.randint(0, most) for _ in range(things)] for _ in range(drawn.randint(1, 5))
        ]
        self.prices = [[drawn.choice((0.0, 0.5, 1.0, 7.3)) for _ in range(things)]]
        left, paid = drawn.choice((0.5, 1.0)), drawn.choice((0.0, 2.5))
        self.prices += [
            [price * left**period for price in self.prices[0]] for period in range(1, self.periods)
        ]
        self.running = [[paid * sum(one) for one in self.pieces] for _ in range(self.periods)]
        self.forbidden: set[tuple[int, int]] = set()
        more = drawn.choice((0, 0, 1, things))
        """Things of which the larger numbers are cheaper, from the second piece on or the third."""
        self.cheaper = {
            thing: (drawn.choice((2, 3)), drawn.choice((0.3, 0.6))) for thing in range(more)
        }

    @property
    def routes(self) -> Routes:
        plain = [
            [0.0 if thing in self.cheaper else price for thing, price in enumerate(prices)]
            for prices in self.prices
        ]
        stepped = [
            Stepped(
                thing,
                [self.buy(thing, count, 1.0)[0] for count in range(9)],
                [[self.buy(thing, n, of[thing])[1] for n in range(9)] for of in self.prices],
            )
            for thing in self.cheaper
        ]
        return Routes(self.pieces, plain, self.running, stepped)

    def buy(self, thing: int, count: int, price: float) -> tuple[int, float]:
        """Return how many are bought where so many are needed, and what they cost."""
        least, part = self.cheaper.get(thing, (99, 1.0))
        if 0 < count < least and least * part < count:
            return least, least * part * price
        return count, count * price * (part if count >= least else 1)

    def cost(self, way: tuple[int, ...]) -> float:
        """Add up a way."""
        there, total = [0] * len(self.pieces[0]), 0.0
        left = [0] * len(there)
        for period, machine in enumerate(way):
            if (period, machine) in self.forbidden:
                return math.inf
            more = [max(0, a - b) for a, b in zip(self.pieces[machine], there, strict=True)]
            for thing, wanted in enumerate(more):
                need = max(0, wanted - left[thing])
                sold, paid = self.buy(thing, need, self.prices[period][thing])
                left[thing] += sold - wanted
                total += paid
            total += self.running[period][machine]
            there = self.pieces[machine]
        return total

    def least(self) -> float:
        """Return the least cost of all ways."""
        return min(map(self.cost, itertools.product(range(len(self.pieces)), repeat=self.periods)))


@pytest.mark.parametrize("seed", range(120))
def test_it_is_the_cheapest_of_all_ways(seed: int) -> None:
    """One after the other is forbidden, each from the way that was the cheapest, until none is."""
    drawn = Drawn(seed)
    routes = drawn.routes
    which = random.Random(seed)
    while (found := routes.cheapest()) is not None:
        cost, way = found
        assert cost == pytest.approx(drawn.least(), abs=1e-9)
        assert drawn.cost(tuple(way)) == pytest.approx(cost, abs=1e-9)
        period = which.randrange(drawn.periods)
        drawn.forbidden.add((period, way[period]))
        routes.forbid(period, way[period])
    assert drawn.least() == math.inf


def test_what_is_not_needed_yet_is_bought_later() -> None:
    """The second machine has a piece more; at a half of its price in the second period, for 5."""
    routes = Routes([[1], [2]], [[10.0], [5.0]], [[0.0, 0.0]] * 2)
    routes.forbid(1, 0)
    found = routes.cheapest()
    assert found is not None
    assert (found[1], found[0]) == ([0, 1], pytest.approx(15.0))


def test_what_is_replaced_is_paid_twice() -> None:
    """A small one for 10 and a large one for 15 later are more than the large one at once."""
    routes = Routes([[1, 0], [0, 1]], [[10.0, 15.0]] * 2, [[0.0, 0.0]] * 2)
    routes.forbid(1, 0)
    found = routes.cheapest()
    assert found is not None
    assert (found[1], found[0]) == ([1, 1], pytest.approx(15.0))


def test_of_equal_ways_one_takes_nothing_out() -> None:
    """From two disks on, a switch more: with one disk or two, which costs the same."""
    routes = Routes([[1, 0], [1, 1], [2, 0], [2, 1]], [[3.0, 5.0]] * 2, [[0.0] * 4] * 2)
    for machine in (0, 1, 3):
        routes.forbid(0, machine)
    for machine in (0, 2):
        routes.forbid(1, machine)
    found = routes.cheapest()
    assert found is not None
    assert found[1] == [2, 3]


def test_machines_without_pieces_cost_nothing() -> None:
    found = Routes([[0], [0]], [[1.0], [1.0]], [[0.0, 0.0]] * 2).cheapest()
    assert found is not None
    assert (found[1], found[0]) == ([0, 0], 0.0)


def test_what_is_left_over_is_used_later() -> None:
    """Two for 10 instead of one for 10; the other one is there in the second period."""
    stepped = [Stepped(0, [0, 2, 2], [[0.0, 10.0, 10.0]] * 2)]
    routes = Routes([[1], [2]], [[0.0]] * 2, [[0.0, 3.0]] * 2, stepped)
    routes.forbid(1, 0)
    found = routes.cheapest()
    assert found is not None
    assert (found[1], found[0]) == ([0, 1], pytest.approx(13.0))
