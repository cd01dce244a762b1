"""Targets: their figures of a run, how good these are, and the rule by which several runs meet one.

Without a ``probability`` in the requirement each of the runs that are made has to meet each target,
and a figure is that of the worst. That N runs of N do shows, at the confidence C, that at least
(1 - C)^(1/N) of all runs do: the largest share of which N runs in a row would still be a chance of
1 - C. With a ``probability`` targets are judged together: :mod:`simulator.sizing.probability`.

Not modelled: means. Half of the runs miss a target that the mean run just meets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from simulator.config.requirement_file import AT_MOST
from simulator.config.requirement_targets import MORE_TIMES
from simulator.result.jobs import JobResult, by_job, by_node, moved, reached_by
from simulator.result.queues import stays_of
from simulator.result.result import Result, transfer_of
from simulator.study.replications import Replicated

if TYPE_CHECKING:
    from simulator.config.requirement_file import Target
    from simulator.result.latency import Latency
    from simulator.result.totals import Totals
    from simulator.sizing.probability import Probability

REPLICATIONS = 5
"""Runs that have to meet each target, if the user says nothing."""

_COLUMNS = {
    "elapsed": "elapsed_s",
    "end": "end_s",
    "read_time": "read_s",
    "write_time": "write_s",
    "read": "read_MBps",
    "write": "write_MBps",
    "stable": "stable_MBps",
}
"""The columns of a sweep that figures of targets are like, of which a model's error is known."""


# -- figures --------------------------------------------------------------------------------------


def figure_of(target: Target, result: Result) -> float | None:
    """Return a target's figure of a run, in ns or bytes per second; None if the run has none."""
    job = None
    if target.job is not None:
        job = next((one for one in by_job(result) if one.name == target.job), None)
        if job is None:
            return None
    if target.node is None:
        return _FIGURES[target.figure](result, job)
    nodes = by_node(result, target.node, job)
    found = [_FIGURES[target.figure](result, one) for one in nodes]
    slowest = max if target.figure in AT_MOST else min
    return slowest((one for one in found if one is not None), default=None)


def meets(target: Target, figure: float) -> bool:
    """Return whether a figure is as the target has it."""
    return slack(target, figure) >= 1


def slack(target: Target, figure: float) -> float:
    """Return how many times better than it has to be a figure is; below 1 it misses the target."""
    if target.figure in AT_MOST:
        return target.limit / figure if figure > 0 else float("inf")
    return figure / target.limit


def margin(target: Target, slack: float) -> float:
    """Return how much a figure of this slack has to spare, as a part of the target.

    Below 0 it misses. Times: 1 - figure / limit; rates and capacities: figure / limit - 1.
    """
    if target.figure in AT_MOST:
        return 1 - 1 / slack if slack > 0 else float("-inf")
    return slack - 1


def name_of(target: Target) -> str:
    """Name a target's figure of a run."""
    figure = target.figure if target.node is None else f"{target.figure}@{target.node}"
    return figure if target.job is None else f"{target.job}:{figure}"


def column_of(target: Target) -> str:
    """Return the column of a sweep that a target's figure is like; empty if there is none."""
    return _COLUMNS.get(target.figure, "")


def weighted(shares: list[tuple[float, float]]) -> float | None:
    """Return the mean of figures by their weights; None without any."""
    weight = sum(one for one, _ in shares)
    return sum(one * figure for one, figure in shares) / weight if weight else None


def _mean_time(work: str, result: Result, job: JobResult | None) -> float | None:
    if job is None:
        return result.mean_calls_ns(work) or None
    return fmean(transfer_of(one, work).calls_ns for one in job.processes) or None


def _rate(work: str, result: Result, job: JobResult | None) -> float | None:
    return (moved(result, work) if job is None else job.transfer(work)).io_rate or None


def _stable(result: Result, job: JobResult | None) -> float | None:
    came = reached_by(result) if job is None else job.reached()
    return came.rate or None if came is not None else None


def _latency(figure: str, result: Result, job: JobResult | None) -> float | None:
    operation, _, part = figure.rpartition("_")
    found: Latency | None
    if operation == "job" and result.queues:
        found = stays_of(result.queues, "" if job is None else job.name)
    elif operation == "job" and job is not None:
        found = result.responses.get(job.name)
    else:
        latencies = result.latencies if job is None else result.latencies_of(job.name)
        found = None if latencies is None else latencies.get(operation)
    if found is None or not found.count:
        return None
    return found.mean_ns if part == "mean" else found.quantile_ns(int(part[1:]) / 100)


