"""Processor sharing: all transfers under way share the rate, which may depend on their number."""

from __future__ import annotations

from typing import Any

from tests.draws.dice import Dice

ROLES = {"stage": 2, "work": 1, "device": 1, "sync": 1}
ALONE = True
"""No other part can be held with it, and it is not dealt out."""
ONE = 1 << 20
"""What is written as 1.0 in ``PartPlan.speeds``."""


def plan(dice: Dice) -> dict[str, Any]:
    made: dict[str, Any] = {"service": dice.service()}
    made["speeds"] = _speeds(dice) if dice.maybe() else ()
    if dice.maybe(40):
        made["writes"] = dice.service()
        made["write_speeds"] = _speeds(dice) if dice.maybe() else ()
    return made


def _speeds(dice: Dice) -> tuple[int, ...]:
    speeds = (dice.some(ONE, ONE // 2, ONE // 3, 2 * ONE) for _ in range(dice.int(1, 5)))
    return 0, *speeds
