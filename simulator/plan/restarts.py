"""Jobs that fail and go on from their last checkpoint: when they fail, and what then passes.

The times of a job's failures do not depend on the run; both engines look at the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.mixing import mix
from simulator.plan.errors import LimitError
from simulator.plan.events import FOREVER, gap_ns
from simulator.plan.noise import stream_key

if TYPE_CHECKING:
    from simulator.plan.plan import Plan

MOST_IN_VAIN = 1_000
"""Maximum failures of a job between two complete checkpoints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartPlan:
    """A job whose processes fail together, and go on after the last round that all completed."""

    job: str
    processes: int
    """Number of its processes; they follow each other in the plan."""
    start_ns: int = 0
    """When the job starts."""
    times: tuple[int, ...] = ()
    """When it fails, in rising order; ns since the run began."""
    mean_ns: int = 0
    """Instead: the mean time between two failures of the job, exponential; 0: ``times``."""
    delay_ns: int = 0
    """Time from a failure, or from when the last process has stopped, until it goes on."""
    barriers: tuple[int, int] = (0, 0)
    """First of its barriers, and their number."""
    named: int = -1
    """Row of the named phase that lasts from a failure until the job computes again."""

    @property
    def stream(self) -> str:
        """Name of its random stream."""
        return f"restart {self.job}"


def key_of(plan: Plan, restart: RestartPlan) -> int:
    """Return the key of a job's random stream in the plan's run."""
    return stream_key(plan.seed, plan.run, restart.stream)


class FailureTimes:
    """The failures of a job, one after the other.

    >>> times = FailureTimes(RestartPlan(job="j", processes=1, times=(5, 9)), 0)
    >>> times.next_ns, times.take(), times.take(), times.next_ns == FOREVER
    (5, 5, 9, True)
    """

    def __init__(self, plan: RestartPlan, key: int) -> None:
        """``key``: the key of its random stream."""
        self._plan, self._key = plan, key
        self._number = 0
        self.next_ns = plan.start_ns
        """The next failure."""
        self._advance()

    def take(self) -> int:
        """Return the next failure, and find the one after it."""
        taken = self.next_ns
        self._advance()
        return taken

    def _advance(self) -> None:
        self._number += 1
        if self._plan.mean_ns:
            self.next_ns += gap_ns(self._plan.mean_ns, mix(self._key, self._number))
        else:
            later = self._plan.times[self._number - 1 : self._number]
            self.next_ns = later[0] if later else FOREVER


def in_vain(job: str) -> LimitError:
    """Return the error for a job that fails again and again before a checkpoint is complete."""
    return LimitError(f"failures of {job} between two checkpoints", times=MOST_IN_VAIN)
