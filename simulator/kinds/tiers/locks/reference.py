"""Locks of files: a node reads and writes only what it has the locks of; docs/composition.md."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import accumulate

from simulator.plan.paths import TierPlan
from simulator.reference.actor import Actor, Steps
from simulator.reference.machine import Machine
from simulator.reference.part import RequestTimeoutError
from simulator.reference.stores.store import Store
from simulator.reference.tier import PassThroughTier, Request, Tier


@dataclass(slots=True, eq=False)
class Lock:
    """The lock of a unit, or of a whole file: the nodes that have it, all in one mode."""

    exclusive: bool = False
    """The one node that has it may write."""
    nodes: dict[int, Store | None] = field(default_factory=dict)
    """The number of each node that has it -> the store that keeps what it protects, if any."""
    used: int = 0
    """Requests under way that need it."""
    waiting: deque[Actor] = field(default_factory=deque)
    """Actors that wait for it, in the order in which they came."""
    awaits_use: Actor | None = None
    """The first of them, while it waits for requests under way."""

    def suits(self, node: int, *, exclusive: bool) -> bool:
        """Return whether a node has it in a mode in which it may read, or write."""
        return node in self.nodes and (self.exclusive or not exclusive)

    def others(self, node: int, *, exclusive: bool) -> list[int]:
        """Return the other nodes whose locks are in the way of one, in order."""
        return sorted(self.nodes.keys() - {node}) if self.exclusive or exclusive else []

    def is_free(self, node: int, *, exclusive: bool) -> bool:
        """Return whether it can be granted to a node now."""
        return not self.waiting and not self.others(node, exclusive=exclusive)

    def grant(self, node: int, store: Store | None, *, exclusive: bool) -> None:
        """Grant it to a node; no other node's lock is in the way."""
        self.nodes[node] = store
        self.exclusive = exclusive


class LockedFile:
    """The locks of one file: of all of it, or of its units once it is divided."""

    def __init__(self) -> None:
        self.divided = False
        self.dividing = False
        """A request calls the locks of the whole file back."""
        self.whole = Lock()
        self._units: dict[int, Lock] = {}

    def unit(self, number: int) -> Lock:
        """Return the lock of a unit."""
        if number not in self._units:
            self._units[number] = Lock()
        return self._units[number]

    def grow(
        self, first: int, count: int, node: int, store: Store | None, *, exclusive: bool
    ) -> None:
        """Grant a node the units [first, first + count) as well, as far as they are free."""
        for number in range(first, first + count):
            lock = self.unit(number)
            if not lock.is_free(node, exclusive=exclusive):
                break
            if not lock.suits(node, exclusive=exclusive):
                lock.grant(node, store, exclusive=exclusive)


@dataclass(slots=True)
class Need:
    """What one request needs locks for."""

    request: Request
    exclusive: bool
    node: int
    store: Store | None
    """The instance that keeps what the node's locks protect."""
    used: list[Lock]
    """The locks that it uses."""
    asked: bool = False
    """It has asked the server for locks."""

    @property
    def actor(self) -> Actor:
        """Return who makes the request."""
        return self.request.actor

    def may_use(self, lock: Lock) -> bool:
        """Use a lock that the node has, if it has it."""
        if not lock.waiting and lock.suits(self.node, exclusive=self.exclusive):
            self.use(lock)
            return True
        return False

    def use(self, lock: Lock) -> None:
        """Use a lock until the request is answered."""
        lock.used += 1
        self.used.append(lock)

    def end_use(self) -> None:
        """The request is answered, or has given up: it uses its locks no more."""
        for lock in self.used:
            lock.used -= 1
            if not lock.used and lock.awaits_use is not None:
                lock.awaits_use.wake()
                lock.awaits_use = None

    def in_the_way(self, lock: Lock) -> list[int]:
        """Return the nodes whose locks have to be called back first."""
        return lock.others(self.node, exclusive=self.exclusive)


