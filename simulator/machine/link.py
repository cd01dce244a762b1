"""Links with the actors that wait for their transfers; the rule is in ``maxmin.py``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simpy.events import EventPriority

from simulator.machine.maxmin import BYTE, LinkSpec, Rates
from simulator.machine.timer import Timer

if TYPE_CHECKING:
    import simpy

    from simulator.machine.actor import Actor


class _Flow:
    """One transfer under way."""

    __slots__ = ("actor", "began", "left", "place", "rate", "route", "size")

    def __init__(
        self, actor: Actor, place: int, route: tuple[int, ...], size: int, began: int
    ) -> None:
        self.actor = actor
        self.place = place
        """Of its route among those of the network."""
        self.route = route
        self.size = size
        self.left = size * BYTE
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
        self._flows: dict[int, _Flow] = {}
        self._shares = Rates(self.capacities)
        self._carried = [0] * len(specs)
        """Of the transfers that have ended, in 1 / BYTE bytes."""
        self._since = 0
        self._timer = Timer(env, EventPriority(number + 1), self._ring)

    def latency_ns(self, route: Sequence[int]) -> int:
        """How long a first byte is under way."""
        return sum(self.specs[link].latency_ns for link in route)

    def alone_ns(self, route: Sequence[int], size: int) -> int:
        """Time of a transfer that shares no link, without the latency."""
        return -(-size * BYTE // min(self.capacities[link] for link in route))

    def send(self, actor: Actor, route: tuple[int, ...], size: int) -> simpy.Event:
        """Begin a transfer; yield what it returns to await its last byte."""
        self._advance()
        place = self._shares.place(route)
        self._flows[actor.number] = _Flow(actor, place, route, size, self._since)
        self._shares.count[place] += 1
        self._share()
        return actor.blocked()

    def carried(self) -> list[float]:
        """Bytes that each link has carried until now, of transfers under way too."""
        self._advance()
        carried = list(self._carried)
        for flow in self._flows.values():
            for link in flow.route:
                carried[link] += flow.size * BYTE - flow.left
        return [moved / BYTE for moved in carried]

    def _advance(self) -> None:
        now = int(self.env.now)
        passed = now - self._since
        if passed:
            for flow in self._flows.values():
                flow.left -= flow.rate * passed
            self._since = now

    def _share(self) -> None:
        """Give every transfer its rate, and wait for the first that ends."""
        rates = self._shares.now()
        first = -1
        for flow in self._flows.values():
            flow.rate = rate = rates[flow.place]
            ends = -(-flow.left // rate)
            if ends < first or first < 0:
                first = ends
        self._timer.set(self._since + max(0, first) if self._flows else -1)

    def _ring(self) -> None:
        self._advance()
        ended = [(number, flow) for number, flow in self._flows.items() if flow.left <= 0]
        for number, flow in ended:
            del self._flows[number]
            self._shares.count[flow.place] -= 1
            self._end(flow)
        self._share()

    def _end(self, flow: _Flow) -> None:
        """Wake who waits; what it would have taken alone is service, the rest waiting.

        Both are charged to the narrowest link; of equals to the last, which others share too.
        """
        took = self._since - flow.began
        narrow = min(reversed(flow.route), key=self.capacities.__getitem__)
        service = min(took, -(-flow.size * BYTE // self.capacities[narrow]))
        for link in flow.route:
            self.bytes[link] += flow.size
            self._carried[link] += flow.size * BYTE - flow.left
        flow.actor.charge(self.names[narrow], took - service, service)
        flow.actor.wake()
