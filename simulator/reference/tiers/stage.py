"""A stage: parts that data pass on their way, held at once or, as packets, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.plan.stripe import pieces
from simulator.reference.part import Load
from simulator.reference.tiers.packets import cross, cross_alone_ns
from simulator.reference.tiers.taking import take
from simulator.reference.tiers.tier import Alone, Passing, Request

if TYPE_CHECKING:
    from simulator.plan.paths import Hold, TierPlan
    from simulator.reference.actor import Steps
    from simulator.reference.machine import Machine
    from simulator.reference.part import Part
    from simulator.reference.tiers.tier import Tier


class Stage(Passing):
    """Data cross the parts on the way that they go; with a header there is a message each way."""

    def __init__(
        self, machine: Machine, plan: TierPlan, below: Tier | None, *, before_store: bool = False
    ) -> None:
        """``before_store``: the store below passes data over the stage itself, by extents."""
        super().__init__(machine, plan, below)
        self.before_store = before_store

    def read(self, request: Request) -> Steps:
        """Pass a read, and its data on their way up."""
        if self.before_store:
            yield from self.below.read(request.entering(self))
            return
        yield from self.ask(request)
        yield from self.below.read(request)
        yield from self.answer(request, request.size)

    def write(self, request: Request) -> Steps:
        """Pass a write and its data on their way down, and the answer."""
        if self.before_store:
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

    def ask(self, request: Request, size: int = 0) -> Steps:
        """Pass a request and ``size`` bytes of its data down."""
        if self.plan.header and request.asked is not None:
            size += request.asked.message
        yield from self._move(self.plan.down, request, self.plan.header + size)

    def answer(self, request: Request, size: int = 0) -> Steps:
        """Pass an answer and ``size`` bytes of its data up."""
        yield from self._move(self.plan.up, request, self.plan.header + size)

    def _move(self, holds: Sequence[Hold], request: Request, size: int) -> Steps:
        """Move bytes over the parts; nothing without bytes, or where they need not move."""
        if not size or not holds or (self.plan.remote_only and _is_local(holds, request)):
            return
        pieces = self._pieces(holds, request, size)
        if self.plan.packets:
            yield from cross(request.actor, pieces[0])
        else:
            yield from take(request.actor, pieces)

    def _pieces(
        self, holds: Sequence[Hold], request: Request, size: int
    ) -> list[list[tuple[Part, Load]]]:
        """Return the parts of each piece, and what each of them serves."""
        plan = self.plan
        base = self.machine.plan.files[request.file].base if request.file >= 0 else 0
        span = (base + request.low, base + request.high)
        if not plan.pieces:
            return [
                [
                    (
                        self.part_of(hold, request),
                        Load(size, request.file, span, writes=hold.writes),
                    )
                    for hold in holds
                ]
            ]
        number = request.places.number(plan.slot)
        shares = pieces(size, stripes=plan.pieces, volumes=plan.width, first=number)
        first = request.places.owner(plan.slot) * plan.width
        return [
            [
                (
                    self.part_of(hold, request.at(plan.slot, first + volume)),
                    Load(share, request.file, span, len(shares), writes=hold.writes),
                )
                for hold in holds
            ]
            for volume, share in shares
        ]

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
