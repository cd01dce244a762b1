"""Work of a core: a delay, or a task of its node where more can be at work than it has cores."""

from __future__ import annotations

from typing import Any

from tests.draws.dice import Dice

ROLES = {"stage": 1, "work": 1, "sync": 1}
ALONE = True
"""No other part can be held with it, and it is not dealt out."""


def plan(dice: Dice) -> dict[str, Any]:
    return {"service": dice.service()}
