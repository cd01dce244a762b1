"""Maximum arrival rate of a machine: the throughput of a run whose queue is never empty.

All arrivals are queued at the start, so that the processes are never idle. Their completion rate is
the largest sustainable arrival rate (the saturation rule of queues; Baccelli and Foss, J. Appl.
Prob. 32, 1995). It is the slope between a run of half of the arrivals and one of all, so that the
first and last ones cancel; where the rates of both runs differ (filling caches, positions on a
disk, few arrivals) no rate is reported.

Not modelled: several jobs with arrivals, or one beside other jobs. No rate is reported for these,
nor for machines with events, nor where written data had not reached the devices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.plan.codes import FIXED
from simulator.result.jobs import still_dirty

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

LEAST_ROUNDS = 10
"""Minimum arrivals per process; with fewer, the first and the last ones weigh too much."""
MOST_APART = 0.05
"""Maximum relative difference of the rates of both halves."""
MOST_EVENTS = 20_000_000
"""Maximum events of a run for which it is computed, since that takes as long again: some
seconds."""


def most_per_s(plan: Plan, result: Result, run: Callable[[Plan], Result]) -> float | None:
    """Return the maximum sustainable arrival rate per second of a machine.

    None if unknown. ``result``: the result of the plan; ``run`` runs another plan.
    """
    processes = result.masters()
    if len(plan.arrivals) != 1 or {one.job for one in processes} != set(result.responses):
        return None
    (arrivals,) = plan.arrivals
    many, least = arrivals.count, LEAST_ROUNDS * len(processes)
    if many < least or result.states or plan.events:
        return None
    if result.events * result.slowness > MOST_EVENTS:
        return None
    times = []
    for count in (many // 2, many):
        at_once = replace(arrivals, kind=FIXED, count=count, gap_ns=0, first_ns=0, times=())
        done = run(replace(plan, arrivals=(at_once,)))
        if still_dirty(done) or done.end_ns > (1 + MOST_APART) * done.elapsed_ns:
            return None
        times.append(done.elapsed_ns)
    half, whole = times
    if not 0 < half < whole:
        return None
    first, second = many // 2 / half, (many - many // 2) / (whole - half)
    return second * 1e9 if abs(first / second - 1) <= MOST_APART else None
