"""Tape drives: another file than before has to be mounted first."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import READ, Device, rate_of, services
from simulator.config.quantities import Time
from simulator.config.rates import Rates, Times, time_of
from simulator.config.section import default
from simulator.config.sources import FREE
from simulator.kinds.dice import Dice
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.units import Nanoseconds


class Tape(Device):
    """A tape drive: another file than before has to be mounted first."""

    synonyms = {"seek": "mount", "drives": "count"}
    what = "tape drive"
    medium = True
    fails = True
    counted = True
    spec = DiskSpec
    roles = {"device": 1}

    kind: Literal["tape"]
    """Which kind of part this is."""
    rate: Rates
    """Rate of the drive, or one rate for reading and one for writing."""
    mount: Time
    """Time until a tape is ready."""
    overhead: Times = default(Nanoseconds(0), FREE)
    """Time of one request beside mount and transfer, or one for reading and one for writing."""

    def row(self) -> dict[str, Any]:
        """Return a disk without seeks, whose mount is paid by each other file."""
        overhead = time_of(self.overhead, READ)
        spec = DiskSpec(rate=rate_of(self.rate, READ), overhead_ns=overhead, mount_ns=self.mount)
        return {"spec": spec, **services(self.rate, self.overhead)}

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a drive."""
        spec = DiskSpec(
            rate=1e9 / dice.some(1, 2, 6), overhead_ns=dice.some(0, 20), mount_ns=dice.some(0, 900)
        )
        writes = dice.service() if dice.maybe(30) else None
        return {"spec": spec, "service": spec.transfer(), "writes": writes}
