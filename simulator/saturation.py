"""The most arrivals per second that a machine completes: its run with a queue that is never empty.

All arrivals are there at the start, so that the processes always have one to take. The rate at
which these end is the largest at which jobs may arrive for good (the saturation rule of queues;
Baccelli and Foss, J. Appl. Prob. 32, 1995). It is the slope between a run of half of the arrivals
and one of all, so that neither the first nor the last ones count; where both runs differ (caches
that fill, places on a disk, few arrivals) there is no such rate, and none is told.

Not modelled: what several jobs that arrive, or one beside others, leave each other. There is no
rate of these, nor of machines with events, nor where what was written was not yet on its devices.
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
"""Arrivals of each process; with fewer, the first and the last ones are too large a part."""
MOST_APART = 0.05
"""Largest relative difference of the rates of both halves."""
MOST_EVENTS = 5_000_000
"""Of a run with more it is not asked, since that takes as long again: some seconds."""


def most_per_s(plan: Plan, result: Result, run: Callable[[Plan], Result]) -> float | None:
    """Return the largest number of arrivals per second that a machine keeps up with.

    None if that is not known. ``result``: that of the plan; ``run`` carries out another.
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
