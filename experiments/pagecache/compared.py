"""Experiments 2 to 4 compared with measurements, and the machine calibrated to experiment 1.

Their measurements were read after the machines and workloads had been frozen; neither was changed
since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from statistics import fmean
from typing import Any, TypeAlias

from simulator.study.studies import read_own

from .runs import (
    CALIBRATED,
    FOLDER,
    INSTANCES,
    OURS,
    PHASES,
    REMOTE,
    STEPS,
    PagecacheRuns,
)

WORKLOADS = {2: INSTANCES, 3: REMOTE}
WRENCH = "wrench_cache"
WAYS = ("read", "write")
EXPERIMENTS = ("1", "2: reads", "2: writes", "3: reads", "3: writes", "4")
"""Experiments with a mean error."""
Times: TypeAlias = Mapping[str, float]


@cache
def held_out() -> dict[Any, Any]:
    """Return the measurements of experiments 2 to 4, and WRENCH's results."""
    made: dict[Any, Any] = read_own((FOLDER / "held_out.yaml").read_text(encoding="utf-8"))
    return made


def counts(experiment: int) -> tuple[int, ...]:
    """Return the numbers of instances with measured times in experiment 2 or 3."""
    return tuple(held_out()[experiment]["measured"])


def of_instances(runs: PagecacheRuns, experiment: int, count: int) -> Times:
    """Return the mean simulated time of an instance in reads and writes; s."""
    phases = runs.instances(WORKLOADS[experiment], count).phases
    return {way: sum(phases[one] for one in PHASES[n::2]) for n, way in enumerate(WAYS)}


def errors_of_instances(
    simulated: Callable[[int], Times], experiment: int, way: str
) -> Iterator[float]:
    """Yield the relative error of the mean time of an instance, for each number of instances."""
    for count in counts(experiment):
        measured = fmean(held_out()[experiment]["measured"][count][way]) / count
        yield simulated(count)[way] / measured - 1


def by_wrench(experiment: int, count: int) -> Times:
    """Return the time of an instance by WRENCH with a page cache; s."""
    times: Times = held_out()[experiment][WRENCH][count]
    return {way: time / count for way, time in times.items()}


def errors_of_steps(simulated: Times) -> list[float]:
    """Return the relative error of each phase of experiment 4."""
    measured = held_out()[4]["measured"]
    return [simulated[step] / measured[step] - 1 for step in STEPS]


def percent(errors: Iterator[float] | list[float]) -> float:
    """Return the mean of absolute values, in %.

    >>> percent([0.1, -0.3])
    20.0
    """
    return 100 * fmean(map(abs, errors))


def calibrated(runs: PagecacheRuns) -> PagecacheRuns:
    """Return the same runs on the machine calibrated to experiment 1."""
    return PagecacheRuns(runs.engine, runs.work, runs.change, CALIBRATED)


def mean_errors(runs: PagecacheRuns) -> list[float]:
    """Return the mean errors: experiment 1; reads, writes of 2 and of 3; experiment 4; in %."""
    found = [runs.mean_error_percent(OURS)]
    for experiment in WORKLOADS:
        for way in WAYS:

            def simulated(count: int, of: int = experiment) -> Times:
                return of_instances(runs, of, count)

            found.append(percent(errors_of_instances(simulated, experiment, way)))
    return [*found, percent(errors_of_steps(runs.nighres().phases))]


def mean_errors_of_wrench(runs: PagecacheRuns) -> list[float]:
    """Return the mean errors of WRENCH with a page cache."""
    found = [runs.mean_error_percent(WRENCH)]
    for experiment in WORKLOADS:
        for way in WAYS:

            def simulated(count: int, of: int = experiment) -> Times:
                return by_wrench(of, count)

            found.append(percent(errors_of_instances(simulated, experiment, way)))
    return [*found, percent(errors_of_steps(held_out()[4][WRENCH]))]
