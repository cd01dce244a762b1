"""A server of a pool, which a request keeps until its answer goes back."""

from __future__ import annotations

from collections import deque

from simulator.reference.actor import Actor, Steps
from simulator.reference.part import Part, RequestTimeoutError
from simulator.reference.tier import PassThroughTier, Request


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


class HoldTier(PassThroughTier):
    """A tier whose requests keep a server while they are at the tiers below."""

    def around(self, request: Request, below: Steps) -> Steps:
        """Pass a request on while a server is kept."""
        part = self.part_of(self.plan.down[0], request)
        pool = self.machine.shared(("pool", part), lambda: Pool(part))
        yield from pool.take(request.actor)
        since = request.actor.now
        try:
            yield from below
        except RequestTimeoutError:
            pool.give_back(since, request.size)
            raise
        pool.give_back(since, request.size)
