"""What all tiers have: they pass requests down to the tier below, and the answers up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from simulator.plan.codes import CHANGING

if TYPE_CHECKING:
    from simulator.plan.paths import Hold, TierPlan
    from simulator.reference.actor import Actor, Steps
    from simulator.reference.machine import Machine
    from simulator.reference.part import Part
    from simulator.reference.places import Places
    from simulator.reference.tiers.stage import Stage


@dataclass(frozen=True, slots=True)
class Asked:
    """What an asked request is besides its bytes."""

    row: int
    """Of the plan's asked requests."""
    asker: int
    """The process."""
    message: int
    """Bytes of the message that asks, without header and data."""


@dataclass(frozen=True, slots=True)
class Request:
    """Bytes ``low`` to ``high`` of a file, in local offsets; none for a sync or metadata."""

    actor: Actor
    file: int
    low: int
    high: int
    places: Places
    sequential: bool = False
    entry: tuple[Stage, ...] = ()
    """The stages directly above a store that it has come to, from the top down."""
    asked: Asked | None = None
    operation: int = -1
    """The kind of a metadata request, one of ``METADATA``; -1 of all others."""
    direct: bool = False
    """It goes past the stores of its process's node."""
    of_call: bool = False
    """It has bytes of a process's call as that made it: no store chose them."""

    @property
    def changes(self) -> bool:
        """Whether it changes metadata."""
        return self.operation in CHANGING

    @property
    def size(self) -> int:
        """Its bytes."""
        return self.high - self.low

    def part(self, low: int, high: int) -> Request:
        """Return the same request of other bytes."""
        return Request(  # as replace(), which takes three times as long
            self.actor,
            self.file,
            low,
            high,
            self.places,
            self.sequential,
            self.entry,
            self.asked,
            self.operation,
            self.direct,
            self.of_call,
        )

    def below(self, low: int, high: int) -> Request:
        """Return what a store asks of the tiers below: other bytes, without an entry."""
        return replace(self, low=low, high=high, entry=())

    def entering(self, stage: Stage) -> Request:
        """Return the same request behind a stage directly above a store."""
        return replace(self, entry=(*self.entry, stage))

    def by(self, actor: Actor) -> Request:
        """Return the same request of another actor."""
        return replace(self, actor=actor)

    def at(self, place: int, member: int) -> Request:
        """Return the same request with a place decided."""
        return replace(self, places=self.places.having(place, member))


@dataclass(slots=True)
class Alone:
    """What has been used while the time of requests alone is added up."""

    used: set[str] = field(default_factory=set)
    """The names of instances."""


class Tier:
    """A step of a path. By itself it is the end: there is nothing more to do.

    ``read``, ``write``, ``sync`` and ``metadata`` carry a request out from this tier downwards, and
    are done when the answer has come up again.
    """

    def __init__(self, machine: Machine, plan: TierPlan, below: Tier | None) -> None:
        self.machine = machine
        self.plan = plan
        self._below = below

    @property
    def below(self) -> Tier:
        """The next tier towards the device."""
        assert self._below is not None, "only `end` has nothing below"
        return self._below

    def read(self, request: Request) -> Steps:
        """Bring bytes up."""
        yield from ()

    def write(self, request: Request) -> Steps:
        """Bring bytes down: at the end they are on stable storage."""
        self.machine.stable.reach(self.plan, request)
        yield from ()

    def sync(self, request: Request) -> Steps:
        """Wait until what was written is on the device."""
        yield from ()

    def metadata(self, request: Request) -> Steps:
        """Ask for something that moves no data."""
        yield from ()

    def alone_ns(self, request: Request, alone: Alone) -> int:
        """Return the time of a read if nothing else happens, without noise."""
        return 0

    def prestage(self, request: Request) -> int:
        """Load a file into the first store below, outside the clock; return the time of it."""
        return 0

    def close(self, request: Request) -> None:
        """Tell the first store below that a file is closed that was written."""

    def forget(self, request: Request) -> None:
        """Have the first store below drop its clean blocks of a file."""

    def part_of(self, hold: Hold, request: Request) -> Part:
        """Return the instance of a part that a request uses."""
        return self.machine.instance(hold.part, request.places.member(hold.slot))


class Passing(Tier):
    """A tier that hands every request to the one below; subclasses do something before or after."""

    def read(self, request: Request) -> Steps:
        """Pass a read on."""
        yield from self.below.read(request)

    def write(self, request: Request) -> Steps:
        """Pass a write on."""
        yield from self.below.write(request)

    def sync(self, request: Request) -> Steps:
        """Pass a sync on."""
        yield from self.below.sync(request)

    def metadata(self, request: Request) -> Steps:
        """Pass a metadata request on."""
        yield from self.below.metadata(request)

    def alone_ns(self, request: Request, alone: Alone) -> int:
        """Return the time below."""
        return self.below.alone_ns(request, alone)

    def prestage(self, request: Request) -> int:
        """Have the file loaded below."""
        return self.below.prestage(request)

    def close(self, request: Request) -> None:
        """Pass it on."""
        self.below.close(request)

    def forget(self, request: Request) -> None:
        """Pass it on."""
        self.below.forget(request)
