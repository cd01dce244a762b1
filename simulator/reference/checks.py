"""What every run must conserve, to the last nanosecond and byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.reference.stores.store import Store
    from simulator.reference.world import World
    from simulator.result.result import Result


class CheckError(AssertionError):
    """A conservation law does not hold: the simulator has a defect."""


def check(world: World, result: Result) -> None:
    """Raise :class:`CheckError` listing everything that is not conserved."""
    broken = [*_time(result), *_servers(result)]
    for store in world.machine.stores():
        broken += _store(store)
    if broken:
        raise CheckError("; ".join(broken))


def _time(result: Result) -> Iterator[str]:
    for process in result.processes:
        if process.accounted_ns() != process.elapsed_ns:
            yield f"{process.name}: {process.accounted_ns()} ns of {process.elapsed_ns} accounted"
        if process.idle_ns < 0 or any(min(times) < 0 for times in process.spent.values()):
            yield f"{process.name}: negative time in its account"
        if not 0 <= process.started_ns <= process.ended_ns <= result.end_ns:
            yield f"{process.name}: ran from {process.started_ns} to {process.ended_ns}"


def _servers(result: Result) -> Iterator[str]:
    for name, part in result.parts.items():
        if part.kind in ("queue", "disk") and part.busy_ns > part.servers * result.end_ns:
            yield f"{name}: busy for {part.busy_ns} ns in {result.end_ns} ns"


def _store(store: Store) -> Iterator[str]:
    counts, blocks = store.counts, store.blocks.resident
    dirty = sum(block.dirty for block in blocks.values())
    left = counts.written_back_bytes + counts.overwritten_bytes + dirty
    if store.plan.back and counts.accepted_bytes != left:
        yield f"{store.name}: {counts.accepted_bytes} B written into it, {left} B accounted for"
    came = counts.fetched + counts.read_back + counts.prestaged + counts.created
    if came != len(blocks) + counts.released + store.blocks.evicted:
        yield f"{store.name}: {came} blocks came, {len(blocks)} are there, the rest did not go"
