"""Queues: equal servers, first come first served. Pools of threads are queues too."""

from __future__ import annotations

from typing import Any

from tests.draws.dice import Dice

ROLES = {"port": 3, "stage": 2, "work": 2, "device": 1, "sync": 2, "pool": 1, "lane": 1}


def plan(dice: Dice) -> dict[str, Any]:
    writes = dice.service() if dice.maybe(30) else None
    return {"service": dice.service(), "writes": writes, "servers": dice.some(1, 1, 1, 2, 3)}
