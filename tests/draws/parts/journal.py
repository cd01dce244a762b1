"""Group commit: syncs that come while one is under way share the next."""

from __future__ import annotations

from typing import Any

from tests.draws.dice import Dice

ROLES = {"sync": 4}


def plan(dice: Dice) -> dict[str, Any]:
    return {"service": dice.service()}
