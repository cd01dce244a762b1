"""Links that transfers share fairly, each transfer over several of them at once.

A transfer has a route: its client's own link, the network of its site, a line between sites, the
server's link. All transfers under way share all links by *max-min fairness* (Bertsekas and
Gallager, Data Networks, 1992, section 6.5.2): the rates rise together; where a link is full, its
transfers keep what they have, and the others go on rising. It is what long TCP connections with
equal round-trip times come near to.

Rates are whole 2**-10 bytes per second and times whole nanoseconds, so that runs repeat.

Not modelled: the time that TCP takes to find its rate, unequal round-trip times, lost packets,
traffic of others, that the two directions of some links are apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache


def max_min(capacities: Sequence[int], routes: Sequence[Sequence[int]]) -> list[int]:
    """The max-min fair rate of each route over links of these capacities, rounded down, at least 1.

    >>> max_min([10, 4], [[0], [0, 1], [1]])
    [8, 2, 2]
    """
    if len(routes) == 1:
        return [max(1, min(capacities[link] for link in routes[0]))]
    rates = [0] * len(routes)
    left = list(capacities)
    crossing = [0] * len(left)
    for route in routes:
        for link in route:
            crossing[link] += 1
    rising = list(range(len(routes)))
    while rising:
        shares = {link: left[link] // count for link, count in enumerate(crossing) if count}
        lowest = min(shares.values())
        full = {link for link, share in shares.items() if share == lowest}
        level = max(1, lowest)  # so that every transfer ends, however many there are
        still = []
        for number in rising:
            route = routes[number]
            if full.isdisjoint(route):
                still.append(number)
                continue
            rates[number] = level
            for link in route:
                left[link] -= level
                crossing[link] -= 1
        rising = still
    return rates


class Rates:
    """The rate of each route, by the number of transfers on every one of them.

    The same few transfers meet again and again: their rates are computed once and kept.
    """

    MOST = 1 << 14
    """Mixtures of transfers that are kept."""

    def __init__(self, capacities: Sequence[int]) -> None:
        self._known = tuple(capacities)
        self.routes: list[tuple[int, ...]] = []
        self.count: list[int] = []
        """Transfers under way on each route."""
        self._places: dict[tuple[int, ...], int] = {}
        self._kept: dict[tuple[int, ...], list[int]] = {}

    def place(self, route: tuple[int, ...]) -> int:
        """Return the number of a route, which is a new one if it has none yet."""
        place = self._places.get(route)
        if place is None:
            place = self._places[route] = len(self.routes)
            self.routes.append(route)
            self.count.append(0)
        return place

    def now(self) -> list[int]:
        """Return the rate of each route with the transfers of now; 0 where there are none."""
        key = tuple(self.count)
        rates = self._kept.get(key)
        if rates is None:
            if len(self._kept) >= self.MOST:
                self._kept.clear()
            rates = self._kept[key] = self._compute()
        return rates

    def _compute(self) -> list[int]:
        there = [place for place, count in enumerate(self.count) if count]
        crowd = tuple((self.routes[place], self.count[place]) for place in there)
        rates = [0] * len(self.count)
        for place, rate in zip(there, _fair(self._known, crowd), strict=True):
            rates[place] = rate
        return rates


@lru_cache(maxsize=Rates.MOST)
def _fair(
    capacities: tuple[int, ...], crowd: tuple[tuple[tuple[int, ...], int], ...]
) -> tuple[int, ...]:
    """Return the rate of each route, with how many transfers are on it; runs meet the same ones."""
    under_way = [route for route, count in crowd for _ in range(count)]
    rates = dict(zip(under_way, max_min(capacities, under_way), strict=True))
    return tuple(rates[route] for route, _ in crowd)  # All transfers of a route have the same.
