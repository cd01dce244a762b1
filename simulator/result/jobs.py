"""The processes of a run added up by job: a summary of fixed size for any number of processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.result.latency import Latency, Steady
from simulator.result.processes import spent_json
from simulator.result.result import Stable, Transfer, per_second, transfer_of
from simulator.workload.traced import owner_of

if TYPE_CHECKING:
    from simulator.result.result import PhaseResult, ProcessResult, Result


@dataclass(slots=True)
class JobResult:
    """All processes of one job; members that share a process's data are left out."""

    name: str
    processes: list[ProcessResult] = field(default_factory=list)
    stable: Stable | None = None
    """Bytes of its files on stable storage; None if other jobs also wrote to them."""
    arrived: ArrivalResult | None = None
    """Its arrivals and their times; None if it has none."""
    phases: list[PhaseResult] = field(default_factory=list)
    """Its phases, as the workload defines them; none for listed calls."""
    latencies: Mapping[str, Latency] = field(default_factory=dict)
    """By operation; empty where they are not counted by job."""

    @property
    def started_ns(self) -> int:
        """Start of its first process."""
        return min((one.started_ns for one in self.processes), default=0)

    @property
    def ended_ns(self) -> int:
        """End of its last process."""
        return max((one.ended_ns for one in self.processes), default=0)

    @property
    def elapsed_ns(self) -> int:
        """Time from its first start to its last end."""
        return self.ended_ns - self.started_ns

    @property
    def time_ns(self) -> int:
        """Elapsed times of its processes, added up."""
        return sum(one.elapsed_ns for one in self.processes)

    @property
    def compute_ns(self) -> int:
        """Computing times of its processes, added up."""
        return sum(one.compute_ns for one in self.processes)

    @property
    def idle_ns(self) -> int:
        """Idle times of its processes, added up."""
        return sum(one.idle_ns for one in self.processes)

    @property
    def clients(self) -> int:
        """Number of clients that issue requests on behalf of the processes that submitted them."""
        return sum(owner_of(one.name) != one.name for one in self.processes)

    @property
    def busy_ns(self) -> int:
        """Its process time without idle time: the base of shares."""
        return self.time_ns - self.idle_ns

    def transfer(self, work: str) -> Transfer:
        """Return the data that its processes read, or wrote, together.

        The window of a job with arrivals is its elapsed time.
        """
        made = together(transfer_of(one, work) for one in self.processes)
        if self.arrived is not None and made.begin_ns >= 0:
            made.begin_ns, made.end_ns = self.started_ns, self.ended_ns
            made.apart = True
        return made

    def reached(self) -> StableData | None:
        """Return the part of its written data on stable storage; None if unknown."""
        written = self.transfer("write")
        if self.stable is None or written.begin_ns < 0:
            return None
        return reached(written, [self.stable])

    def spent(self) -> dict[str, tuple[int, int]]:
        """Account category -> (waiting ns, service ns) of all its processes."""
        return added_up(self.processes)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON record."""
        return {
            "processes": len(self.processes) - self.clients,
            "started_ns": self.started_ns,
            "elapsed_ns": self.elapsed_ns,
            "time_ns": self.time_ns,
            "read": self.transfer("read").to_json(),
            "write": self.transfer("write").to_json(),
            "stable": None if (came := self.reached()) is None else came.to_json(),
            "arrivals": None if self.arrived is None else self.arrived.to_json(),
            **self._phases(),
            **self._latencies(),
            "where": {
                "compute_ns": self.compute_ns,
                "idle_ns": self.idle_ns,
                "columns": spent_json(self.spent()),
            },
        }

    def _phases(self) -> dict[str, Any]:
        """Return the record of its phases; empty if it has none."""
        many, arrive = len(self.processes), self.arrived is not None
        made = [one.to_json(many, arrive=arrive) for one in self.phases]
        return {"phases": made} if made else {}

    def _latencies(self) -> dict[str, Any]:
        """Return the record of its latencies; empty if they are not counted by job."""
        made = {operation: one.to_json() for operation, one in sorted(self.latencies.items())}
        return {"latencies": made} if made else {}


def by_job(result: Result) -> list[JobResult]:
    """Return the jobs of a run, in the order of their first processes."""
    jobs = _without_stable(result)
    _find_stable(result, [job for job in jobs if job.transfer("write").bytes])
    return jobs


def by_node(result: Result, group: str, job: JobResult | None = None) -> list[JobResult]:
    """Return what the processes on each node of a group did, of all jobs or of one."""
    nodes: dict[int, JobResult] = {}
    for one in [job] if job is not None else _without_stable(result):
        for process in one.processes:
            if process.node[0] == group:
                on = nodes.setdefault(process.node[1], JobResult(group))
                on.processes.append(process)
                on.arrived = on.arrived or one.arrived
    return [nodes[number] for number in sorted(nodes)]


def phase_times_ns(result: Result) -> dict[str, float]:
    """Return the mean time of a process in each phase, by job and position: ``copy.0``."""
    return {
        f"{job.name}.{one.label}": one.mean_ns(len(job.processes))
        for job in _without_stable(result)
        for one in job.phases
    }


def _without_stable(result: Result) -> list[JobResult]:
    jobs: dict[str, JobResult] = {}
    for one in result.masters():
        jobs.setdefault(one.job, JobResult(one.job)).processes.append(one)
    for phase in result.phases:
        jobs[phase.job].phases.append(phase)
    for job in jobs.values():
        job.latencies = result.job_latencies.get(job.name, {})
        if job.name in result.responses:
            job.arrived = arrived(result, job.processes, job.name)
    return list(jobs.values())


def _find_stable(result: Result, writing: list[JobResult]) -> None:
    """Set for each job the bytes of its files on stable storage; a single job has written all."""
    for job in writing:
        if len(writing) == 1:
            job.stable = Stable()
            for one in result.stable.values():
                job.stable.add(one.bytes, one.last_ns)
        elif not result.stable.get("", Stable()).bytes:
            job.stable = result.stable.get(job.name, Stable())


def added_up(processes: list[ProcessResult]) -> dict[str, tuple[int, int]]:
    """Add up the accounts of processes: category -> (waiting ns, service ns), sorted."""
    spent: dict[str, tuple[int, int]] = {}
    for one in processes:
        for column, (wait, service) in one.spent.items():
            before = spent.get(column, (0, 0))
            spent[column] = before[0] + wait, before[1] + service
    return dict(sorted(spent.items()))


MIN_COVERAGE = 0.9
"""Minimum fraction of the window of all processes that the window of one covers for its time in
calls to represent all."""


def together(transfers: Iterable[Transfer]) -> Transfer:
    """Return the combined transfer of several processes, in a window that contains all of theirs.

    Its times in calls, and in calls, syncs and closes, are each the longest of one process; they
    represent all only if its window covers nearly all of the combined one.
    """
    made = [one for one in transfers if one.begin_ns >= 0]
    if not made:
        return Transfer()
    calls = max(one.calls_ns for one in made)
    longest = max(made, key=lambda one: one.io_ns)
    begin, end = min(one.begin_ns for one in made), max(one.end_ns for one in made)
    return Transfer(
        bytes=sum(one.bytes for one in made),
        calls_ns=calls,
        begin_ns=begin,
        end_ns=end,
        beside_ns=longest.io_ns - calls,
        failed_bytes=sum(one.failed_bytes for one in made),
        apart=longest.elapsed_ns < MIN_COVERAGE * (end - begin) or any(one.apart for one in made),
    )


@dataclass(frozen=True, slots=True)
class StableData:
    """Written data on stable storage."""

    bytes: int
    elapsed_ns: int
    """From the begin of the writing until the last byte was stable; 0 if none was."""

    @property
    def rate(self) -> float:
        """Bytes per second; 0 for nothing."""
        return per_second(self.bytes, self.elapsed_ns)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON record; the rate in MB (10^6 bytes) per second."""
        return {
            "bytes": self.bytes,
            "elapsed_ns": self.elapsed_ns,
            "rate_MBps": round(self.rate / 1e6, 6),
        }


