# cython: infer_types=True
"""Actors and their frames: who is under way, and which requests it has.

An actor has a *slot* while it is under way, and a stack of *frames*, one for each request that it
makes or passes on. A frame stands at a tier and has a state; it is named by its offset in
``frame``, as an actor's row is by its slot.
"""

from __future__ import annotations

from simulator.native.clock import LINE, Clock, grown, zeros
from simulator.native.codes import *
from simulator.native.parts import Parts


class Frames:
    """All actors under way, and their requests."""

    def __init__(self, clock: Clock, parts: Parts, depth: int, places: int, margin: int) -> None:
        self.clock = clock
        self.parts = parts
        self.depth = depth
        self.places = places
        self.stride = (PLACES + places + 7) & ~7
        self.margin = margin
        """Slots that one step may take at most."""
        self.slots = 0
        self.free = -1
        self.free_count = 0
        self.actor = zeros(0)
        self.frame = zeros(0)
        self.grow(clock.slots)

    def grow(self, slots: int) -> None:
        """Make room for so many slots, between two steps."""
        old = self.slots
        if old:
            self.clock.grow(slots)
            self.parts.grow(slots)
        # An odd number of cache lines: the frames of many slots get into all sets of a cache.
        size = self.depth * self.stride | LINE
        self.actor = grown(self.actor, ACTOR * slots)
        self.frame = grown(self.frame, size * slots)
        self.slots = slots
        for slot in range(slots - 1, old - 1, -1):
            self.actor[slot * ACTOR + BOTTOM] = slot * size
            self.actor[slot * ACTOR + AFTER] = self.free
            self.free = slot
        self.free_count += slots - old

    # -- actors ---------------------------------------------------------------------------------

    def take(self, role: int, index: int, number: int) -> int:
        """Assign a slot to an actor; it has no requests yet, and no alarm."""
        slot = self.free
        at = slot * ACTOR
        self.free = self.actor[at + AFTER]
        self.free_count -= 1
        if self.free_count < self.margin:
            self.clock.short = 1
        self.actor[at + ROLE] = role
        self.actor[at + INDEX] = index
        self.actor[at + ACTIVE] = 1
        self.actor[at + TOP] = self.actor[at + BOTTOM] - self.stride
        self.clock.alarm[slot * ALARM + ALARM_NUMBER] = number
        return slot

    def give(self, slot: int) -> None:
        """An actor has ended, or is idle."""
        at = slot * ACTOR
        self.actor[at + ACTIVE] = 0
        self.actor[at + AFTER] = self.free
        self.free = slot
        self.free_count += 1

    # -- frames ---------------------------------------------------------------------------------

    def call(self, slot: int, tier: int, op: int, file: int, low: int, high: int) -> int:
        """Begin a request at a tier; returns its frame, which has no places yet."""
        actor = slot * ACTOR
        at = self.actor[actor + TOP] + self.stride
        self.actor[actor + TOP] = at
        self.frame[at + TIER] = tier
        self.frame[at + ENTRY] = tier
        self.frame[at + STATE] = FRESH
        self.frame[at + OP] = op
        self.frame[at + FILE] = file
        self.frame[at + LOW] = low
        self.frame[at + HIGH] = high
        return at

    def part_of(self, slot: int, at: int, tier: int, low: int, high: int) -> int:
        """Begin a request that is a part of the one at ``at``, which may be another actor's."""
        part = self.call(slot, tier, self.frame[at + OP], self.frame[at + FILE], low, high)
        self.frame[part + SEQUENTIAL] = self.frame[at + SEQUENTIAL]
        for place in range(PLACES, PLACES + self.places):
            self.frame[part + place] = self.frame[at + place]
        return part

    def answer(self, slot: int) -> None:
        """The request that an actor is at has been served."""
        self.actor[slot * ACTOR + TOP] -= self.stride
