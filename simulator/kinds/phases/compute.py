"""Computing: neither input nor output."""

from __future__ import annotations

from typing import Literal

from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Phase
from simulator.config.quantities import Time
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan


class Compute(Phase):
    """Compute: neither input nor output."""

    rank = 1
    computes = True
    timed = "time"
    whole = True

    do: Literal["compute"]
    """What it does."""
    time: Time
    """How long."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add a time of computing."""
        process.append(PhasePlan(kind=codes.COMPUTE, compute_ns=self.time))