def reached(written: Transfer, stable: Iterable[Stable]) -> StableData:
    """Return the stable part of the data written in a window."""
    came = [one for one in stable if one.bytes]
    last = max((one.last_ns for one in came), default=written.begin_ns)
    return StableData(sum(one.bytes for one in came), last - written.begin_ns)


STABILITY_MARGIN = 0.02
"""Distance of a load from 1 within which stability is undetermined."""


@dataclass(frozen=True, slots=True)
class ArrivalResult:
    """The arrivals of a job."""

    response: Latency
    """Time from an arrival to the completion of its work."""
    served_ns: int
    """Time during which its processes served arrivals, added up."""
    processes: int
    gap_ns: int
    """Mean time between two arrivals in the workload; 0 for given times."""
    steady: Steady | None = None
    """Mean response time without the warm-up; None if not computed."""
    most_per_s: float | None = None
    """Maximum sustainable arrival rate per second, from a run whose queue is never empty; None if
    unknown."""

    @property
    def waited_ns(self) -> int:
        """Time for which arrivals have waited for a process, added up."""
        return self.response.sum_ns - self.served_ns

    @property
    def load(self) -> float | None:
        """Return the arrival rate over the maximum one; None if either is unknown."""
        if not self.gap_ns or not self.most_per_s:
            return None
        return 1e9 / (self.gap_ns * self.most_per_s)

    @property
    def stable(self) -> bool | None:
        """Return whether the machine sustains the arrivals; None if unknown or undetermined."""
        if self.load is None or abs(self.load - 1) < STABILITY_MARGIN:
            return None
        return self.load < 1

    def to_json(self) -> dict[str, Any]:
        """Return the JSON record; times in ns."""
        return {
            "every_ns": self.gap_ns or None,
            "load": None if self.load is None else round(self.load, 9),
            "stable": self.stable,
            "most_per_s": None if self.most_per_s is None else round(self.most_per_s, 6),
            "waited_ns": self.waited_ns,
            **({"steady": self.steady.to_record()} if self.steady is not None else {}),
            "response": self.response.to_json(),
        }


