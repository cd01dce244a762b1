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
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simpy.events import EventPriority

from simulator.machine.actor import Alarm

if TYPE_CHECKING:
    import simpy

    from simulator.machine.actor import Actor

RATE_BITS = 10
"""Bits behind the point of a rate in bytes per second."""
_BYTE = 10**9 << RATE_BITS
"""A byte, in what a transfer of rate 1 moves in a nanosecond."""


@dataclass(frozen=True, slots=True)
class LinkSpec:
    """A link: how fast, and how long the first byte is under way."""

    rate: float
    """Bytes per second."""
    latency_ns: int = 0

    @property
    def capacity(self) -> int:
        """The rate as a whole number of 2**-10 bytes per second."""
        return max(1, round(self.rate * (1 << RATE_BITS)))


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


class _Flow:
    """One transfer under way."""

    __slots__ = ("actor", "began", "left", "rate", "route", "size")

    def __init__(self, actor: Actor, route: tuple[int, ...], size: int, began: int) -> None:
        self.actor = actor
        self.route = route
        self.size = size
        self.left = size * _BYTE
        self.rate = 0
        self.began = began


class Network:
    """All links, and the transfers over them; the actor that waits is woken by the network."""

    def __init__(
        self, env: simpy.Environment, number: int, names: Sequence[str], specs: Sequence[LinkSpec]
    ) -> None:
        self.env = env
        self.names = tuple(names)
        self.specs = tuple(specs)
        self.capacities = [spec.capacity for spec in specs]
        self.bytes = [0] * len(specs)
        """Bytes of the transfers that have ended, by link."""
        self._priority = EventPriority(number + 1)
        self._flows: dict[int, _Flow] = {}
        self._carried = [0] * len(specs)
        self._rates = [0] * len(specs)
        self._since = 0
        self._timer: Alarm | None = None

    def latency_ns(self, route: Sequence[int]) -> int:
        """How long a first byte is under way."""
        return sum(self.specs[link].latency_ns for link in route)

    def alone_ns(self, route: Sequence[int], size: int) -> int:
        """Time of a transfer that shares no link, without the latency."""
        return -(-size * _BYTE // min(self.capacities[link] for link in route))

    def send(self, actor: Actor, route: tuple[int, ...], size: int) -> simpy.Event:
        """Begin a transfer; yield what it returns to await its last byte."""
        self._advance()
        self._flows[actor.number] = _Flow(actor, route, size, self._since)
        self._share()
        return actor.blocked()

    def carried(self) -> list[float]:
        """Bytes that each link has carried until now, of transfers under way too."""
        self._advance()
        return [moved / _BYTE for moved in self._carried]

    def _advance(self) -> None:
        now = int(self.env.now)
        passed = now - self._since
        if passed:
            for flow in self._flows.values():
                flow.left -= flow.rate * passed
            for link, rate in enumerate(self._rates):
                if rate:
                    self._carried[link] += rate * passed
            self._since = now

    def _share(self) -> None:
        """Give every transfer its rate, and wait for the first that ends."""
        flows = list(self._flows.values())
        self._rates = [0] * len(self.capacities)
        first = -1
        for flow, rate in zip(
            flows, max_min(self.capacities, [flow.route for flow in flows]), strict=True
        ):
            flow.rate = rate
            for link in flow.route:
                self._rates[link] += rate
            if rate:
                ends = -(-flow.left // rate)
                first = ends if first < 0 else min(first, ends)
        self._timer = None
        if first >= 0:
            timer = Alarm(self.env).after(max(0, first), self._priority)
            assert timer.callbacks is not None
            timer.callbacks.append(self._ring)
            self._timer = timer

    def _ring(self, timer: simpy.Event) -> None:
        if timer is not self._timer:
            return  # a transfer has begun since: its own timer counts
        self._advance()
        for number, flow in list(self._flows.items()):
            if flow.left <= 0:
                del self._flows[number]
                self._end(flow)
        self._share()

    def _end(self, flow: _Flow) -> None:
        """Wake who waits; what it would have taken alone is service, the rest waiting.

        Both are charged to the narrowest link; of equals to the last, which others share too.
        """
        took = self._since - flow.began
        narrow = min(reversed(flow.route), key=lambda link: self.capacities[link])
        service = min(took, self.alone_ns((narrow,), flow.size))
        for link in flow.route:
            self.bytes[link] += flow.size
        flow.actor.charge(self.names[narrow], took - service, service)
        flow.actor.wake()
