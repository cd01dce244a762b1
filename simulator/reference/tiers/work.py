"""What a part or server does for each request on its way down: work, a commit, a server kept.

A journal is passed only by requests that have to be durable; an export is where they are answered.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from simulator.plan.codes import METADATA
from simulator.reference.part import Load
from simulator.reference.tiers.stage import take
from simulator.reference.tiers.tier import Alone, Passing, Request

if TYPE_CHECKING:
    from simulator.reference.actor import Actor, Steps
    from simulator.reference.part import Part


class Work(Passing):
    """A request of as many bytes as are read or written."""

    def read(self, request: Request) -> Steps:
        """Work, then pass the read on."""
        yield from self._work(request)
        yield from self.below.read(request)

    def write(self, request: Request) -> Steps:
        """Work, then pass the write on."""
        yield from self._work(request)
        yield from self.below.write(request)

    def sync(self, request: Request) -> Steps:
        """Work, then pass the sync on."""
        yield from self._work(request)
        yield from self.below.sync(request)

    def metadata(self, request: Request) -> Steps:
        """Work, then pass the metadata request on."""
        yield from self._work(request, self._cost_ns(request))
        yield from self.below.metadata(request)

    def _work(self, request: Request, cost_ns: int = -1) -> Steps:
        load = self._load(request, cost_ns)
        yield from take(request.actor, [[(self._part(request), load)]])

    def _cost_ns(self, request: Request) -> int:
        """Return what a metadata request takes by its kind; -1: the part's own service."""
        costs = self.plan.costs
        known = costs and request.operation >= 0
        return costs[METADATA.index(request.operation)] if known else -1

    def _part(self, request: Request) -> Part:
        return self.part_of(self.plan.down[0], request)

    def _load(self, request: Request, cost_ns: int = -1) -> Load:
        base = self.machine.plan.files[request.file].base if request.file >= 0 else 0
        span = (base + request.low, base + request.high)
        writes = self.plan.down[0].writes
        return Load(request.size, request.file, span, cost_ns=cost_ns, writes=writes)

    def alone_ns(self, request: Request, alone: Alone) -> int:
        """Return the work and the time below."""
        part = self._part(request)
        service = part.alone_ns(self._load(request), first=part.name not in alone.used)
        alone.used.add(part.name)
        return service + self.below.alone_ns(request, alone)


class Commit(Work):
    """A part that syncs and changes of metadata use on their way down; others pass it by."""

    def alone_ns(self, request: Request, alone: Alone) -> int:
        """Return the time of a read below."""
        return self.below.alone_ns(request, alone)

    def read(self, request: Request) -> Steps:
        """Pass a read on."""
        yield from self.below.read(request)

    def write(self, request: Request) -> Steps:
        """Pass a write on."""
        yield from self.below.write(request)

    def metadata(self, request: Request) -> Steps:
        """Commit what changes something, then pass it on."""
        if request.changes:
            yield from take(request.actor, [[(self._part(request), self._load(request))]])
        yield from self.below.metadata(request)


class Export(Passing):
    """Answers syncs and changes of metadata, as a server with an ``async`` export does."""

    def sync(self, request: Request) -> Steps:
        """Answer at once."""
        yield from ()

    def metadata(self, request: Request) -> Steps:
        """Answer what changes something; pass on what asks."""
        if not request.changes:
            yield from self.below.metadata(request)


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
        pool = self.machine.pool(self.part_of(self.plan.down[0], request))
        yield from pool.take(request.actor)
        since = request.actor.now
        yield from steps
        pool.give_back(since, request.size)
