"""Services to calculate with: each has another round number of ns for a byte and an overhead."""

from __future__ import annotations

import math

from simulator.machine.disk import DiskSpec
from simulator.machine.station import ServiceSpec

UNIT = 100
TRIGGERS = ("mark", "eager", "close", "rewrite")


def per_byte(ns: float, overhead_ns: int = 0) -> ServiceSpec:
    """A service of ``ns`` for a byte; 0 for one that only has an overhead."""
    return ServiceSpec(1e9 / ns if ns else math.inf, overhead_ns)


PORT = per_byte(2, 5)
READ_CHANNEL = per_byte(3, 20)
WRITE_CHANNEL = per_byte(4, 30)
PATH = per_byte(6, 40)
DISK = DiskSpec(rate=1e9 / 8, overhead_ns=50, seek_ns=700, turn_ns=600)
POSITIONING = 700 + 600 // 2
