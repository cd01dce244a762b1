"""A barrier of the processes of a job."""

from __future__ import annotations

from typing import Literal

from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Phase
from simulator.plan import codes


class Barrier(Phase):
    """Wait until all processes of the job have come here."""

    rank = 2
    meets = True
    restarts = True

    do: Literal["barrier"]
    """What it does."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add a barrier."""
        process.add(codes.BARRIER, offset=process.barrier())
