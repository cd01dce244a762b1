"""RAID units of I/O nodes, behind a buffer cache (:mod:`simulator.config.caches`).

The times of a unit are known when a request is made. Not modelled: its disks one by one, parity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from simulator.config.errors import Fault
from simulator.config.part import Part, spec_of
from simulator.config.quantities import Rate, Size, Time
from simulator.config.rates import Names
from simulator.config.section import default
from simulator.config.sources import FREE, STILL
from simulator.kinds.dice import Dice
from simulator.kinds.parts.raid.spec import RaidSpec
from simulator.units import Nanoseconds, format_size

DRAWN_BLOCKS = (8, 32, 100)
"""Bytes of a block of buffer caches that are drawn for tests."""


class Raid(Part):
    """A RAID unit: its disks as one volume, a cache of its own, and the bus in front of it."""

    uses = frozenset({"stage"})
    alone = True
    what = "RAID unit"
    order = "own"
    medium = True
    usable = False
    directed = False
    queues = ("disks", "bus")
    spec = RaidSpec
    roles = {"raid": 1}

    kind: Literal["raid"]
    """Which kind of part this is."""
    at: Names
    """The groups of nodes that have one."""
    rate: Rate
    """Sustained rate of its disks together."""
    overhead: Time = default(Nanoseconds(0), FREE)
    """Time of a request that does not follow the one before at once."""
    seek: Time = default(Nanoseconds(0), STILL)
    """Average seek, paid by a request that does not continue the one before."""
    rotation: Time = default(Nanoseconds(0), STILL)
    """Time of one rotation; half of it is lost after a seek or a pause."""
    cache: Size
    """Its own cache: written data are safe in it, and go to the disks later."""
    bus_rate: Rate
    """Rate of the bus between it and its node."""
    bus_overhead: Time = default(Nanoseconds(0), FREE)
    """Time of each request on the bus beside that of its bytes."""

    def faults_behind(self, block: int) -> Iterator[Fault]:
        """Find a cache that has no room for a block."""
        if self.cache < block:
            about = f"{format_size(self.cache)} does not hold a block of {format_size(block)}"
            yield ("cache",), f"{about}; write {format_size(block)} or more"

    def row(self) -> dict[str, Any]:
        """Return its specification."""
        return {"spec": spec_of(RaidSpec, self, turn_ns=self.rotation)}

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a unit whose cache is some blocks of its buffer cache."""
        spec = RaidSpec(
            rate=dice.rate(),
            overhead_ns=dice.some(0, 20, 500),
            seek_ns=dice.some(0, 100, 3000),
            turn_ns=dice.some(0, 61, 2000),
            cache=dice.some(*DRAWN_BLOCKS) * dice.some(0, 1, 2, 5, 100),
            bus_rate=dice.rate(),
            bus_overhead_ns=dice.some(0, 0, 20),
        )
        return {"spec": spec, "service": dice.service()}

    @staticmethod
    def drawn_keys(dice: Dice) -> dict[str, Any]:
        """Draw a cache that has room for a block."""
        return {"cache": dice.some("300 kB", "1 MB")}
