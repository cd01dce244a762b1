"""A stage: parts that data pass on their way, held at once or, as packets, one after the other.

Packets are cut-through: each part is a queue of its own; a message joins it when its first byte is
there, not before, and keeps it for its own service only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import simpy

from simulator.plan.errors import within
from simulator.plan.paths import Hold, TierPlan
from simulator.plan.stripe import pieces
from simulator.reference.actor import Actor, Steps
from simulator.reference.machine import Machine
from simulator.reference.part import Claims, Load, Part, RequestTimeoutError, Station, take
from simulator.reference.places import Places
from simulator.reference.tier import PassThroughTier, Request, Tier, TierLatencySum

Stations = Sequence[tuple[Sequence[Station], bool]]
"""Of each part on the way: what serves each volume, or all bytes; and whether it is written."""


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """The parts that data pass in one direction."""

    holds: Sequence[Hold]


class Stage(PassThroughTier):
    """Data cross the parts on the way that they go; with a header there is a message each way."""

    def __init__(self, machine: Machine, plan: TierPlan, below: Tier | None) -> None:
        super().__init__(machine, plan, below)
        self.by_extents = self.below.by_extents
        self._down, self._up = Direction(plan.down), Direction(plan.up)

    def read(self, request: Request) -> Steps:
        """Pass a read, and its data on their way up."""
        if self.by_extents:
            return self.below.read(request.entering(self))
        return self._around(request, self.below.read(request), up=request.size)

    def write(self, request: Request) -> Steps:
        """Pass a write and its data on their way down, and the answer."""
        if self.by_extents:
            return self.below.write(request.entering(self))
        return self._around(request, self.below.write(request), down=request.size)

    def around(self, request: Request, below: Steps) -> Steps:
        """Pass the header of a sync or metadata request, and that of its answer."""
        return self._around(request, below)

    def _around(self, request: Request, below: Steps, *, down: int = 0, up: int = 0) -> Steps:
        yield from self.ask(request, down)
        yield from below
        yield from self.answer(request, up)

    def ask(self, request: Request, size: int = 0) -> Iterable[simpy.Event]:
        """Pass a request and ``size`` bytes of its data down."""
        if self.plan.header and request.asked is not None:
            size += request.asked.message
        size += self.plan.header
        return self._move(self._down, request, size) if size else ()

    def answer(self, request: Request, size: int = 0) -> Iterable[simpy.Event]:
        """Pass an answer and ``size`` bytes of its data up."""
        size += self.plan.header
        return self._move(self._up, request, size) if size else ()

    def _move(self, way: Direction, request: Request, size: int) -> Iterable[simpy.Event]:
        """Move bytes over the parts; nothing where they need not move."""
        pieces = self._pieces(way, request, size)
        if not pieces:
            return ()
        if self.plan.packets:
            return cross(request.actor, pieces[0])
        return take(request.actor, pieces)

    def _pieces(self, way: Direction, request: Request, size: int) -> Sequence[Claims]:
        """Return the parts of each piece, and what each of them serves."""
        known = request.places.known
        if way not in known:
            known[way] = self._stations(way.holds, request.places)
        stations: Stations = known[way]
        file, span, stripes = request.file, self.span(request), self.plan.pieces
        if not stations:
            return ()

        def load(size: int, spread: int, writes: bool) -> Load:
            return Load(size, file, span, spread, -1, writes, request.give_up_ns)

        if not stripes:
            return [[(one, load(size, 1, writes)) for (one,), writes in stations]]
        shares = pieces(size, stripes=stripes, volumes=self.plan.width)
        spread = len(shares)
        served = [
            [(volumes[at], load(share, spread, writes)) for at, share in shares]
            for volumes, writes in stations
        ]
        return list(zip(*served, strict=True))

    def _stations(self, holds: Sequence[Hold], places: Places) -> Stations:
        """Return the parts that bytes pass; none if they need not move."""
        if not holds or (self.plan.remote_only and _is_local(holds, places)):
            return ()
        stations = self.machine.stations
        return [
            ([stations(one.part)[member] for member in self._members(one, places)], one.writes)
            for one in holds
        ]

    def _members(self, hold: Hold, places: Places) -> Sequence[int]:
        """Return which instance serves each volume, from the file's first on, or all bytes."""
        plan = self.plan
        if not plan.pieces:
            return [places.member(hold.slot)]
        if hold.slot != plan.slot:
            return [places.member(hold.slot)] * plan.width
        first, number = places.owner(plan.slot) * plan.width, places.number(plan.slot)
        return [first + (number + turn) % plan.width for turn in range(plan.width)]

    def alone_ns(self, request: Request, alone: TierLatencySum) -> int:
        """Return the time below and that of the slowest piece, each way."""
        header = self.plan.header
        asked = self._alone_move_ns(self._down, request, header, alone)
        below = self.below.alone_ns(request, alone)
        answered = self._alone_move_ns(self._up, request, header + request.size, alone)
        return asked + below + answered

    def _alone_move_ns(
        self, way: Direction, request: Request, size: int, alone: TierLatencySum
    ) -> int:
        longest = 0
        for asked in self._pieces(way, request, size) if size else ():
            services = []
            for part, load in asked:
                services.append(part.alone_ns(load, first=part.name not in alone.used))
                alone.used.add(part.name)
            longest = max(longest, *services)
            if self.plan.packets:
                longest = cross_alone_ns([part for part, _ in asked], services)
        return longest


