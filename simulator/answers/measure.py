"""What of a run counts: how long it takes, how long one job takes, or an arrival of a job.

Of jobs that arrive the elapsed time says nothing: they end when the last one has come. What counts
is how long each of them takes, on the average, with the time that 95 % stay within beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from simulator.errors import InputError
from simulator.result.jobs import by_job

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.config.workload_file import Workload
    from simulator.result.latency import Latency
    from simulator.result.result import Result

MOST_JOBS = 4
"""Jobs that are asked about if there is no ``--job``; the first of more."""


class Timed(NamedTuple):
    """The time that counts of one run."""

    time_ns: int
    p95_ns: int | None = None
    """95 % of the arrivals take at most this long; None of what does not arrive."""


class Measure(NamedTuple):
    """What counts."""

    job: str = ""
    """Empty: the whole run."""
    arrives: bool = False

    @property
    def key(self) -> str:
        """The name of the time, for programs."""
        return "response_ns" if self.arrives else "elapsed_ns"

    @property
    def subject(self) -> str:
        """What takes so long, in a sentence."""
        name = self.job or "the run"
        return f"an arrival{f' of {self.job}' if self.job else ''}" if self.arrives else name

    def of(self, result: Result) -> Timed:
        """Return the time that counts of a run."""
        if self.arrives:
            latencies = result.responses if self.job else result.latencies
            one = latencies.get(self.job or "job")
            return Timed(0, 0) if one is None else Timed(round(one.mean_ns), _late(one))
        if not self.job:
            return Timed(result.elapsed_ns)
        return Timed(sum(job.elapsed_ns for job in by_job(result) if job.name == self.job))

    def to_record(self) -> dict[str, str | None]:
        """Return the record for programs."""
        return {"measure": self.key, "job": self.job or None}


def _late(one: Latency) -> int:
    return one.quantile_ns(0.95)


WHOLE = Measure()


def whole(result: Result) -> Measure:
    """Return what counts of a whole run: if all jobs arrive, how long their arrivals take."""
    jobs = {one.job for one in result.masters()}
    return Measure(arrives=bool(jobs) and jobs <= set(result.responses))


def measure_of(result: Result, job: str | None) -> Measure:
    """Return what counts of a run, or of the job that was asked for; InputError if it has none."""
    if job is None:
        return whole(result)
    names = list(dict.fromkeys(one.job for one in result.masters()))
    if job not in names:
        known = ", ".join(names[:20])
        raise InputError(f"--job {job}: the run has no such job; it has {known}")
    return Measure(job, job in result.responses)


def measures_of(result: Result, workload: Workload | None) -> Iterator[Measure]:
    """Yield what counts of each job that the workload names, if there are several."""
    names = {one.name for one in workload.jobs} if workload is not None else set[str]()
    jobs = [job.name for job in by_job(result) if job.name in names]
    if len(jobs) > 1:
        yield from (Measure(name, name in result.responses) for name in jobs[:MOST_JOBS])


def more_jobs(result: Result, asked: Iterable[Measure]) -> int:
    """Return how many jobs there are beside those asked about."""
    return len({one.job for one in result.masters()}) - len({one.job for one in asked})
