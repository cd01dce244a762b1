"""Runs under watch: between any two nanoseconds, no actor may wait for what is there."""

from __future__ import annotations

from typing import Any
from unittest import mock

from simulator.plan.plan import Plan
from simulator.reference import machine
from simulator.reference.actor import Clock
from simulator.reference.run import run_reference
from simulator.reference.stores.blocks import State
from simulator.reference.stores.store import Store
from simulator.result.result import Result


def check_waiting(store: Store) -> None:
    """Whoever waits for room, for a block, for the limit or for work has a reason to."""
    blocks = store.blocks
    if store._room_waiters:
        assert len(blocks.resident) >= blocks.space, "there is room, and an actor waits for it"
        assert not blocks.has_any_room(), "a block could go, and an actor waits for room"
    if store._limit_waiters:
        assert store.at_limit(), "a store is below its limit, and an actor waits for it"
    if store._idle:
        assert not blocks.queued, "a block is queued, and a worker idle"
    if store._flusher is not None and blocks.dirty:
        assert store._looks, "a block is dirty, and the flusher asleep"
    for file in blocks.files.values():
        # A quota may have room again because another file took a block away.
        if file.waiting and not blocks.may_write(file):
            assert not file.clean, "a quota has room, and an actor waits for it"
        if file.syncing:
            assert file.changed, "nothing of a file is dirty, and an actor waits for that"
    for block in blocks.resident.values():
        if block.waiting:
            coming = block.fetching or block.writing or block.state is State.QUEUED
            assert coming, "an actor waits for a block that is there"


def check_rest(store: Store) -> None:
    """After a run nothing is under way, and nothing waits."""
    blocks = store.blocks
    for block in blocks.resident.values():
        assert (block.users, block.writing, block.fetching, block.waiting) == (0, 0, 0, [])
        assert block.state is not State.BUSY
    assert not blocks.queued
    assert not store._room_waiters
    assert not store._limit_waiters
    assert not store.reading_ahead
    assert not any(file.waiting or file.syncing for file in blocks.files.values())
    assert len(store._idle) == store.plan.workers
    assert len(blocks.resident) <= store.plan.slots
    if "eager" in store.plan.triggers and store.plan.back:
        assert not blocks.dirty


def run_watched(plan: Plan) -> Result:
    """Carry out a plan, checking identities and waiting."""
    stores: list[Store] = []

    class WatchedStore(Store):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            stores.append(self)

    class WatchedClock(Clock):
        """Time never runs back, and everything that can go on at a time does."""

        def go(self) -> None:
            while self._queue:
                before, upcoming = self.now, self.peek()
                assert upcoming >= before, f"time runs back from {before} to {upcoming}"
                if upcoming > before:
                    for store in stores:
                        check_waiting(store)
                self.step()

    with (
        mock.patch.object(machine, "Store", WatchedStore),
        mock.patch.object(machine, "Clock", WatchedClock),
    ):
        result = run_reference(plan, debug=True, timeline=True)
    for store in stores:
        check_rest(store)
    return result