def _is_local(holds: Sequence[Hold], places: Places) -> bool:
    """Return whether the first and the last part are at the same member of one group."""
    first, last = holds[0].slot, holds[-1].slot
    same = places.groups[first] is places.groups[last]
    return same and places.member(first) == places.member(last)


def cross(actor: Actor, asked: Claims) -> Steps:
    """Queue at each part when the first byte is there; done when the last byte has passed all.

    Waiting is charged to the part that it was for, as is the latency of a network. What is left
    when the last part has begun is charged to the part that the last byte comes from latest, the
    first of several; as waiting for as long as that fails meanwhile. What a part gives up does not
    come to those behind it; it is back when its last byte has passed those before.
    """
    parts = [part for part, _ in asked]
    slowest, last_ns, lost = parts[0], -1, 0
    latencies = latencies_ns(parts)
    for number, ((part, load), latency) in enumerate(zip(asked, latencies, strict=True), 1):
        now = actor.now
        start = max(now, part.free_ns())
        end = part.serve(load, start)
        missed = part.last_lost_ns
        if load.give_up_ns >= 0 and part.timeout_ns >= 0:
            served = end - start - missed
            last_ns = max(last_ns, part.timeout_ns)
            actor.charge(part.column, last_ns - now - served, served)
            yield actor.until(last_ns)
            raise RequestTimeoutError
        if part.calendar is not None:
            begins = part.calendar.began_ns
            start, missed = begins, missed - (begins - start)
        if end > last_ns:
            slowest, last_ns, lost = part, end, missed
        last_ns = within(last_ns + latency, part.plan.label)
        actor.charge(part.column, start - now, 0)
        if number < len(asked):
            actor.charge(part.column, 0, latency)
            yield actor.until(start + latency)
    lost = min(lost, last_ns - start)
    actor.charge(slowest.column, lost, last_ns - start - lost)
    yield actor.until(last_ns)


def cross_alone_ns(parts: Sequence[Part], services: Sequence[int]) -> int:
    """Return when the last byte has passed all parts, whose services are these, if none is busy."""
    first_ns = last_ns = 0
    for service, latency in zip(services, latencies_ns(parts), strict=True):
        last_ns = max(last_ns, first_ns + service) + latency
        first_ns += latency
    return last_ns


def latencies_ns(parts: Sequence[Part]) -> list[int]:
    """Return how long the first byte is under way behind each part.

    A message pays the latency of a network once, at the first of its ports that it passes.
    """
    names = [part.plan.name for part in parts]
    return [
        0 if part.plan.name in names[:index] else part.plan.latency_ns
        for index, part in enumerate(parts)
    ]