class Locks(PassThroughTier):
    """Requests wait until their node has the locks of their bytes, and keep them till answered."""

    def __init__(self, machine: Machine, plan: TierPlan, below: Tier | None) -> None:
        super().__init__(machine, plan, below)
        groups = machine.plan.groups
        counts = accumulate((group.count for group in groups), initial=0)
        self._first_node = {id(group): first for group, first in zip(groups, counts, strict=False)}

    def read(self, request: Request) -> Steps:
        """Pass a read on that has its locks."""
        yield from self._pass(request, self.below.read(request), exclusive=False)

    def write(self, request: Request) -> Steps:
        """Pass a write on that has its locks."""
        yield from self._pass(request, self.below.write(request), exclusive=True)

    def _pass(self, request: Request, below: Steps, *, exclusive: bool) -> Steps:
        if not request.size:
            yield from below
            return
        member = request.places.member(0)
        row = self.plan.row
        store = self.machine.store(row, member) if row >= 0 else None
        node = self._first_node[id(request.places.groups[0])] + member
        need = Need(request, exclusive, node, store, [])
        yield from self._take(need, self.machine.shared(("locks", request.file), LockedFile))
        try:
            yield from below
        except RequestTimeoutError:
            need.end_use()
            raise
        need.end_use()

    # -- taking locks -------------------------------------------------------------------------

    def _take(self, need: Need, file: LockedFile) -> Steps:
        """Have the locks of all units of a request, or that of the whole file."""
        first = need.request.low // self.plan.size
        while not file.divided:
            whole = file.whole
            if file.dividing:
                whole.waiting.append(need.actor)
                yield from self._wait(need, "a file's locks to be divided")
            elif need.may_use(whole):
                return
            elif not need.asked:
                yield from self._ask(need, first)
            elif need.in_the_way(whole):
                yield from self._divide(need, file)
            else:
                whole.grant(need.node, need.store, exclusive=need.exclusive)
        for number in range(first, (need.request.high - 1) // self.plan.size + 1):
            yield from self._take_unit(need, file, number)

    def _divide(self, need: Need, file: LockedFile) -> Steps:
        """Call back the locks of the whole file, of which there are none from now on."""
        whole = file.whole
        file.dividing = True
        if whole.used:
            whole.awaits_use = need.actor
            yield from self._wait(need, "requests that use a file's lock")
        for node in sorted(whole.nodes.keys() - {need.node}):
            yield from self._call_back_file(need, whole.nodes[node])
        file.dividing, file.divided = False, True
        for actor in whole.waiting:
            actor.wake()

    def _take_unit(self, need: Need, file: LockedFile, number: int) -> Steps:
        """Have the lock of a unit, and use it."""
        lock = file.unit(number)
        if need.may_use(lock):
            return
        if not need.asked:
            yield from self._ask(need, number)
            if need.may_use(lock):
                return
        if lock.is_free(need.node, exclusive=need.exclusive):
            self._grant(need, file, number)
            need.use(lock)
            return
        lock.waiting.append(need.actor)
        if lock.waiting[0] is not need.actor:
            yield from self._wait(need, "the lock of a unit")
        while others := need.in_the_way(lock):
            if lock.used:
                lock.awaits_use = need.actor
                yield from self._wait(need, "requests that use a lock")
            else:
                yield from self._call_back(need, lock.nodes[others[0]], number)
                del lock.nodes[others[0]]
        self._grant(need, file, number)
        lock.waiting.popleft()
        if lock.waiting:
            lock.waiting[0].wake()
        need.use(lock)

    def _grant(self, need: Need, file: LockedFile, number: int) -> None:
        """Grant a unit, and those behind it."""
        file.unit(number).grant(need.node, need.store, exclusive=need.exclusive)
        more = self.plan.grow - 1
        file.grow(number + 1, more, need.node, need.store, exclusive=need.exclusive)

    def _ask(self, need: Need, number: int) -> Steps:
        """Ask the server for locks from a unit on."""
        top = self.machine.tier_after(self, self.plan.ask)
        places = need.request.places
        fresh = places.undecided().having(0, places.member(0))
        begin = number * self.plan.size
        request = Request(
            need.actor, need.request.file, begin, begin, self.machine.deciding(fresh, top)
        )
        yield from top.metadata(request)
        need.asked = True

    # -- calling locks back -------------------------------------------------------------------

    def _call_back_file(self, need: Need, store: Store | None) -> Steps:
        """Have the blocks of a file written back and dropped at a node that loses its lock."""
        if store is None:
            return
        store.counts.called_back += 1
        file = store.blocks.file(need.request.file)
        store.queue_file(file)
        if file.changed:
            file.syncing.append(need.actor)
            yield from self._wait(need, f"the write-back of a file from {store.name}")
        store.invalidate(file, 0, -(-store.exists.get(file.number, 0) // store.plan.block))

    def _call_back(self, need: Need, store: Store | None, number: int) -> Steps:
        """Have the blocks of a unit written back and dropped at a node that loses its lock."""
        if store is None:
            return
        store.counts.called_back += 1
        file = store.blocks.file(need.request.file)
        low, high = (self.plan.size * n // store.plan.block for n in (number, number + 1))
        store.queue_blocks(file, low, high)
        for block_number in range(low, high):
            while (block := store.blocks.find(file, block_number)) and block.key in file.changed:
                store.queue_blocks(file, block_number, block_number + 1)
                block.waiting.append(need.actor)
                yield from self._wait(need, f"the write-back of a block from {store.name}")
        store.invalidate(file, low, high)

    def _wait(self, need: Need, what: str) -> Steps:
        """Wait until another actor wakes this one; the time is that of locks."""
        since = need.actor.now
        yield need.actor.blocked(lambda: what)
        need.actor.charge(self.plan.column, need.actor.now - since, 0)
