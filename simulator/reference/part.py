"""What all parts have: a name, a column in accounts, and counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.plan.noise import SILENT
from simulator.result.errors import within
from simulator.result.result import PartResult, Span

if TYPE_CHECKING:
    import simpy

    from simulator.plan.noise import Noise
    from simulator.plan.parts import PartPlan
    from simulator.reference.actor import Actor, Clock, Steps


@dataclass(slots=True)
class Load:
    """What a part is asked to serve. Nobody changes it."""

    size: int
    file: int = -1
    span: tuple[int, int] = (0, 0)
    """The addresses of the whole transfer; only a disk looks at them."""
    spread: int = 1
    """Over how many members the transfer is dealt out."""
    cost_ns: int = -1
    """The service time, if it does not follow from the size; -1 if it does."""
    writes: bool = False
    """The part is written, not read."""


class Part:
    """One instance of a part."""

    joins = False
    """Requests join those under way, by :meth:`join`; when they end depends on what comes later."""

    def __init__(
        self,
        clock: Clock,
        plan: PartPlan,
        name: str,
        noise: Noise,
        timer: int,
        log: list[Span] | None,
    ) -> None:
        """``timer`` is the number of the instance's timer; ``log`` gets spans of services."""
        self.clock = clock
        self.plan = plan
        self.name = name
        self.noise = noise
        self.timer = timer
        self.log = log
        self.column = plan.column
        self.label = plan.label
        self._services = plan.service_of(writes=False), plan.service_of(writes=True)
        self.requests = 0
        self.bytes = 0
        self.busy_ns = 0

    def join(self, actor: Actor, load: Load) -> simpy.Event:
        """Begin a request; yield what it returns to await its end. Only of a part that joins."""
        raise NotImplementedError

    def service_ns(self, load: Load) -> int:
        """Return the service time of a request, without noise."""
        if load.cost_ns >= 0:
            return load.cost_ns
        return self._services[load.writes].service_ns(load.size)

    def stretched(self, service_ns: int) -> int:
        """Return the service time of the next request with its noise; LimitError if too long."""
        within(service_ns, self.label)
        if self.noise is SILENT:
            return service_ns
        return within(self.noise.stretch(service_ns, self.requests + 1), self.label)

    def count(self, size: int, service_ns: int) -> None:
        """Count a request; LimitError if it is too much."""
        self.requests += 1
        self.bytes = within(self.bytes + size, self.label, size=True)
        self.busy_ns += service_ns

    def note(self, start_ns: int, service_ns: int, size: int) -> None:
        """Book a service for the timeline."""
        if self.log is not None:
            self.log.append(Span(self.name, start_ns, service_ns, size))

    def alone_ns(self, load: Load, *, first: bool) -> int:
        """Return what a request costs alone, without noise; ``first`` if there was none before."""
        return self._services[load.writes].service_ns(load.size)

    def result(self) -> PartResult:
        """Return what the instance did."""
        plan = self.plan
        return PartResult(
            plan.label, plan.kind, self.requests, self.bytes, self.busy_ns, plan.at_once
        )


class Station(Part):
    """A part that can be held at once with others, since its times are known beforehand."""

    def free_ns(self) -> int:
        """Return when it can begin with a request that comes now."""
        raise NotImplementedError

    def serve(self, load: Load, start_ns: int) -> int:
        """Serve a request from a time on; return when it ends."""
        raise NotImplementedError

    def book(self, load: Load, start_ns: int, service_ns: int) -> int:
        """Count a service, and return when it ends."""
        if self.log is not None:
            self.note(start_ns, service_ns, load.size)
        self.count(load.size, service_ns)
        return within(start_ns + service_ns, self.label)


# -- parts that are held at once --------------------------------------------------------------


class StageError(ValueError):
    """Parts that cannot be held at once."""


Asked = Sequence[tuple[Part, Load]]
"""Parts that are held at once, each with what it serves."""


def take(actor: Actor, pieces: Sequence[Asked]) -> Steps:
    """Queue all pieces now, each for all of its parts at once; done when the last has ended.

    The time is charged to the piece that ends last: waiting to its part that was free last, service
    to its slowest; the first of several.
    """
    part, load = pieces[0][0]
    if part.joins and len(pieces[0]) == len(pieces) == 1:
        yield part.join(actor, load)
        return
    now = end = actor.now
    charges: list[tuple[Part, int, int]] = []
    for asked in pieces:
        held, slowest, start, done = _hold(asked, now)
        if done > end:
            end = done
            charges = [(held, start - now, 0), (slowest, 0, done - start)]
    for part, wait, service in charges:
        actor.charge(part.column, wait, service)
    yield actor.until(end)


def _hold(asked: Asked, now: int) -> tuple[Part, Part, int, int]:
    """Serve one piece; return which part was free last, which is slowest, start and end."""
    if len(asked) == 1:
        only, load = station(asked[0][0]), asked[0][1]
        start = max(now, only.free_ns())
        return only, only, start, only.serve(load, start)
    held, start = asked[0][0], now
    stations = [station(part) for part, _ in asked]
    for one in stations:
        free = one.free_ns()
        if free > start:
            held, start = one, free
    slowest, end = asked[0][0], start
    for one, (_, load) in zip(stations, asked, strict=True):
        done = one.serve(load, start)
        if done > end:
            slowest, end = one, done
    return held, slowest, start, end


def station(part: Part) -> Station:
    """Return a part whose times are known beforehand; any other cannot stand with others."""
    if not isinstance(part, Station):
        raise StageError(f"{part.name} ({part.plan.kind}) cannot be held together with others")
    return part
