"""Computing: neither input nor output."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Faults, Phase, Spot
from simulator.config.quantities import Percent, Time, word_or
from simulator.config.section import leaf_of
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan
from simulator.units import Nanoseconds

EXPONENTIAL = -1.0
Spread = Annotated[
    float, word_or("spread", leaf_of(Percent), {"exponential": EXPONENTIAL}, example="50 %")
]


class Compute(Phase):
    """Compute: neither input nor output."""

    rank = 1
    computes = True
    restarts = True
    timed = "time"
    whole = True
    later = Phase.later | {"of_run", "spread"}
    asked_for = frozenset(("time", "of_run"))

    do: Literal["compute"]
    """What it does."""
    time: Time | None = None
    """How long."""
    of_run: Percent | None = None
    """Instead, of a job with a log: how much of the run time that the log says."""
    spread: Spread | None = None
    """Each process draws its time, of this mean: its standard deviation as a percentage of the mean
    (lognormal), or exponential; all take the same if left out."""

    def faults(self, spot: Spot) -> Faults:
        """Find times that are missing, or there twice."""
        if self.time is None and self.of_run is None:
            yield ("time",), "is missing; write it like 'time: 2.5 ms'"
        elif self.time is not None and self.of_run is not None:
            yield (), "has both time and of_run; write one of them"
        elif self.of_run is not None and spot.job.log is None:
            yield ("of_run",), "is for jobs with a log; write 'time: 10 s', or a log"
        elif self.of_run is not None and self.spread is not None:
            yield ("spread",), "has no effect beside of_run; leave it out"

    @property
    def deviation(self) -> float | None:
        """The log-deviation of the drawn times, -1 for exponential ones, or None."""
        if not self.spread or self.spread < 0:
            return self.spread or None
        return math.sqrt(math.log1p(self.spread**2))

    @property
    def draws(self) -> bool:
        """Whether its time is drawn."""
        return self.deviation is not None

    def lower(self, process: ProcessBuilder) -> None:
        """Add a time of computing."""
        time = self.time
        if time is None:
            time = Nanoseconds(int(process.run_ns * (self.of_run or 0.0)))
        process.append(PhasePlan(kind=codes.COMPUTE, compute_ns=time))
        if (deviation := self.deviation) is not None:
            process.draw_time(deviation)
