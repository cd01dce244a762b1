"""Resources: names, account categories, claims and counters common to all kinds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.plan.errors import MOST, LimitError, within
from simulator.plan.noise import NO_NOISE
from simulator.result.result import PartResult, Span

if TYPE_CHECKING:
    from collections.abc import Generator

    import simpy

    from simulator.plan.events import Calendar
    from simulator.plan.noise import Noise
    from simulator.plan.parts import PartPlan
    from simulator.reference.actor import Actor, Clock, Steps
    from simulator.service import ServiceSpec


@dataclass(slots=True)
class Load:
    """A request to a resource (immutable)."""

    size: int
    file: int = -1
    span: tuple[int, int] = (0, 0)
    """Addresses of the whole transfer; used by disks only."""
    spread: int = 1
    """Number of members over which the transfer is striped."""
    cost_ns: int = -1
    """Service time, if it does not follow from the size; otherwise -1."""
    writes: bool = False
    """True if the resource is written."""
    give_up_ns: int = -1
    """Timeout at a failed resource; -1: wait until it is available."""


class RequestTimeoutError(Exception):
    """A request has timed out; the actor's time is that of the timeout."""


class Part:
    """One instance of a resource."""

    def __init__(
        self,
        clock: Clock,
        plan: PartPlan,
        name: str,
        noise: Noise,
        timer: int,
        log: list[Span] | None,
    ) -> None:
        """``timer``: the number of the instance's timer; ``log`` collects spans of services."""
        self.clock = clock
        self.plan = plan
        self.name = name
        self.noise = noise
        self.timer = timer
        self.log = log
        self.column = plan.column
        self.label = plan.label
        self._transfer_ns = tuple(plan.service_of(writes=one).service_ns for one in (False, True))
        self.requests = 0
        self.bytes = 0
        self.busy_ns = 0
        self.calendar: Calendar | None = None
        """Its failures and speed changes; None without events."""
        self.delayed = 0
        """Requests delayed by its failures."""
        self.lost_ns = 0
        """Total delay of these requests."""
        self.given_up = 0
        """Requests that timed out."""
        self.timeout_ns = -1
        """Time at which the last request times out; -1 if it is served."""

    def service_ns(self, load: Load) -> int:
        """Return the service time of a request, without noise."""
        if load.cost_ns >= 0:
            return load.cost_ns
        return self._transfer_ns[load.writes](load.size)

    def stretched(self, service_ns: int) -> int:
        """Return the service time of the next request with noise; LimitError if too long."""
        if self.noise is not NO_NOISE:
            within(service_ns, self.label)
            service_ns = self.noise.stretch(service_ns, self.requests + 1)
        if service_ns > MOST:
            raise LimitError(self.label)
        return service_ns

    def count(self, size: int, service_ns: int) -> None:
        """Count a request; LimitError beyond the limits of a run."""
        self.requests += 1
        self.bytes += size
        self.busy_ns += service_ns
        if self.bytes > MOST:
            raise LimitError(self.label, size=True)

    def miss(self, lost_ns: int) -> None:
        """Record the delay of a request until the instance is available."""
        self.delayed += lost_ns > 0
        self.lost_ns = within(self.lost_ns + lost_ns, self.label)

    def note(self, start_ns: int, service_ns: int, size: int, queue: str = "") -> None:
        """Record a service for the timeline; ``queue``: the queue of an instance with several."""
        if self.log is not None:
            self.log.append(Span(self.name, start_ns, service_ns, size, queue))

    def alone_ns(self, load: Load, *, first: bool) -> int:
        """Return the time of a request without contention or noise; ``first``: none before it."""
        return self._transfer_ns[load.writes](load.size)

    def result(self) -> PartResult:
        """Return the counters of the instance."""
        plan = self.plan
        return PartResult(
            plan.label, plan.kind, self.requests, self.bytes, self.busy_ns, plan.at_once
        )


class Processor(Part):
    """A processor on which one process computes beside the services of its node."""

    def compute(self, actor: Actor, work_ns: int) -> Generator[simpy.Event, None, int]:
        """Do a process's work; return the time that others took before and meanwhile."""
        raise NotImplementedError


class Depth:
    """The requests under way at a device with one queue, as far as its services differ."""

    def __init__(self, reads: ServiceSpec, writes: ServiceSpec) -> None:
        """Of a device at which no request has been."""
        self._services = reads.depths, writes.depths
        most = max(map(len, self._services))
        self._ends_ns: deque[int] = deque(maxlen=most - 1)

    @property
    def matters(self) -> bool:
        """Return whether services depend on it."""
        return bool(self._ends_ns.maxlen)

    def service(self, now_ns: int, *, writes: bool) -> ServiceSpec:
        """Return the service of a request that comes now."""
        before = sum(end_ns > now_ns for end_ns in self._ends_ns)
        services = self._services[writes]
        return services[min(before, len(services) - 1)]

    def add(self, end_ns: int) -> None:
        """Add a request that leaves the device at a time."""
        self._ends_ns.append(end_ns)


class StageError(ValueError):
    """Resources that cannot be claimed together."""


