"""Processor sharing: all transfers under way share the rate equally."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from simulator.config.parts.base import BOTH, Device, Row
from simulator.config.quantities import Time
from simulator.config.rates import Load
from simulator.service import ServiceSpec
from simulator.units import Nanoseconds

SPEED_ONE = 1 << 20
"""What is written as 1.0 in ``PartPlan.speeds``."""


class Shared(Device):
    """A link or device whose rate all transfers under way share equally."""

    alone = True
    synonyms = {"latency": "overhead", "bandwidth": "rate", "sharing": "rate"}

    kind: Literal["shared"]
    """Which kind of part this is."""
    rate: Load
    """All transfers together; or the total by their number, linear between the numbers given."""
    overhead: Time = Nanoseconds(0)
    """What a transfer takes beside its bytes; it is shared as they are."""

    def rows(self) -> Iterator[Row]:
        """Return one row; its speeds are relative to a transfer alone."""
        alone, rates = self.rate.alone, self.rate.rates()
        speeds: tuple[int, ...] = ()
        if any(rate != alone for rate in rates):
            speeds = (SPEED_ONE, *(max(1, round(SPEED_ONE * rate / alone)) for rate in rates))
        service = ServiceSpec(alone, self.overhead)
        yield Row(BOTH, "shared", {"service": service, "speeds": speeds})
