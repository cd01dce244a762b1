"""What happens to parts of a drawn machine: failures and other speeds, at times or drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.plan.codes import HOLD
from simulator.plan.events import ANY_DISK, NO_DISK, EventPlan

if TYPE_CHECKING:
    from simulator.kinds.dice import Dice
    from simulator.plan.plan import Plan


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
