"""Processors: what copying and calling cost a process."""

from __future__ import annotations

from typing import Any

from simulator.plan.specs.pe import PeSpec
from tests.composed.dice import Dice

ROLES = {"cpu": 1}


def plan(dice: Dice) -> dict[str, Any]:
    cpu = PeSpec(dice.rate(), dice.some(0, 0, 6), dice.time_ns(), dice.some(0, 0, 200))
    return {"cpu": cpu, "service": dice.service()}