class Station(Part):
    """A resource that requests claim. Several are held at once if all times are known."""

    joins = False
    """True if requests join those under way by :meth:`join`; their ends depend on later
    arrivals."""

    def free_ns(self) -> int:
        """Return the earliest begin of a request that arrives now; StageError if unknown."""
        raise StageError(f"{self.name} ({self.plan.kind}) cannot be held together with others")

    def serve(self, load: Load, start_ns: int) -> int:
        """Serve a request from a time on; return its end."""
        raise NotImplementedError

    def join(self, actor: Actor, load: Load) -> Iterable[simpy.Event]:
        """Begin a request; ``yield from`` the result. Only if ``joins``."""
        raise NotImplementedError

    def book(self, load: Load, start_ns: int, service_ns: int) -> int:
        """Record a service, and return its end."""
        if self.calendar is not None:
            return self._book_by(self.calendar, load, start_ns, service_ns)
        if self.log is not None:
            self.note(start_ns, service_ns, load.size)
        self.requests += 1  # As Part.count, without the call.
        self.bytes += load.size
        self.busy_ns += service_ns
        end_ns = start_ns + service_ns
        if self.bytes > MOST or end_ns > MOST:
            raise LimitError(self.label, size=service_ns <= MOST < self.bytes)
        return end_ns

    def _book_by(self, calendar: Calendar, load: Load, start_ns: int, service_ns: int) -> int:
        """Record a service whose duration depends on failures and speed changes."""
        end_ns = calendar.end_of(start_ns, service_ns)
        self.timeout_ns = -1
        if load.give_up_ns >= 0:
            gone_ns = calendar.outage_begin(self.clock.now, end_ns, load.give_up_ns)
            if gone_ns >= 0:
                return self._count_timeout(calendar, load, start_ns, gone_ns)
        within(end_ns, self.label)
        self.miss(calendar.lost_ns)
        self.count(load.size, end_ns - start_ns - calendar.lost_ns)
        size = load.size
        for begin_ns, length_ns in calendar.served_intervals(start_ns, end_ns):
            self.note(begin_ns, length_ns, size)
            size = 0
        return end_ns

    def _count_timeout(self, calendar: Calendar, load: Load, start_ns: int, gone_ns: int) -> int:
        """Count a request that times out at ``gone_ns``; return the end of its stay in the queue.

        No bytes are moved, although service may have begun. A request that has not begun does not
        delay others.
        """
        self.timeout_ns = within(gone_ns + load.give_up_ns, self.label)
        self.given_up += 1
        begun_ns = min(start_ns, gone_ns)
        served = 0
        for begin_ns, length_ns in calendar.served_intervals(begun_ns, gone_ns):
            self.note(begin_ns, length_ns, 0)
            served += length_ns
        self.count(0, served)
        left_ns = max(start_ns, self.timeout_ns)
        calendar.lost_ns = left_ns - start_ns - served
        return left_ns

    @property
    def last_lost_ns(self) -> int:
        """Delay of the last booked request until the instance is available."""
        return 0 if self.calendar is None else self.calendar.lost_ns


# -- parts that are held at once --------------------------------------------------------------


Claims = Sequence[tuple[Station, Load]]
"""Stations that are held at once, each with its request."""


def take(actor: Actor, pieces: Sequence[Claims]) -> Iterable[simpy.Event]:
    """Queue all fragments now, each for all of its resources at once; ``yield from`` the result.

    The time is charged to the fragment that ends last: waiting to its resource that was free last,
    service to its slowest; the first of several. Time in which that has failed is waiting. If a
    fragment times out, RequestTimeoutError is raised.
    """
    part, load = pieces[0][0]
    if part.joins and len(pieces[0]) == len(pieces) == 1:
        return part.join(actor, load)
    now = end = begin = actor.now
    lost = 0
    failed = False
    waited_for = worked = part
    for asked in pieces:
        held, load = asked[0]
        slowest, start = held, held.free_ns()
        if start < now:  # noqa: PLR1730 - max() takes four times as long
            start = now
        if len(asked) == 1:
            done = held.serve(load, start)
            missed = held.last_lost_ns
            failed |= held.timeout_ns >= 0
        else:
            held, start, slowest, done, missed, some = _hold(asked, start)
            failed |= some
        if done > end:
            begin, end, waited_for, worked, lost = start, done, held, slowest, missed
    if begin > now:
        actor.charge(waited_for.column, begin - now, 0)
    if end > begin:
        actor.charge(worked.column, lost, end - begin - lost)
    if failed:
        if len(pieces) == len(pieces[0]) == 1:  # It need not wait until it would have begun.
            actor.charge(part.column, part.timeout_ns - end, 0)
            end = part.timeout_ns
        return _given_up(actor, end)
    return (actor.until(end),)


def _hold(asked: Claims, start: int) -> tuple[Station, int, Station, int, int, bool]:
    """Claim several resources at once, not before a time.

    Return the one that was free last and its time, the slowest, its end and its delay by failures,
    and whether a request timed out.
    """
    held = slowest = asked[0][0]
    for one, _ in asked:
        free = one.free_ns()
        if free > start:
            held, start = one, free
    done, missed, failed = start, 0, False
    for one, load in asked:
        ended = one.serve(load, start)
        failed |= one.timeout_ns >= 0
        if ended > done:
            slowest, done, missed = one, ended, one.last_lost_ns
    return held, start, slowest, done, missed, failed


def _given_up(actor: Actor, end_ns: int) -> Steps:
    """Return a request unserved after its timeout."""
    yield actor.until(end_ns)
    raise RequestTimeoutError
