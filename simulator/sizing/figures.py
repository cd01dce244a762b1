"""The figures of a target: what each is of a run, and whether it is as it has to be."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import TYPE_CHECKING

from simulator.config.requirement_file import TIMES
from simulator.result.jobs import JobResult, by_job, moved, reached_by
from simulator.result.result import transfer_of

if TYPE_CHECKING:
    from simulator.config.requirement_file import Target
    from simulator.result.latency import Latency
    from simulator.result.result import Result


def figure_of(target: Target, result: Result) -> float | None:
    """Return a target's figure of a run, in ns or bytes per second; None if the run has none."""
    job = None
    if target.job is not None:
        job = next((one for one in by_job(result) if one.name == target.job), None)
        if job is None:
            return None
    return _FIGURES[target.figure](result, job)


def meets(target: Target, figure: float) -> bool:
    """Return whether a figure is as the target has it."""
    return slack(target, figure) >= 1


def slack(target: Target, figure: float) -> float:
    """Return how many times better than it has to be a figure is; below 1 it misses the target."""
    if target.figure in TIMES:
        return target.limit / figure if figure > 0 else float("inf")
    return figure / target.limit


def margin(target: Target, slack: float) -> float:
    """Return how much a figure of this slack has to spare, as a part of the target.

    Below 0 it misses. Times: 1 - figure / limit; rates and capacities: figure / limit - 1.
    """
    if target.figure in TIMES:
        return 1 - 1 / slack if slack > 0 else float("-inf")
    return slack - 1


def name_of(target: Target) -> str:
    """Name a target's figure of a run."""
    return target.figure if target.job is None else f"{target.job}:{target.figure}"


def weighted(shares: list[tuple[float, float]]) -> float | None:
    """Return the mean of figures by their weights; None without any."""
    weight = sum(one for one, _ in shares)
    return sum(one * figure for one, figure in shares) / weight if weight else None


def _elapsed(result: Result, job: JobResult | None) -> float:
    return result.elapsed_ns if job is None else job.elapsed_ns


def _end(result: Result, _job: JobResult | None) -> float:
    return result.end_ns


def _mean_time(work: str) -> Callable[[Result, JobResult | None], float | None]:
    def of(result: Result, job: JobResult | None) -> float | None:
        if job is None:
            return result.mean_calls_ns(work) or None
        times = [transfer_of(one, work).calls_ns for one in job.processes]
        return fmean(times) or None

    return of


def _rate(work: str) -> Callable[[Result, JobResult | None], float | None]:
    def of(result: Result, job: JobResult | None) -> float | None:
        transfer = moved(result, work) if job is None else job.transfer(work)
        return transfer.io_rate or None

    return of


def _stable(result: Result, job: JobResult | None) -> float | None:
    came = reached_by(result) if job is None else job.reached()
    return came.rate or None if came is not None else None


def _latency(operation: str, part: float) -> Callable[[Result, JobResult | None], float | None]:
    def of(result: Result, job: JobResult | None) -> float | None:
        found: Latency | None = result.latencies.get(operation)
        if job is not None:
            found = result.responses.get(job.name)
        return found.quantile_ns(part) if found is not None and found.count else None

    return of


_FIGURES: dict[str, Callable[[Result, JobResult | None], float | None]] = {
    "elapsed": _elapsed,
    "end": _end,
    "read_time": _mean_time("read"),
    "write_time": _mean_time("write"),
    "read": _rate("read"),
    "write": _rate("write"),
    "stable": _stable,
} | {
    f"{operation}_p{part}": _latency(operation, part / 100)
    for operation in ("read", "write", "job")
    for part in (95, 99)
}
