"""What a ``disk`` with a scheduler, merging or a queue of its own is for the engines."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from simulator.kinds.dice import Dice
from simulator.kinds.parts.disk.section import Disk
from simulator.kinds.parts.scheduled.spec import SCHEDULERS, ScheduledSpec
from simulator.kinds.traits import PartTraits


class Scheduled(PartTraits):
    """A disk whose requests wait until they are chosen; in a machine file its kind is ``disk``."""

    what = "disk"
    order = "own"
    medium = True
    counted = True
    alone = True
    fails = True
    spec = ScheduledSpec
    roles = {"device": 2, "work": 1, "sync": 1}

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a disk, and a scheduler with small limits."""
        drawn = Disk.drawn(dice)
        disk = replace(drawn["spec"], mount_ns=dice.some(0, 0, 400))
        spec = ScheduledSpec(
            **{one.name: getattr(disk, one.name) for one in fields(disk)},
            policy=dice.int(0, len(SCHEDULERS) - 1),
            ncq=dice.some(1, 1, 2, 3, 8),
            merge=dice.some(0, 64, 1000, 1 << 20),
            read_expire_ns=dice.some(0, 100, 3000, 10**6),
            write_expire_ns=dice.some(0, 500, 3000, 10**7),
            writes_starved=dice.int(0, 3),
            fifo_batch=dice.some(1, 2, 16),
            slice_ns=dice.some(1, 300, 5000, 10**6),
            slice_idle_ns=dice.some(0, 0, 7, 200, 3000),
            budget=dice.some(1, 100, 3000, 1 << 20),
        )
        services = (drawn["service"], drawn["writes"])
        read, write = (one and replace(one, deeper=()) for one in services)
        return {"spec": spec, "service": read, "writes": write}
