"""Outcomes of configurations: their targets, as far as they were looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from simulator.study.replications import Replicated

By = Literal["run", "short", "bound"]


@dataclass(frozen=True, slots=True)
class Measured:
    """A target in a state, as the runs of a configuration have it."""

    target: int
    """Its place in the file, from 0."""
    state: str
    figure: Replicated | None
    """ns, bytes per second, or bytes; None if a run has no such figure."""
    slack: float
    """The factor by which the judged figure is better than it has to be; below 1 it misses."""
    judged: float | None = None
    """The figure that is judged: that of the worst run, or the bound of a share of all runs."""
    busiest: str = ""
    """The busiest instance of a part in the first run made, and how busy it was."""
    by: By = "run"
    """``bound``: no run can have a better figure. ``short``: by a run that was made short."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A configuration, and its targets as far as they were looked at."""

    number: int
    measured: tuple[Measured, ...]
    complete: bool
    """All targets were looked at; else the last one is missed."""
    runs: int
    shortened: int = 0
    """Of the runs those that were made short, and multiplied."""
    happened: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    """Failures in the first run made of each load in each state: see :mod:`.happened`."""

    @property
    def slack(self) -> float:
        """That of the target that is nearest to be missed, or furthest missed."""
        return min((one.slack for one in self.measured), default=math.inf)

    @property
    def meets(self) -> bool:
        """True if all targets are met."""
        return self.complete and self.slack >= 1

    @property
    def binding(self) -> Measured:
        """The target that is nearest to be missed."""
        return min(self.measured, key=lambda one: one.slack)
