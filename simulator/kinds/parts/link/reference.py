"""Links shared fairly by transfers, each of which uses several links at once.

The route of a transfer consists of its client's own link, the network of its site, a line between
sites, and the server's link. All transfers under way share all links by *max-min fairness*
(Bertsekas and Gallager, Data Networks, 1992, section 6.5.2): all rates are raised together; when a
link is saturated, the rates of its transfers are fixed, and the others are raised further. Long TCP
connections with equal round-trip times approximate it.

Rates are whole 2**-10 bytes per second and times whole nanoseconds, so that runs are reproducible.

Not modelled: slow start of TCP, unequal round-trip times, packet loss, background traffic, links
with separate directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import simpy
from simpy.events import EventPriority

from simulator.kinds.parts.link.spec import BYTE, LinkSpec
from simulator.reference.actor import Timer
from simulator.reference.part import Part

if TYPE_CHECKING:
    from simulator.reference.actor import Actor, Clock


class Link(Part):
    """One link; who gets how much, the :class:`Network` decides."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.spec: LinkSpec = self.plan.spec
        self.capacity: int = self.spec.capacity
        self.carried = 0
        """Of transfers that have ended, in 1 / BYTE bytes."""

    def alone_for(self, size: int) -> int:
        """Return the time of a transfer without others, without the latency."""
        return -(-size * BYTE // self.capacity)


def max_min(capacities: Sequence[int], routes: Sequence[Sequence[int]]) -> list[int]:
    """Return max-min fair rates of routes over links of given capacities, rounded down, at least 1.

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
    """The rate of each route, by the numbers of transfers on all routes.

    Combinations recur: their rates are cached.
    """

    MOST = 1 << 14
    """Maximum number of cached combinations."""

    def __init__(self, capacities: Sequence[int]) -> None:
        self._known = tuple(capacities)
        self.routes: list[tuple[int, ...]] = []
        self.count: list[int] = []
        """Transfers under way on each route."""
        self._numbers: dict[tuple[int, ...], int] = {}
        self._cached: dict[tuple[int, ...], list[int]] = {}

    def route_number(self, route: tuple[int, ...]) -> int:
        """Return the number of a route, adding it if it is new."""
        route_number = self._numbers.get(route)
        if route_number is None:
            route_number = self._numbers[route] = len(self.routes)
            self.routes.append(route)
            self.count.append(0)
        return route_number

    def now(self) -> list[int]:
        """Return the current rate of each route; 0 for routes without transfers."""
        key = tuple(self.count)
        rates = self._cached.get(key)
        if rates is None:
            if len(self._cached) >= self.MOST:
                self._cached.clear()
            rates = self._cached[key] = self._compute()
        return rates

    def _compute(self) -> list[int]:
        there = [route_number for route_number, count in enumerate(self.count) if count]
        crowd = tuple(
            (self.routes[route_number], self.count[route_number]) for route_number in there
        )
        rates = [0] * len(self.count)
        for route_number, rate in zip(there, _fair(self._known, crowd), strict=True):
            rates[route_number] = rate
        return rates


@lru_cache(maxsize=Rates.MOST)
def _fair(
    capacities: tuple[int, ...], crowd: tuple[tuple[tuple[int, ...], int], ...]
) -> tuple[int, ...]:
    """Return the rate of each route, with its number of transfers; cached across runs."""
    under_way = [route for route, count in crowd for _ in range(count)]
    rates = dict(zip(under_way, max_min(capacities, under_way), strict=True))
    return tuple(rates[route] for route, _ in crowd)  # All transfers of a route have the same.


Route = tuple[int, ...]
"""Numbers of links in the network."""


@dataclass(slots=True)
class _Flow:
    """One transfer under way."""

    actor: Actor
    route_number: int
    """Number of its route."""
    route: Route
    size: int
    left: int
    began_ns: int
    rate: int = 0


class Network:
    """All links in use; the network wakes the actors that wait for transfers."""

    def __init__(self, clock: Clock, number: int, links: Sequence[Link]) -> None:
        """``number``: the actor number of the network's timer."""
        self.clock = clock
        self.links = tuple(links)
        self._flows: dict[int, _Flow] = {}
        self._rates = Rates([link.capacity for link in links])
        self._since_ns = 0
        self._latency: dict[Route, int] = {}
        self._ways: dict[Route, tuple[tuple[Link, ...], Link]] = {}
        """The links of a route, and the narrowest of them; the last of equals."""
        self._timer = Timer(clock, EventPriority(number + 1), self._ring)

    def latency_ns(self, route: Route) -> int:
        """Return the latency of a first byte."""
        latency = self._latency.get(route)
        if latency is None:
            latency = sum(self.links[link].spec.latency_ns for link in route)
            self._latency[route] = latency
        return latency

    def send(self, actor: Actor, route: Route, size: int) -> simpy.Event:
        """Begin a transfer; yield the returned event to await its last byte."""
        self._pass_time()
        route_number = self._rates.route_number(route)
        self._flows[actor.number] = _Flow(
            actor, route_number, route, size, size * BYTE, self._since_ns
        )
        self._rates.count[route_number] += 1
        self._share()
        return actor.blocked(lambda: f"a transfer of {size} B")

    def carried(self) -> list[float]:
        """Return the bytes that each link has carried so far, including transfers under way."""
        self._pass_time()
        carried = [link.carried for link in self.links]
        for flow in self._flows.values():
            for link in flow.route:
                carried[link] += flow.size * BYTE - flow.left
        return [moved / BYTE for moved in carried]

    def _pass_time(self) -> None:
        now = self.clock.now
        passed = now - self._since_ns
        if passed:
            for flow in self._flows.values():
                flow.left -= flow.rate * passed
            self._since_ns = now

    def _share(self) -> None:
        """Set the rate of every transfer, and schedule the next end."""
        rates = self._rates.now()
        first = -1
        for flow in self._flows.values():
            flow.rate = rate = rates[flow.route_number]
            ends = max(0, -(-flow.left // rate))
            if ends < first or first < 0:
                first = ends
        self._timer.set(-1 if first < 0 else self._since_ns + first)

    def _ring(self) -> None:
        self.clock.count(self.clock.now)
        self._pass_time()
        for number, flow in [*self._flows.items()]:
            if flow.left <= 0:
                del self._flows[number]
                self._rates.count[flow.route_number] -= 1
                self._end(flow)
        self._share()

    def _end(self, flow: _Flow) -> None:
        """Wake the waiting actor; service is the time without contention, the rest is waiting.

        Both are charged to the narrowest link; of equals to the last, which is shared with others.
        """
        took = self._since_ns - flow.began_ns
        links, narrow = self._way(flow.route)
        size = flow.size
        whole = size * BYTE
        moved = whole - flow.left
        for link in links:  # As Part.count and Link.alone_for, without the calls.
            link.carried += moved
            link.requests += 1
            link.bytes += size
            link.busy_ns += -(-whole // link.capacity)
            link.note(flow.began_ns, took, size)
        service = min(took, narrow.alone_for(size))
        flow.actor.charge(narrow.column, took - service, service)
        flow.actor.wake()

    def _way(self, route: Route) -> tuple[tuple[Link, ...], Link]:
        way = self._ways.get(route)
        if way is None:
            links = tuple(self.links[link] for link in route)
            narrow = min(reversed(links), key=lambda link: link.capacity)
            way = self._ways[route] = links, narrow
        return way
