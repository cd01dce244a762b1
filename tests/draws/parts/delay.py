"""Delays: each request takes its time, and nothing queues."""

from __future__ import annotations

from typing import Any

from tests.draws.dice import Dice

ROLES = {"port": 1, "stage": 1, "work": 2, "sync": 1}


def plan(dice: Dice) -> dict[str, Any]:
    writes = dice.service() if dice.maybe(30) else None
    return {"service": dice.service(), "writes": writes, "servers": dice.some(1, 1, 2, 3)}
