"""What happens to parts of a drawn machine: failures and other speeds, at times or drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.config.lowering.failing import MEETINGS
from simulator.plan.codes import END, HOLD, LISTED
from simulator.plan.events import ANY_DISK, NO_DISK, EventPlan

if TYPE_CHECKING:
    from simulator.kinds.dice import Dice
    from simulator.plan.jobs import ProcessPlan
    from simulator.plan.paths import PathPlan
    from simulator.plan.plan import Plan


def draw_events(dice: Dice, plan: Plan) -> tuple[EventPlan, ...]:
    """Draw events of parts that may have some; none for most plans."""
    rows = _eventful(plan)
    if not rows or not dice.maybe(30):
        return ()
    return tuple(_draw_event(dice, plan, dice.some(*rows)) for _ in range(dice.int(1, 6)))


def _eventful(plan: Plan) -> list[int]:
    """Return the rows of parts that may have events."""
    pools = {hold.part for tier in plan.tiers if tier.kind == HOLD for hold in tier.down}
    return [
        row
        for row, part in enumerate(plan.parts)
        if (part.traits.fails or part.kind == "array")
        and row not in pools
        and row not in _processors(plan)
    ]


def with_failures(dice: Dice, plan: Plan, end_ns: int) -> Plan:
    """Let parts of a plan fail while it goes on, for so long without that, and calls give up.

    Parts at which a request could give up: not those that are shared.
    """
    rows = [row for row in _eventful(plan) if plan.parts[row].traits.order in ("queue", "all")]
    if not rows:
        return plan
    events = tuple(
        EventPlan(
            part=(row := dice.some(*rows)),
            member=dice.int(0, plan.parts[row].count - 1),
            at_ns=dice.int(0, end_ns),
            lasts_ns=dice.int(1, max(1, end_ns // 3)),
            speed=dice.some(0, 0, 0, 1 << 19),
        )
        for _ in range(dice.int(1, 12))
    )
    patience = dice.some(0, end_ns // 100, end_ns // 30)
    paths = tuple(
        replace(path, give_up_ns=min(path.give_up_ns, patience))
        for path in draw_patience(dice, plan)
    )
    soft = replace(plan, events=events, paths=paths)
    return replace(soft, processes=draw_stops(dice, soft))


def draw_patience(dice: Dice, plan: Plan) -> tuple[PathPlan, ...]:
    """Return a plan's paths, of some of which calls give up after a while.

    Those that share tiers do so alike.
    """
    rows = [row for row, tier in enumerate(plan.tiers) if tier.kind == END]
    ends = [
        next((end for end in rows if end >= top), len(plan.tiers)) for top in range(len(plan.tiers))
    ]
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
