"""A stage: parts that data pass on their way, held at once or, as packets, one after the other.

Packets are cut-through: each part is a queue of its own; a message joins it when its first byte is
there, not before, and keeps it for its own service only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import simpy

from simulator.plan.paths import Hold, TierPlan
from simulator.plan.stripe import pieces
from simulator.reference.actor import Actor, Steps
from simulator.reference.machine import Machine
from simulator.reference.part import Load, Part, station, take
from simulator.reference.tier import Alone, Passing, Request, Tier
from simulator.result.errors import within


class Stage(Passing):
    """Data cross the parts on the way that they go; with a header there is a message each way."""

    def __init__(self, machine: Machine, plan: TierPlan, below: Tier | None) -> None:
        super().__init__(machine, plan, below)
        self.by_extents = self.below.by_extents

    def read(self, request: Request) -> Steps:
        """Pass a read, and its data on their way up."""
        if self.by_extents:
            yield from self.below.read(request.entering(self))
            return
        yield from self.ask(request)
        yield from self.below.read(request)
        yield from self.answer(request, request.size)

    def write(self, request: Request) -> Steps:
        """Pass a write and its data on their way down, and the answer."""
        if self.by_extents:
            yield from self.below.write(request.entering(self))
            return
        yield from self.ask(request, request.size)
        yield from self.below.write(request)
        yield from self.answer(request)

    def sync(self, request: Request) -> Steps:
        """Pass the header of a sync, and that of its answer."""
        yield from self.ask(request)
        yield from self.below.sync(request)
        yield from self.answer(request)

    def metadata(self, request: Request) -> Steps:
        """Pass the header of a metadata request, and that of its answer."""
        yield from self.ask(request)
        yield from self.below.metadata(request)
        yield from self.answer(request)

    def ask(self, request: Request, size: int = 0) -> Iterable[simpy.Event]:
        """Pass a request and ``size`` bytes of its data down."""
        if self.plan.header and request.asked is not None:
            size += request.asked.message
        return self._move(self.plan.down, request, self.plan.header + size)

    def answer(self, request: Request, size: int = 0) -> Iterable[simpy.Event]:
        """Pass an answer and ``size`` bytes of its data up."""
        return self._move(self.plan.up, request, self.plan.header + size)

    def _move(self, holds: Sequence[Hold], request: Request, size: int) -> Iterable[simpy.Event]:
        """Move bytes over the parts; nothing without bytes, or where they need not move."""
        if not size or not holds or (self.plan.remote_only and _is_local(holds, request)):
            return ()
        pieces = self._pieces(holds, request, size)
        if self.plan.packets:
            return cross(request.actor, pieces[0])
        return take(request.actor, pieces)

    def _pieces(
        self, holds: Sequence[Hold], request: Request, size: int
    ) -> list[list[tuple[Part, Load]]]:
        """Return the parts of each piece, and what each of them serves."""
        plan = self.plan
        if not plan.pieces:
            return [[self.use(hold, request, size) for hold in holds]]
        number = request.places.number(plan.slot)
        shares = pieces(size, stripes=plan.pieces, volumes=plan.width, first=number)
        first = request.places.owner(plan.slot) * plan.width
        file, span, spread = request.file, self.span(request), len(shares)
        return [
            [
                (
                    self._part_at(hold, request, first + volume),
                    Load(share, file, span, spread, -1, hold.writes),
                )
                for hold in holds
            ]
            for volume, share in shares
        ]

    def _part_at(self, hold: Hold, request: Request, member: int) -> Part:
        """Return the instance that serves a member's piece: the member's, or the one of all."""
        if hold.slot == self.plan.slot:
            return self.machine.instance(hold.part, member)
        return self.part_of(hold, request)

    def alone_ns(self, request: Request, alone: Alone) -> int:
        """Return the time below and that of the slowest piece, each way."""
        header = self.plan.header
        asked = self._alone_move_ns(self.plan.down, request, header, alone)
        below = self.below.alone_ns(request, alone)
        answered = self._alone_move_ns(self.plan.up, request, header + request.size, alone)
        return asked + below + answered

    def _alone_move_ns(
        self, holds: Sequence[Hold], request: Request, size: int, alone: Alone
    ) -> int:
        if not size or not holds or (self.plan.remote_only and _is_local(holds, request)):
            return 0
        longest = 0
        for asked in self._pieces(holds, request, size):
            services = []
            for part, load in asked:
                services.append(part.alone_ns(load, first=part.name not in alone.used))
                alone.used.add(part.name)
            longest = max(longest, *services)
            if self.plan.packets:
                longest = cross_alone_ns([part for part, _ in asked], services)
        return longest


def _is_local(holds: Sequence[Hold], request: Request) -> bool:
    """Return whether the first and the last part are at the same member of one group."""
    places, first, last = request.places, holds[0].slot, holds[-1].slot
    same = places.groups[first] is places.groups[last]
    return same and places.member(first) == places.member(last)


def cross(actor: Actor, asked: Sequence[tuple[Part, Load]]) -> Steps:
    """Queue at each part when the first byte is there; done when the last byte has passed all.

    Waiting is charged to the part that it was for, as is the latency of a network. What is left
    when the last part has begun is charged to the part that the last byte comes from latest, the
    first of several.
    """
    parts = [part for part, _ in asked]
    slowest, last_ns = parts[0], -1
    latencies = latencies_ns(parts)
    for number, ((part, load), latency) in enumerate(zip(asked, latencies, strict=True), 1):
        server = station(part)
        now = actor.now
        start = max(now, server.free_ns())
        end = server.serve(load, start)
        if end > last_ns:
            slowest, last_ns = part, end
        last_ns = within(last_ns + latency, part.plan.label)
        actor.charge(part.column, start - now, 0)
        if number < len(asked):
            actor.charge(part.column, 0, latency)
            yield actor.until(start + latency)
    actor.charge(slowest.column, 0, last_ns - start)
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
