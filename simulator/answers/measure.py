"""The time of a run that counts: its own, that of one job, or that of an arrival of a job.

Of jobs that arrive the elapsed time says nothing: they end when the last one has come. What counts
is how long each of them takes, on the average, with the time that 95 % stay within beside it. So it
is of jobs of a queue, whose time begins when they are submitted; of clients that call a numerical
server for some time, which end when that is over: what counts is how long a call takes, and how
many end; and of a job that goes on until others end, a round.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from simulator.errors import InputError, did_you_mean
from simulator.result.jobs import by_job
from simulator.result.latency import Latency
from simulator.result.queues import stays_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.config.workload_file import Workload
    from simulator.result.result import Result

MOST_JOBS = 4
"""Jobs that are asked about if there is no ``--job``; the first of more."""


class Timed(NamedTuple):
    """The time that counts of one run."""

    time_ns: int
    p95_ns: int | None = None
    """95 % of the arrivals take at most this long; None of what does not arrive."""
    ended: int | None = None
    """Calls or rounds that have ended; None of arrivals, of which all do."""


class Measure(NamedTuple):
    """A measure: the time that counts."""

    job: str = ""
    """Empty: the whole run."""
    arrives: bool = False
    """True if each arrival counts, or each call or round of those that end when time is over."""
    each: str = "arrival"
    """Its noun: arrival, call, round or job (of a queue)."""

    @property
    def key(self) -> str:
        """The name of the time, for programs."""
        return "response_ns" if self.arrives else "elapsed_ns"

    @property
    def subject(self) -> str:
        """The subject of a sentence about the time."""
        name = self.job or "the run"
        if not self.arrives:
            return name
        article = "an" if self.each == "arrival" else "a"
        return f"{article} {self.each}{f' of {self.job}' if self.job else ''}"

    def of(self, result: Result) -> Timed:
        """Return the time that counts of a run."""
        if self.each == "call":
            return _calls(result, self.job)
        if self.each == "round":
            return _rounds(result, self.job)
        if self.each == "job":
            return _stays(result, self.job)
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


def _calls(result: Result, job: str) -> Timed:
    """Return the mean time of the calls of numerical servers, of a job or of all."""
    times = Latency()
    for call in result.numerical.of(job or None) if result.numerical is not None else ():
        times.add(call.elapsed_ns)
    return Timed(round(times.mean_ns), _late(times), times.count)


def _stays(result: Result, job: str) -> Timed:
    """Return the mean time from submission to end of jobs of queues, of a class or of all."""
    times = stays_of(result.queues, job)
    return Timed(round(times.mean_ns), _late(times))


def _rounds(result: Result, job: str) -> Timed:
    """Return the mean time in which a process of a job has gone through its phases once."""
    processes = [one for one in result.masters() if one.job == job]
    rounds = sum(one.rounds for one in processes)
    return Timed(sum(one.elapsed_ns for one in processes) // max(1, rounds), None, rounds)


WHOLE = Measure()


def whole(result: Result) -> Measure:
    """Return what counts of a whole run: if all jobs arrive, how long their arrivals take."""
    jobs = {one.job for one in result.masters()}
    if jobs and jobs <= _calling(result):
        return Measure(arrives=True, each="call")
    if any(queue.classes for queue in result.queues):
        return Measure(arrives=True, each="job")
    return Measure(arrives=bool(jobs) and jobs <= set(result.responses))


def _calling(result: Result) -> set[str]:
    """Return the jobs that call numerical servers until some time is over."""
    called = result.numerical
    if called is None or called.stock_ns >= called.end_ns:
        return set()
    makes = {call.process for call in called.calls}
    waits = [one for one in result.masters() if one.name in makes and one.idle_ns]
    return {one.job for one in waits}


def _of_job(result: Result, job: str) -> Measure:
    if job in _calling(result):
        return Measure(job, arrives=True, each="call")
    if any(job in queue.classes for queue in result.queues):
        return Measure(job, arrives=True, each="job")
    if any(one.rounds for one in result.masters() if one.job == job):
        return Measure(job, arrives=True, each="round")
    return Measure(job, job in result.responses)


def measure_of(result: Result, job: str | None) -> Measure:
    """Return what counts of a run, or of the job that was asked for; InputError if it has none."""
    if job is None:
        return whole(result)
    names = list(dict.fromkeys(one.job for one in result.masters()))
    if job not in names:
        raise InputError(f"--job {job}: the run has no such job; {did_you_mean(job, names)}")
    return _of_job(result, job)


def measures_of(result: Result, workload: Workload | None) -> Iterator[Measure]:
    """Yield what counts of each job that the workload names, if there are several."""
    names = {one.name for one in workload.jobs} if workload is not None else set[str]()
    jobs = [job.name for job in by_job(result) if job.name in names]
    if len(jobs) > 1:
        yield from (_of_job(result, name) for name in jobs[:MOST_JOBS])


def more_jobs(result: Result, asked: Iterable[Measure]) -> int:
    """Return how many jobs there are beside those asked about."""
    return len({one.job for one in result.masters()}) - len({one.job for one in asked})