Figure = Callable[[Result, JobResult | None], float | None]
_LATENCIES: dict[str, Figure] = {figure: partial(_latency, figure) for figure in MORE_TIMES}
_FIGURES: dict[str, Figure] = {
    "elapsed": lambda result, job: (result if job is None else job).elapsed_ns,
    "end": lambda result, _: result.end_ns,
    "read_time": partial(_mean_time, "read"),
    "write_time": partial(_mean_time, "write"),
    "read": partial(_rate, "read"),
    "write": partial(_rate, "write"),
    "stable": _stable,
    **_LATENCIES,
}


_TOTALS: dict[str, Callable[[Totals], float | None]] = {
    "elapsed": lambda totals: totals.elapsed_ns,
    "end": lambda totals: totals.end_ns,
    "read_time": lambda totals: totals.read_calls_ns or None,
    "write_time": lambda totals: totals.write_calls_ns or None,
    "read": lambda totals: totals.read.io_rate or None,
    "write": lambda totals: totals.written.io_rate or None,
    "stable": lambda totals: (came.rate or None) if (came := totals.reached) else None,
}
"""Figures that need no whole result."""


def is_of_totals(target: Target) -> bool:
    """Return whether a target's figure follows from the totals of a run."""
    return target.job is None and target.node is None and target.figure in _TOTALS


def figure_of_totals(target: Target, totals: Totals) -> float | None:
    """Return what :func:`figure_of` does of the result."""
    return _TOTALS[target.figure](totals)


# -- outcomes -------------------------------------------------------------------------------------


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
    """The figure that is judged: that of the worst run, or what a share of the runs reaches."""
    busiest: str = ""
    """The busiest instance of a part in the first run made, and how busy it was."""
    needs: float = 1.0
    """The slack that it has to have: 1, or more where the model's error counts."""
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
    partial: bool = False
    """Not all states were looked at, since one misses a target clearly."""
    shortened: int = 0
    """Runs that were made short, and multiplied."""
    happened: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    """Failures in the first run made of each load in each state: see :mod:`.happened`."""

    probability: Probability | None = None
    """The probability that a machine of it meets all targets, if that was looked at,"""
    wanted: float | None = None
    """and what it has to be; None: each run has to meet each target."""

    @property
    def slack(self) -> float:
        """Slack of the target that is nearest to be missed, over what that has to be."""
        return min((one.slack / one.needs for one in self.measured), default=math.inf)

    @property
    def meets(self) -> bool:
        """True if all targets are met, each in each run or together with the probability."""
        if self.wanted is None or not self.complete:
            return self.complete and self.slack >= 1
        return self.probability is not None and self.probability.estimate >= self.wanted


# -- several runs ---------------------------------------------------------------------------------


def shown(confidence: float, runs: int) -> float:
    """Return the share of all runs that meets a target at least, if all that were made do.

    >>> round(shown(0.95, 5), 3)
    0.549
    """
    return float((1 - confidence) ** (1 / runs))


def is_missed(target: Target, values: Sequence[float | None]) -> bool:
    """Return whether a run misses a target, or has no such figure."""
    return not all(one is not None and meets(target, one) for one in values)


def measured_of(
    at: tuple[int, str], target: Target, values: Sequence[float | None], judged: Judged
) -> Measured:
    """Return what runs say of a target; ``at``: its place in the file, and the state."""
    known = tuple(one for one in values if one is not None)
    if not known or len(known) < len(values):
        return Measured(*at, None, 0.0, needs=judged.needs)
    figure = Replicated(known, judged.confidence, varies=len(known) > 1)
    ordered = sorted(known, reverse=target.figure in AT_MOST)
    one = ordered[int((1 - judged.share) * len(known))]
    return Measured(*at, figure, slack(target, one), judged=one, needs=judged.needs)


class Judged(NamedTuple):
    """The run by which a target is judged, and the slack that it has to have."""

    confidence: float
    """Of the interval of the figure."""
    share: float = 1.0
    """So many of the runs are as good or better: all, if it is the worst."""
    needs: float = 1.0
