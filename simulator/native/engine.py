# cython: infer_types=True
"""The loop: the actor whose turn it is acts, until no actor has anything to do any more."""

from __future__ import annotations

from simulator.native.arrays import Arrays
from simulator.native.asking import Asking
from simulator.native.blocks import Blocks
from simulator.native.buffers import Buffers
from simulator.native.calendars import Calendars
from simulator.native.clients import Clients
from simulator.native.clock import Clock, grown
from simulator.native.codes import *
from simulator.native.frames import Frames
from simulator.native.locks import Locks
from simulator.native.parts import Parts
from simulator.native.policy import Policies, Policy
from simulator.native.sharing import Sharing
from simulator.native.station import Station, Stations
from simulator.native.stores import Stores
from simulator.native.tiers import Tiers
from simulator.native.writeback import WriteBack

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there: as in a browser
    from simulator.native.interpreted import cython


__all__ = (
    "Arrays",
    "Asking",
    "Blocks",
    "Buffers",
    "Calendars",
    "Clients",
    "Clock",
    "Engine",
    "Frames",
    "Locks",
    "Parts",
    "Policies",
    "Policy",
    "Sharing",
    "Station",
    "Stations",
    "Stores",
    "Tiers",
    "WriteBack",
    "grown",
    "run_for",
)


class Engine:
    """A machine at work."""

    def __init__(self, stores: Stores, clients: Clients, asking: Asking, locks: Locks) -> None:
        self.clock = stores.clock
        self.frames = stores.frames
        self.tiers = stores.tiers
        self.sharing = stores.tiers.sharing
        self.stores = stores
        self.back = stores.back
        self.clients = clients
        self.asking = asking
        self.locks = locks
        self.tier = stores.tier
        self.actor = stores.frames.actor
        self.frame = stores.frames.frame
        self.left_off = -1
        """The actor that was at its turn when the loop was left; or -1."""

    def loop(self, events: int) -> int:
        """Let so many events happen, or fewer if a table has to grow; 1 if that was the end."""
        slot = self.left_off
        self.left_off = -1
        if slot < 0:
            slot = self.clock.next_actor()
        while slot >= 0:
            if self.clock.short or events <= 0:
                self.left_off = slot
                return 0
            events -= 1
            time = self.act(slot)
            if time == GO:
                self.left_off = slot
                return 0
            if time == BLOCKED:
                self.clock.stop(slot)
                slot = self.clock.next_actor()
            else:
                slot = self.clock.go_on(slot, self.clock.within(time, OF_ACTOR, slot))
        return 1

    def act(self, slot: int) -> int:
        """Let an actor act until it has to wait; GO if a table has to grow before it goes on."""
        while True:
            time = self.step(slot)
            if time != GO or self.clock.short:
                return time

    def step(self, slot: int) -> int:
        """Let an actor take a step, at its request or, if it has none, by itself."""
        row = slot * ACTOR
        at = self.actor[row + TOP]
        if at < self.actor[row + BOTTOM]:
            return self.begin(slot, self.actor[row + ROLE])
        kind = self.tier[self.frame[at + TIER] + T_KIND]
        if kind == K_STORE:
            return self.stores.step(slot, at)
        if kind == K_STAGE:
            return self.tiers.stage(slot, at)
        if kind >= K_HOP:
            return self.tiers.hop(slot, at) if kind == K_HOP else self.beside(slot, at, kind)
        if kind == K_END:
            self.tiers.reach(at, self.frame[at + TIER])
            self.frames.answer(slot)
            return GO
        if kind in (K_BUFFERS, K_ASK):
            return self.asking.step(slot, at, kind)
        if kind == K_LOCKS:
            return self.locks.step(slot, at)
        return self.tiers.step(slot, at, kind)

    def beside(self, slot: int, at: int, kind: int) -> int:
        """Let a request act at a tier of a path that gives up, come back unserved, or rewrite."""
        if kind == K_REWRITE:
            return self.tiers.rewrite(slot, at)
        return self.unwind(slot) if kind == K_FAILED else self.tiers.guarded(slot, at)

    def unwind(self, slot: int) -> int:
        """All that an actor has begun for its request ends, from the last on."""
        row = slot * ACTOR
        bottom = self.actor[row + BOTTOM]
        while self.actor[row + TOP] >= bottom:
            at = self.actor[row + TOP]
            kind = self.tier[self.frame[at + TIER] + T_KIND]
            if kind == K_STORE:
                self.stores.fail(at)
            elif kind == K_HOLD:
                self.tiers.let_go_of(at)
            elif kind == K_LOCKS:
                self.locks.give_back(at)
            self.frames.answer(slot)
        if self.actor[row + ROLE] == PROCESS:
            return self.clients.fail(slot, bottom)
        return self.tiers.fail_branch(slot)

    def begin(self, slot: int, role: int) -> int:
        """Let an actor go on that has no request."""
        if role == PROCESS:
            return self.clients.step(slot)
        if role == WORKER:
            return self.back.work(slot)
        if role == BRANCH:
            return self.tiers.end_branch(slot)
        if role == TIMER:
            return self.sharing.ring(self.actor[slot * ACTOR + INDEX])
        if role == FLUSHER:
            return self.back.flush_old(slot)
        if role == COPIER:
            return GO if self.clients.copy_next(slot) else BLOCKED
        return self.stores.end_reader(slot)


def run_for(engine: Engine, events: int) -> bool:
    """Run an engine for so many events, with no lock held; returns whether that was the end."""
    with cython.nogil:
        ended = engine.loop(events)
    return ended != 0
