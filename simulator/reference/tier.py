"""Base of all tiers: they pass requests down to the tier below, and replies up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.plan.codes import CHANGING
from simulator.reference.actor import Actor
from simulator.reference.part import Load, RequestTimeoutError

if TYPE_CHECKING:
    from simulator.kinds.tiers.stage.reference import Stage
    from simulator.plan.paths import Hold, TierPlan
    from simulator.reference.actor import Steps
    from simulator.reference.machine import Machine
    from simulator.reference.part import Part, Station
    from simulator.reference.places import Places


@dataclass(frozen=True, slots=True)
class RpcHeader:
    """Header of an RPC."""

    row: int
    """Row of the plan's asked requests."""
    asker: int
    """Requesting process."""
    message: int
    """Bytes of the request message, without header and data."""


@dataclass(slots=True)
class Request:
    """Bytes ``low`` to ``high`` of a file, in local offsets; none for a sync or metadata.

    It is not changed once it has reached a tier (a frozen class takes three times as long to
    create).
    """

    actor: Actor
    file: int
    low: int
    high: int
    places: Places
    sequential: bool = False
    entry: tuple[Stage, ...] = ()
    """The stages directly above a store that it has reached, from the top down."""
    asked: RpcHeader | None = None
    operation: int = -1
    """Kind of a metadata request, one of ``METADATA``; -1 for all others."""
    direct: bool = False
    """True if it bypasses the stores of its process's node."""
    of_call: bool = False
    """True if its bytes are those of a process's call, unchanged by a store."""
    give_up_ns: int = -1
    """Timeout at a failed resource; -1: wait until it is available."""
    other: bool = False
    """Of metadata: true in its other state, which may have another cost."""

    @property
    def changes(self) -> bool:
        """Return whether it changes metadata."""
        return self.operation in CHANGING

    @property
    def size(self) -> int:
        """Number of its bytes."""
        return self.high - self.low

    def part(self, low: int, high: int) -> Request:
        """Return the same request for other bytes."""
        if low == self.low and high == self.high:
            return self
        return self._like(self.actor, low, high, self.places, self.entry)

    def below(self, low: int, high: int, *, chosen: bool = False) -> Request:
        """Return the request of a store to the tiers below: other bytes, without an entry.

        ``chosen``: the store has chosen the bytes.
        """
        made = self._like(self.actor, low, high, self.places, ())
        made.of_call = self.of_call and not chosen
        return made

    def entering(self, stage: Stage) -> Request:
        """Return the same request behind a stage directly above a store."""
        return self._like(self.actor, self.low, self.high, self.places, (*self.entry, stage))

    def by(self, actor: Actor) -> Request:
        """Return the same request of another actor."""
        return self._like(actor, self.low, self.high, self.places, self.entry)

    def at(self, place: int, member: int) -> Request:
        """Return the same request with a place decided."""
        places = self.places.having(place, member)
        return self._like(self.actor, self.low, self.high, places, self.entry)

    def _like(
        self, actor: Actor, low: int, high: int, places: Places, entry: tuple[Stage, ...]
    ) -> Request:
        """Copy with changes, four times as fast as replace()."""
        return Request(
            actor,
            self.file,
            low,
            high,
            places,
            self.sequential,
            entry,
            self.asked,
            self.operation,
            self.direct,
            self.of_call,
            self.give_up_ns,
            self.other,
        )


@dataclass(slots=True)
class TierLatencySum:
    """Resources used so far in the sum of tier latencies."""

    used: set[str] = field(default_factory=set)
    """Names of instances."""


