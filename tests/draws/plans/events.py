"""What happens to parts of a drawn machine: failures and other speeds, at times or drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.native.flatchains import ends_of
from simulator.plan.codes import (
    ASK_READ,
    ASK_WRITE,
    BARRIER,
    HOLD,
    JOIN,
    LISTED,
    LOCK,
    PASS,
    RECEIVE,
    SEND,
    START,
    UNLOCK,
    WAIT,
)
from simulator.plan.events import ANY_DISK, NO_DISK, EventPlan

if TYPE_CHECKING:
    from simulator.kinds.dice import Dice
    from simulator.plan.jobs import ProcessPlan
    from simulator.plan.paths import PathPlan
    from simulator.plan.plan import Plan


MEETINGS = frozenset(
    (PASS, WAIT, LOCK, UNLOCK, BARRIER, SEND, RECEIVE, START, JOIN, ASK_READ, ASK_WRITE)
)
"""Operations by which processes wait for each other."""


def draw_events(dice: Dice, plan: Plan) -> tuple[EventPlan, ...]:
    """Draw events of parts that may have some; none for most plans."""
    pools = {hold.part for tier in plan.tiers if tier.kind == HOLD for hold in tier.down}
    rows = [
        row
        for row, part in enumerate(plan.parts)
        if (part.traits.fails or part.kind == "array")
        and row not in pools
        and row not in _processors(plan)
    ]
    if not rows or not dice.maybe(30):
        return ()
    return tuple(_draw_event(dice, plan, dice.some(*rows)) for _ in range(dice.int(1, 6)))


def draw_patience(dice: Dice, plan: Plan) -> tuple[PathPlan, ...]:
    """Return a plan's paths, of some of which calls give up after a while.

    Those that share tiers do so alike.
    """
    ends = ends_of(plan)
    patience: dict[int, int] = {}
    """By the last tier of what a path has."""
    for path in plan.paths:
        own = {ends[top] for top in (path.top, path.metadata, path.drain) if top >= 0}
        known = {patience[end] for end in own if end in patience}
        drawn = dice.some(-1, 0, 1, dice.int(0, 100), dice.int(0, 5_000))
        if len(known) > 1:  # It joins what stood alone.
            patience = dict.fromkeys(patience, drawn)
        patience |= dict.fromkeys(own, *(known if len(known) == 1 else [drawn]))
    return tuple(replace(path, give_up_ns=patience[ends[path.top]]) for path in plan.paths)


def draw_stops(dice: Dice, plan: Plan) -> tuple[ProcessPlan, ...]:
    """Return a plan's processes; of those that nobody waits for some end with an error."""
    return tuple(replace(one, stops=_alone(plan, one) and dice.maybe(30)) for one in plan.processes)


def _alone(plan: Plan, process: ProcessPlan) -> bool:
    """Return whether nobody waits for what a process does, so that it may end early."""
    if process.arrivals >= 0 or process.until >= 0:
        return False
    kinds = {
        plan.operations.kind[row]
        for phase in process.phases
        for row in range(phase.first, phase.first + phase.count)
        if phase.kind == LISTED
    }
    return not (kinds & MEETINGS or any(phase.size for phase in process.phases))


def _processors(plan: Plan) -> set[int]:
    """Return the rows of what serves I/O nodes, whose times are those of their caches."""
    return {tier.down[0].part for tier in plan.tiers if tier.kind == "buffers"}


def _draw_event(dice: Dice, plan: Plan, row: int) -> EventPlan:
    often, part = dice.maybe(30), plan.parts[row]
    disk = NO_DISK
    if part.kind == "array":
        disk = dice.some(ANY_DISK, *range(part.spec.disks))
    return EventPlan(
        part=row,
        member=dice.int(-1, part.count - 1),
        disk=disk,
        at_ns=0 if often else dice.some(0, 1, dice.int(0, 300), dice.int(0, 20_000)),
        mean_ns=dice.some(300, 3_000, 50_000) if often else 0,
        lasts_ns=dice.some(1, dice.int(1, 100), dice.int(1, 5_000)),
        speed=dice.some(0, 0, 1 << 19, 1 << 18, 333_333, 3 << 20),
        stream=dice.some("a", "b"),
    )
