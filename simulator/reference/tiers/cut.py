"""Requests of a limited size: one call becomes several, one after the other or some at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.reference.actor import Actor
from simulator.reference.tiers.tier import Alone, Passing, Request, Tier

if TYPE_CHECKING:
    from simulator.plan.paths import TierPlan
    from simulator.reference.actor import Steps
    from simulator.reference.machine import Machine


def fork(
    machine: Machine, parent: Actor, branches: Sequence[tuple[int, Callable[[Actor], Steps]]]
) -> Steps:
    """Begin branches, each with its number; done when all have ended.

    What the last of them spent, the parent did.
    """
    first = machine.plan.first_branch + parent.number * machine.width
    under_way: list[Actor] = []

    def go(actor: Actor, work: Callable[[Actor], Steps]) -> Steps:
        yield actor.until(actor.now)
        yield from work(actor)
        under_way.remove(actor)
        if not under_way:
            parent.charge_all(actor)
            parent.wake()

    for number, work in branches:
        actor = Actor(machine.clock, first + number, f"{parent.name}/{number}")
        under_way.append(actor)
        machine.clock.process(go(actor, work))
    yield parent.blocked(lambda: _reasons(under_way))


def _reasons(actors: Sequence[Actor]) -> str:
    """Return what branches wait for, each once."""
    actors = sorted(actors, key=lambda actor: actor.number)
    return " and ".join(dict.fromkeys(actor.waits_for() for actor in actors if actor.waits_for))


class Cut(Passing):
    """Cuts at multiples of a size, or every so many bytes; at most ``window`` are under way."""

    def __init__(self, machine: Machine, plan: TierPlan, below: Tier | None) -> None:
        super().__init__(machine, plan, below)
        self.needless = 0
        """Calls, or parts of them, that would have been one request at another offset."""

    def read(self, request: Request) -> Steps:
        """Read piece by piece."""
        yield from self._divided(request, self.below.read)

    def write(self, request: Request) -> Steps:
        """Write piece by piece."""
        yield from self._divided(request, self.below.write)

    def _divided(self, request: Request, below: Callable[[Request], Steps]) -> Steps:
        if request.of_call and 0 < request.size <= self.plan.size:
            self.needless += request.high > self._origin(request) + self.plan.size
        pieces = self._pieces(request)
        window = min(self.plan.window, -(-(request.high - self._origin(request)) // self.plan.size))
        if window <= 1:
            for piece in pieces:
                yield from below(piece)
            return

        def branch(own: Request) -> Callable[[Actor], Steps]:
            def work(actor: Actor) -> Steps:
                yield from below(own.by(actor))
                for piece in pieces:  # all branches take from the same
                    yield from below(piece.by(actor))

            return work

        branches = [(number, branch(next(pieces))) for number in range(window)]
        yield from fork(self.machine, request.actor, branches)

    def _origin(self, request: Request) -> int:
        """Return where the first piece begins, or would begin."""
        return request.low // self.plan.size * self.plan.size if self.plan.aligned else request.low

    def _pieces(self, request: Request) -> Iterator[Request]:
        size = self.plan.size
        for start in range(self._origin(request), request.high, size):
            yield request.part(max(start, request.low), min(start + size, request.high))

    def alone_ns(self, request: Request, alone: Alone) -> int:
        """Return the time of all pieces, one after the other."""
        return sum(self.below.alone_ns(piece, alone) for piece in self._pieces(request))