class Tier:
    """A step of a path. The base class is the end, which does nothing.

    ``read``, ``write``, ``sync`` and ``metadata`` serve a request from this tier downwards, and end
    when the reply has returned to it.
    """

    decides = False
    """True if it decides the place ``plan.slot``."""
    by_extents = False
    """True if data pass the stages directly above in its extents, as it arranges itself."""
    is_parity: Callable[[Places], bool] | None = None
    """Of the end below an erasure code: whether a request writes parity, which is no data."""
    needless = 0
    """Calls, or parts of them, that it has cut and that would be one request at another offset."""

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
        """Move bytes up."""
        yield from ()

    def write(self, request: Request) -> Steps:
        """Move bytes down: at the end they are on stable storage."""
        if self.is_parity is None or not self.is_parity(request.places):
            self.machine.stable.reach(self.plan, request)
        yield from ()

    def sync(self, request: Request) -> Steps:
        """Wait until written data are on the device."""
        yield from ()

    def metadata(self, request: Request) -> Steps:
        """Serve a request that moves no data."""
        yield from ()

    def alone_ns(self, request: Request, alone: TierLatencySum) -> int:
        """Return the time of a read without contention or noise."""
        return 0

    def prestage(self, request: Request) -> int:
        """Load a file into the first store below, outside the clock; return its time."""
        return 0

    def close(self, request: Request) -> None:
        """Notify the first store below that a written file is closed."""

    def forget(self, request: Request) -> None:
        """Drop the clean blocks of a file in the first store below."""

    def longest(self, length: int) -> int:
        """Return the maximum bytes that one member below has of a file of a given length."""
        return length

    def part_of(self, hold: Hold, request: Request) -> Part:
        """Return the instance of a resource that a request uses."""
        return self.machine.instance(hold.part, request.places.member(hold.slot))

    def use(
        self, hold: Hold, request: Request, size: int, *, cost_ns: int = -1
    ) -> tuple[Station, Load]:
        """Return the instance of a resource that a request uses, and the load of some bytes."""
        span, patience = self.span(request), request.give_up_ns
        load = Load(size, request.file, span, 1, cost_ns, hold.writes, patience)
        return self.machine.stations(hold.part)[request.places.member(hold.slot)], load

    def span(self, request: Request) -> tuple[int, int]:
        """Return the addresses of a request's bytes on a device."""
        base = self.machine.plan.files[request.file].base if request.file >= 0 else 0
        return base + request.low, base + request.high


class PassThroughTier(Tier):
    """A tier that passes every request to the one below; subclasses act before or after."""

    def passed(self, request: Request) -> Request:
        """Return the request as the tiers below see it."""
        return request

    def around(self, request: Request, below: Steps) -> Steps:
        """Serve a request, which passes the tiers below by ``below``."""
        return below

    def read(self, request: Request) -> Steps:
        """Pass a read on."""
        return self.around(request, self.below.read(self.passed(request)))

    def write(self, request: Request) -> Steps:
        """Pass a write on."""
        return self.around(request, self.below.write(self.passed(request)))

    def sync(self, request: Request) -> Steps:
        """Pass a sync on."""
        return self.around(request, self.below.sync(self.passed(request)))

    def metadata(self, request: Request) -> Steps:
        """Pass a metadata request on."""
        return self.around(request, self.below.metadata(self.passed(request)))

    def alone_ns(self, request: Request, alone: TierLatencySum) -> int:
        """Return the time below."""
        return self.below.alone_ns(self.passed(request), alone)

    def prestage(self, request: Request) -> int:
        """Load the file below."""
        return self.below.prestage(self.passed(request))

    def close(self, request: Request) -> None:
        """Pass it on."""
        self.below.close(self.passed(request))

    def forget(self, request: Request) -> None:
        """Pass it on."""
        self.below.forget(self.passed(request))


def fork(
    machine: Machine, parent: Actor, branches: Sequence[tuple[int, Callable[[Actor], Steps]]]
) -> Steps:
    """Begin branches, each with its number; end when all have ended.

    The account of the last one is added to the parent's. If one has timed out, so has the parent.
    """
    first = machine.plan.first_branch + parent.number * machine.width
    under_way: list[Actor] = []
    given_up: list[Actor] = []

    def go(actor: Actor, work: Callable[[Actor], Steps]) -> Steps:
        yield actor.until(actor.now)
        try:
            yield from work(actor)
        except RequestTimeoutError:
            given_up.append(actor)
        under_way.remove(actor)
        if not under_way:
            parent.charge_all(actor)
            parent.wake()

    for number, work in branches:
        actor = Actor(machine.clock, first + number, f"{parent.name}/{number}")
        under_way.append(actor)
        actor.begin(go(actor, work))
    yield parent.blocked(lambda: _reasons(under_way))
    if given_up:
        raise RequestTimeoutError


def _reasons(actors: Sequence[Actor]) -> str:
    """Return the reasons for which branches are blocked, each once."""
    actors = sorted(actors, key=lambda actor: actor.number)
    return " and ".join(dict.fromkeys(actor.waits_for() for actor in actors if actor.waits_for))