def arrived(result: Result, processes: list[ProcessResult], job: str) -> ArrivalResult:
    """Return the arrivals of a job that these processes have served."""
    served = sum(one.elapsed_ns - one.idle_ns for one in processes)
    gap = result.gaps_ns.get(job, 0)
    return ArrivalResult(
        result.responses[job],
        served,
        len(processes),
        gap,
        result.steady.get(job),
        result.most_per_s.get(job),
    )


def moved(result: Result, work: str) -> Transfer:
    """Return the data that all processes of a run read, or wrote, together."""
    if not result.responses:  # Windows of jobs with arrivals are longer than their transfers.
        return together(transfer_of(one, work) for one in result.masters())
    return together(job.transfer(work) for job in _without_stable(result))


def reached_by(result: Result) -> StableData | None:
    """Return the stable part of all written data; None if nothing was written."""
    written = moved(result, "write")
    return reached(written, result.stable.values()) if written.begin_ns >= 0 else None


def still_dirty(result: Result) -> dict[str, int]:
    """Return the stores with dirty data at the end, and the number of bytes."""
    sizes: dict[str, int] = {}
    for one in result.stores.values():
        if size := one.counts.get("dirty_bytes", 0):
            sizes[one.store] = sizes.get(one.store, 0) + size
    return sizes


class RemainingWork(NamedTuple):
    """Work remaining after the last process of a run has ended."""

    dirty: int = 0
    """Bytes that are in memory only, even at the end of the run."""
    behind_ns: int = 0
    """Time for which stores continue to write back."""

    @classmethod
    def of(cls, result: Result) -> RemainingWork:
        """Return the remaining work of a run."""
        dirty = sum(still_dirty(result).values())
        return cls(dirty, max(0, result.end_ns - result.elapsed_ns))

    def beyond(self, other: RemainingWork) -> RemainingWork:
        """Return the excess over that of another run."""
        return RemainingWork(
            max(0, self.dirty - other.dirty), max(0, self.behind_ns - other.behind_ns)
        )


NO_REMAINING_WORK = RemainingWork()


def computing_share(result: Result, waiting: str, job: str = "") -> float:
    """Return the fraction of the time of all processes, or those of a job, that is computing.

    Time in which they wait for each other (account category ``waiting``) or are idle is excluded; 0
    without any time.
    """
    masters = [one for one in result.masters() if job in ("", one.job)]
    waits = sum(one.idle_ns + sum(one.spent.get(waiting, (0, 0))) for one in masters)
    busy = sum(one.elapsed_ns for one in masters) - waits
    return sum(one.compute_ns for one in masters) / busy if busy > 0 else 0.0
