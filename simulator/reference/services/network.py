"""Transfers over links that they share by max-min fairness (:mod:`simulator.reference.maxmin`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import simpy
from simpy.events import EventPriority

from simulator.kinds.parts.link.spec import BYTE
from simulator.reference.maxmin import Rates
from simulator.reference.timer import Timer

if TYPE_CHECKING:
    from simulator.kinds.parts.link.reference import Link
    from simulator.reference.actor import Actor, Clock

Route = tuple[int, ...]
"""Links by their numbers in the network."""


@dataclass(slots=True)
class _Flow:
    """One transfer under way."""

    actor: Actor
    place: int
    """Of its route among those of the network."""
    route: Route
    size: int
    left: int
    began_ns: int
    rate: int = 0


class Network:
    """All links that are used; the actor that waits for a transfer is woken by the network."""

    def __init__(self, clock: Clock, number: int, links: Sequence[Link]) -> None:
        """``number`` is that of the network's timer among actors."""
        self.clock = clock
        self.links = tuple(links)
        self._flows: dict[int, _Flow] = {}
        self._rates = Rates([link.capacity for link in links])
        self._since_ns = 0
        self._latency: dict[Route, int] = {}
        self._ways: dict[Route, tuple[tuple[Link, ...], Link]] = {}
        """The links of a route, and the narrowest of them; of equals the last."""
        self._timer = Timer(clock, EventPriority(number + 1), self._ring)

    def latency_ns(self, route: Route) -> int:
        """Return how long a first byte is under way."""
        latency = self._latency.get(route)
        if latency is None:
            latency = sum(self.links[link].spec.latency_ns for link in route)
            self._latency[route] = latency
        return latency

    def send(self, actor: Actor, route: Route, size: int) -> simpy.Event:
        """Begin a transfer; yield what it returns to await its last byte."""
        self._pass_time()
        place = self._rates.place(route)
        self._flows[actor.number] = _Flow(actor, place, route, size, size * BYTE, self._since_ns)
        self._rates.count[place] += 1
        self._share()
        return actor.blocked(lambda: f"a transfer of {size} B")

    def carried(self) -> list[float]:
        """Return bytes that each link has carried until now, of transfers under way too."""
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
        """Set the rate of every transfer, and wait for the first that ends."""
        rates = self._rates.now()
        first = -1
        for flow in self._flows.values():
            flow.rate = rate = rates[flow.place]
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
                self._rates.count[flow.place] -= 1
                self._end(flow)
        self._share()

    def _end(self, flow: _Flow) -> None:
        """Wake who waits; what it would have taken alone is service, the rest waiting.

        Both are charged to the narrowest link; of equals to the last, which others share too.
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
