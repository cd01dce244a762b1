"""A server of a pool, which a request keeps until its answer goes back."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from simulator.reference.tier import Passing, Request

if TYPE_CHECKING:
    from simulator.reference.actor import Actor, Steps
    from simulator.reference.part import Part


class Pool:
    """The servers of one instance, and the actors that wait for one, first come first served."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.kept = 0
        self._waiting: deque[Actor] = deque()

    def take(self, actor: Actor) -> Steps:
        """Keep a server; done when it is granted."""
        if self.kept < self.part.plan.servers:
            self.kept += 1
            return
        began = actor.now
        self._waiting.append(actor)
        yield actor.blocked(lambda: f"a server of {self.part.name}")
        actor.charge(self.part.column, actor.now - began, 0)

    def give_back(self, since_ns: int, size: int) -> None:
        """Release a server that was kept since a time, for a request of ``size`` bytes."""
        kept_ns = self.part.clock.now - since_ns
        self.part.note(since_ns, kept_ns, size)
        self.part.count(size, kept_ns)
        if self._waiting:
            self._waiting.popleft().wake()
        else:
            self.kept -= 1


class Held(Passing):
    """Every request keeps a server while it is at the tiers below."""

    def read(self, request: Request) -> Steps:
        """Pass a read on while a server is kept."""
        yield from self._keeping(request, self.below.read(request))

    def write(self, request: Request) -> Steps:
        """Pass a write on while a server is kept."""
        yield from self._keeping(request, self.below.write(request))

    def sync(self, request: Request) -> Steps:
        """Pass a sync on while a server is kept."""
        yield from self._keeping(request, self.below.sync(request))

    def metadata(self, request: Request) -> Steps:
        """Pass a metadata request on while a server is kept."""
        yield from self._keeping(request, self.below.metadata(request))

    def _keeping(self, request: Request, steps: Steps) -> Steps:
        pool = self.machine.shared(Pool, self.part_of(self.plan.down[0], request))
        yield from pool.take(request.actor)
        since = request.actor.now
        yield from steps
        pool.give_back(since, request.size)
