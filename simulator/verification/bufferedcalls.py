"""Bytes of each member requested by processes on paths with buffer caches.

Calls pass the tiers above one by one, without a clock: they are cut, and their parts distributed
over the members of a stripe.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from simulator.plan.codes import (
    CLOSE,
    CLOSE_FLUSH,
    LISTED,
    READ,
    REQUEST,
    SEEK,
    STREAM,
    STRIPE,
    SYNC,
    SYNCED,
    WRITE,
    plain,
)
from simulator.plan.jobs import operations_of, passes_of
from simulator.plan.stripe import member_in_turn
from simulator.runtime.fortran import record_stream

if TYPE_CHECKING:
    from simulator.plan.jobs import PhasePlan, ProcessPlan
    from simulator.plan.paths import TierPlan
    from simulator.plan.plan import Plan

MOST_RECORDS = 100_000
"""Maximum records of a stream that is enumerated."""


class Part(NamedTuple):
    """Bytes of a file on a member, or a sync of them."""

    member: int
    low: int
    high: int
    kind: int
    """``READ``, ``WRITE`` or ``SYNC``."""


class Call(NamedTuple):
    """A call of a process along a path."""

    path: int
    file: int
    kind: int
    offset: int = 0
    size: int = 0


def calls_of(plan: Plan, process: ProcessPlan, rounds: int) -> Iterator[tuple[Call | None, int]]:
    """Yield the calls of a process, and their numbers; None for a stream of too many records."""
    for phase, passes in passes_of(process, rounds):
        if phase.kind == STREAM:
            assert phase.lengths is not None
            if phase.lengths.count > MOST_RECORDS:
                yield None, passes
            else:
                yield from ((call, passes) for call in _stream(plan, phase))
        elif phase.kind == LISTED:
            for row, offset, size, times in operations_of(plan.operations, phase, passes):
                yield from ((call, times) for call in _listed(plan, row, offset, size))


def _listed(plan: Plan, row: int, offset: int, size: int) -> Iterator[Call]:
    """Yield the calls of a listed operation."""
    kind, file = plain(plan.operations.kind[row]), plan.operations.file[row]
    if kind not in (READ, WRITE, SYNC, CLOSE):
        return
    path = plan.path_of(row)
    if kind != CLOSE:
        yield Call(path, file, kind, offset, size)
    if plan.operations.kind[row] & SYNCED and size:
        yield Call(path, file, SYNC)
    elif kind == CLOSE and size:
        yield from _closing(plan, path, file)


def _stream(plan: Plan, phase: PhasePlan) -> Iterator[Call]:
    """Yield the calls of a runtime."""
    assert phase.lengths is not None
    records = record_stream(
        phase.policy, write=phase.write, buffer=phase.buffer, lengths=phase.lengths
    )
    while records.step():
        if records.op != SEEK:
            yield Call(phase.path, phase.file, records.op, records.offset, records.size)
        if records.op == WRITE and phase.synchronous and records.size:
            yield Call(phase.path, phase.file, SYNC)
    if phase.write:
        yield from _closing(plan, phase.path, phase.file)


def _closing(plan: Plan, path: int, file: int) -> Iterator[Call]:
    if plan.paths[path].close == CLOSE_FLUSH:
        yield Call(path, file, SYNC)


def parts_of(plan: Plan, process: ProcessPlan, call: Call, buffers: TierPlan) -> Iterator[Part]:
    """Yield the parts of a call at the members of a buffer cache; nothing for one of no bytes."""
    path, lead = plan.paths[call.path], plan.files[call.file].lead
    group = path.places[buffers.slot]
    turn = lead % plan.groups[group].count
    member = process.node if buffers.slot == 0 else member_in_turn(plan.groups, group, turn)
    size = call.size if call.kind != SYNC else 0
    parts = [Part(member, call.offset, call.offset + size, call.kind)]
    for row in range(path.top, plan.asked_top(path)):
        tier = plan.tiers[row]
        if tier.kind == STRIPE:
            parts = [one for part in parts for one in _striped_parts(plan, group, tier, part, lead)]
        elif tier.kind == REQUEST and call.kind != SYNC:
            parts = [one for part in parts for one in _cut(tier, part)]
    for part in parts:
        if part.high > part.low or call.kind == SYNC:
            yield part


def _cut(tier: TierPlan, part: Part) -> Iterator[Part]:
    low = part.low
    while low < part.high:
        end = (low // tier.size + 1) * tier.size if tier.aligned else low + tier.size
        yield part._replace(low=low, high=min(end, part.high))
        low = end


def _striped_parts(plan: Plan, group: int, tier: TierPlan, part: Part, lead: int) -> Iterator[Part]:
    """Yield the part of each member; successive units are on different ones."""
    row = tier.size * tier.width

    def local(offset: int, index: int) -> int:
        return offset // row * tier.size + min(max(offset % row - index * tier.size, 0), tier.size)

    for index in range(tier.width):
        turn = (lead + index) % plan.groups[group].count
        member = member_in_turn(plan.groups, group, turn)
        yield Part(member, local(part.low, index), local(part.high, index), part.kind)
