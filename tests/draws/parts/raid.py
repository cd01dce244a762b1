"""RAID units behind a buffer cache: drawn with that (draws/plans/pieces.py), in its blocks."""

from __future__ import annotations

from typing import Any

from simulator.plan.specs.raid import RaidSpec
from tests.draws.dice import Dice

ROLES = {"raid": 1}
BLOCKS = (8, 32, 100)
"""Bytes of a block of buffer caches."""


def plan(dice: Dice) -> dict[str, Any]:
    raid = RaidSpec(
        rate=dice.rate(),
        overhead_ns=dice.some(0, 20, 500),
        seek_ns=dice.some(0, 100, 3000),
        turn_ns=dice.some(0, 61, 2000),
        cache=dice.some(*BLOCKS) * dice.some(0, 1, 2, 5, 100),
        bus_rate=dice.rate(),
        bus_overhead_ns=dice.some(0, 0, 20),
    )
    return {"raid": raid, "service": dice.service()}


def section(dice: Dice) -> dict[str, Any]:
    """Draw a cache that has room for a block."""
    return {"cache": dice.some("300 kB", "1 MB")}
