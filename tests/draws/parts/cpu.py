"""Processors: what copying and calling cost a process."""

from __future__ import annotations

from typing import Any

from simulator.plan.specs.pe import PeSpec
from tests.draws.dice import Dice

ROLES = {"cpu": 1}


def plan(dice: Dice) -> dict[str, Any]:
    turn = dice.some(0, 0, 200)
    unit = dice.some(0, 7, 40) if turn else 0
    cpu = PeSpec(dice.rate(), dice.some(0, 0, 6), dice.time_ns(), turn, unit)
    return {"cpu": cpu, "service": dice.service(), "cores": dice.some(0, 1, 1, 2, 3)}
