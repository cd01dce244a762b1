"""Disks and tapes: one server that positions, or mounts."""

from __future__ import annotations

from typing import Any

from simulator.plan.specs.disk import DiskSpec
from tests.draws.dice import Dice
from tests.draws.values import LEFT_OUT

ROLES = {"device": 2, "work": 1, "sync": 1}


def plan(dice: Dice) -> dict[str, Any]:
    disk = _disk(dice)
    writes = dice.service() if dice.maybe(30) else None
    return {"disk": disk, "service": disk.transfer(), "writes": writes}


def section(dice: Dice) -> dict[str, Any]:
    """Draw a seek that grows with its distance, all keys of it, or none."""
    far = {"track_seek": "1 us", "full_seek": "2 ms", "capacity": dice.some("1 MB", "1 GB")}
    return {**far, "seek": LEFT_OUT} if dice.maybe(30) else dict.fromkeys(far, LEFT_OUT)


def _disk(dice: Dice) -> DiskSpec:
    far = dice.maybe(20) and not dice.exact
    return DiskSpec(
        rate=1e9 / dice.some(1, 2, 6, 10),
        overhead_ns=dice.some(0, 20),
        seek_ns=dice.some(0, 100, 500),
        turn_ns=dice.some(0, 60),
        mount_ns=dice.some(0, 0, 0, 900),
        capacity=10_000 if far else 0,
        track_seek_ns=10 if far else 0,
        full_seek_ns=700 if far else 0,
        rotation_drawn=dice.maybe(20) and not dice.exact,
    )
