"""Where requests queue: a first-come-first-served station that keeps its next-free time.

``start = max(now, free_at)`` gives the same times as a queue of waiting processes, and
costs one event for each request instead of several.

A *route* takes several stations at once, as a crossbar transfer takes the port it leaves
by and the port it arrives at: it begins when all of them are free, holds each for that
station's own service time, and ends with the slowest (cut-through).

Not modelled: preemption, priorities, requests that give up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.machine.noise import SILENT, Noise

if TYPE_CHECKING:
    from simulator.machine.actor import Actor


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """What one request costs at a station."""

    rate: float
    """Bytes per second; infinity for a station that only has an overhead."""
    overhead_ns: int = 0
    """Paid by every request, whatever its size."""
    ns_per_byte: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ns_per_byte", 1e9 / self.rate)

    def service_ns(self, size: int) -> int:
        """Time to serve ``size`` bytes: overhead + size / rate, to the nearest ns.

        >>> ServiceSpec(36e6, 1000).service_ns(36_000_000)
        1000001000
        """
        return self.overhead_ns + int(size * self.ns_per_byte + 0.5)


class Station:
    """One queue in front of one or more equal servers."""

    __slots__ = (
        "busy_ns",
        "bytes",
        "free_at",
        "name",
        "noise",
        "noisy",
        "requests",
        "servers",
        "spec",
    )

    def __init__(
        self, name: str, spec: ServiceSpec, *, servers: int = 1, noise: Noise = SILENT
    ) -> None:
        if servers < 1:
            raise ValueError(f"{name}: need at least one server, got {servers}")
        self.name = name
        self.spec = spec
        self.servers = servers
        self.noise = noise
        self.noisy = noise.varies
        self.free_at = [0] * servers
        self.requests = 0
        self.bytes = 0
        self.busy_ns = 0

    def next_free(self) -> int:
        """The index of the server that is free first; the lowest of several."""
        if self.servers == 1:
            return 0
        free = self.free_at
        return free.index(min(free))

    def service_ns(self, size: int) -> int:
        """The service time of the next request to come, its noise included."""
        service = self.spec.service_ns(size)
        return self.noise.stretch(service, self.requests + 1) if self.noisy else service

    def occupy(self, server: int, start_ns: int, service_ns: int, size: int) -> int:
        """Hold a server from ``start_ns`` on; returns the time it is free again."""
        end = start_ns + service_ns
        self.free_at[server] = end
        self.requests += 1
        self.bytes += size
        self.busy_ns += service_ns
        return end

    def take(self, actor: Actor, size: int) -> int:
        """Queue a request of ``size`` bytes now; returns the time at which it is done."""
        now = actor.now
        server = self.next_free()
        start = self.free_at[server]
        if start < now:  # noqa: PLR1730 - max() takes four times as long
            start = now
        service = self.service_ns(size)
        actor.charge(self.name, start - now, service)
        return self.occupy(server, start, service, size)


def take_route(actor: Actor, stations: Sequence[Station], size: int) -> int:
    """Move ``size`` bytes over several stations at once; returns the time it is done.

    The wait is charged to the station that was free last, the service to the slowest;
    the first of several in both cases.
    """
    now = start = actor.now
    held = slowest = stations[0]
    for station in stations:
        free = station.free_at
        earliest = free[0] if station.servers == 1 else min(free)
        if earliest > start:
            start = earliest
            held = station
    end = start
    for station in stations:
        freed = station.occupy(station.next_free(), start, station.service_ns(size), size)
        if freed > end:
            end = freed
            slowest = station
    if held is slowest:
        actor.charge(held.name, start - now, end - start)
    else:
        if start > now:  # an account has no line of nothing
            actor.charge(held.name, start - now, 0)
        actor.charge(slowest.name, 0, end - start)
    return end


def take_all(actor: Actor, pieces: Sequence[tuple[Station, int]]) -> int:
    """Queue several requests at once, one a station; returns the time the last is done.

    Time is charged to the piece that ends last (the first of several).
    """
    now = end = actor.now
    last, wait = pieces[0][0], 0
    for station, size in pieces:
        server = station.next_free()
        start = max(now, station.free_at[server])
        done = station.occupy(server, start, station.service_ns(size), size)
        if done > end:
            end, last, wait = done, station, start - now
    actor.charge(last.name, wait, end - now - wait)
    return end
