"""Whether a question is asked of a whole run, of a shortened one, or only when it is wanted.

It depends on the work of the run, which is counted and not timed: the same command gives the same
report on any machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from simulator.answers.limits import MOST_MOVED, Limits, acting, asked_measures, limits_of

if TYPE_CHECKING:
    from simulator.answers.again import Again
    from simulator.answers.measure import Measure
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

SHORT = 5_000_000
"""Work of all runs of a question that is done without hesitation: a second of the native engine."""
LONG = 5 * SHORT
"""Work of all runs of a question that is done if nobody asked for it, but with a progress bar."""
_MAKING = 10_000
"""Work of making a run: settings, plan, result;"""
_MAKING_PROCESS = 200
"""and for each process."""
_REFERENCE = 30
"""Work of an event in the reference engine."""


class NotAsked(NamedTuple):
    """A question that was not asked, since its answer would take long."""

    runs: int
    """It would take at most so many runs."""


def work_of(result: Result) -> int:
    """Count the work of a run: events, blocks that stores look at, processes."""
    blocks = sum(
        one.counts.get("hits", 0) + one.counts.get("misses", 0) for one in result.stores.values()
    )
    work = result.events + blocks
    work *= _REFERENCE if result.engine == "reference" else 1
    return work + _MAKING + _MAKING_PROCESS * len(result.processes)


def ask_limits(
    again: Again,
    plan: Plan,
    result: Result,
    *,
    wanted: bool | None = None,
    job: str | None = None,
    progress: bool | None = None,
) -> Limits | NotAsked:
    """Ask what limits a run: of a shortened one if all runs together would take long.

    And each of its jobs, or only ``job``.

    A run that cannot be shortened is left whole if it is ``wanted``, or if all take some seconds
    (None); then ``progress`` shows a bar on standard error (None: if that is a terminal).
    """
    measures = asked_measures(again, result, job)
    runs = _runs(again, plan, result, measures)
    work = runs * work_of(result)
    if work <= SHORT:
        return limits_of(again, plan, result, job=job)
    from simulator.answers.shorter import shortened

    least = 2 if wanted else -(-work // LONG)
    less = shortened(again, result, -(-work // SHORT), least, measures)
    if less is not None:
        short = less.plan, less.result
        return limits_of(again, *short, job=job, shortened=less, progress=progress)
    if work > LONG and not wanted:
        return NotAsked(runs)
    return limits_of(again, plan, result, job=job, progress=progress)


def ask_wanted(
    again: Again,
    plan: Plan,
    result: Result,
    *,
    whole: bool,
    job: str | None = None,
    progress: bool | None = None,
) -> Limits:
    """Ask what limits a run, however long it takes; of the ``whole`` one if that is wanted."""
    if not whole:
        found = ask_limits(again, plan, result, wanted=True, job=job, progress=progress)
        assert not isinstance(found, NotAsked)
        return found
    measures = asked_measures(again, result, job)
    long = _runs(again, plan, result, measures) * work_of(result) > SHORT
    return limits_of(again, plan, result, job=job, progress=progress if long else False)


def _runs(again: Again, plan: Plan, result: Result, measures: Sequence[Measure]) -> int:
    """Return how many runs the question takes at most."""
    levers = len(acting(again.machine, plan, result, measures)[0])
    return levers + 2 * min(levers, MOST_MOVED * len(measures))
