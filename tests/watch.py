"""Runs under watch: between any two nanoseconds, nobody may wait for what is there."""

from __future__ import annotations

from unittest import mock

import simpy

from simulator.engine import reference
from simulator.engine.parts import Parts
from simulator.engine.plan import Plan
from simulator.engine.result import Result
from simulator.machine.cache import UnitCache
from simulator.machine.slots import BUSY, QUEUED
from simulator.machine.ssu import Ssu


class WatchedEnvironment(simpy.Environment):
    """Time never runs back, and everything that can go on at a time does."""

    parts: Parts | None = None

    def step(self) -> None:
        before = self.now
        upcoming = self.peek()
        assert upcoming >= before, f"time runs back from {before} to {upcoming}"
        if upcoming > before and self.parts is not None and self.parts.ssu is not None:
            check_waiting(self.parts.ssu)
        super().step()


def check_waiting(ssu: Ssu) -> None:
    """Whoever waits for room, a unit or a worker has a reason to."""
    cache = ssu.cache
    if ssu._room_waiters:
        assert not cache.has_room(0, write=False), "there is room, and somebody waits for it"
    for file in ssu.files:
        # A share may have room again because another file took a unit away: see the SSU.
        if file.waiting and cache.file_written[file.index] >= cache.share:
            assert not cache.has_room(file.index, write=True), "a share has room for a writer"
    if ssu._idle_workers:
        assert cache.queued_count == 0, "a unit is queued, and a worker idle"
    for slot in ssu._unit_waiters:
        coming = cache.fetching[slot] or cache.writing[slot] or cache.state[slot] == QUEUED
        assert coming, "somebody waits for a unit that is there"


def check_rest(ssu: Ssu) -> None:
    """After a run nothing is under way, and nobody waits."""
    cache: UnitCache = ssu.cache
    assert not any(cache.users)
    assert not any(cache.writing)
    assert not any(cache.fetching)
    assert BUSY not in cache.state
    assert cache.queued_count == 0
    assert not ssu._unit_waiters
    assert not ssu._room_waiters
    assert not any(file.waiting for file in ssu.files)
    assert len(ssu._idle_workers) == ssu.spec.workers
    if "eager" in ssu.spec.triggers:
        assert cache.dirty_count == 0


def run_watched(plan: Plan, *, timeline: bool = False) -> tuple[Result, Parts]:
    """Carry out a plan, checking identities and waiting; returns the parts as well."""
    built: list[Parts] = []

    class WatchedParts(Parts):
        def __init__(self, env: WatchedEnvironment, *args: object, **kwargs: object) -> None:
            super().__init__(env, *args, **kwargs)  # type: ignore[arg-type]
            env.parts = self
            built.append(self)

    with (
        mock.patch.object(reference, "Parts", WatchedParts),
        mock.patch.object(reference.simpy, "Environment", WatchedEnvironment),
    ):
        result = reference.run_reference(plan, timeline=timeline, debug=True)
    (parts,) = built
    if parts.ssu is not None:
        check_rest(parts.ssu)
    return result, parts
