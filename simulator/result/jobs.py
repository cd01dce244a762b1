"""The processes of a run added up by job: what stays small when there are ten thousand of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.result.arrivals import Arrived, arrived
from simulator.result.result import Stable, Transfer, transfer_of
from simulator.result.windows import Reached, reached, together

if TYPE_CHECKING:
    from simulator.result.result import ProcessResult, Result


@dataclass(slots=True)
class JobResult:
    """All processes of one job together; members that share a process's data are left out."""

    name: str
    processes: list[ProcessResult] = field(default_factory=list)
    stable: Stable | None = None
    """What came of its files to stable storage; None if other jobs wrote to them, too."""
    arrived: Arrived | None = None
    """What arrived, and how long it took; None if it starts by itself."""

    @property
    def started_ns(self) -> int:
        """When its first process started."""
        return min((one.started_ns for one in self.processes), default=0)

    @property
    def ended_ns(self) -> int:
        """When its last process ended."""
        return max((one.ended_ns for one in self.processes), default=0)

    @property
    def elapsed_ns(self) -> int:
        """From its first start to its last end."""
        return self.ended_ns - self.started_ns

    @property
    def time_ns(self) -> int:
        """The elapsed times of its processes added up."""
        return sum(one.elapsed_ns for one in self.processes)

    @property
    def compute_ns(self) -> int:
        """The time that its processes computed, added up."""
        return sum(one.compute_ns for one in self.processes)

    @property
    def idle_ns(self) -> int:
        """The time that its processes had nothing to do, added up."""
        return sum(one.idle_ns for one in self.processes)

    @property
    def busy_ns(self) -> int:
        """Its process time without that: what shares are of."""
        return self.time_ns - self.idle_ns

    def transfer(self, work: str) -> Transfer:
        """Return what its processes read, or wrote, together.

        The window of a job that arrives is all of its elapsed time.
        """
        made = together(transfer_of(one, work) for one in self.processes)
        if self.arrived is not None and made.begin_ns >= 0:
            made.begin_ns, made.end_ns = self.started_ns, self.ended_ns
        return made

    def reached(self) -> Reached | None:
        """Return what of its writing came to stable storage; None if that is not known."""
        written = self.transfer("write")
        if self.stable is None or written.begin_ns < 0:
            return None
        return reached(written, [self.stable])

    def spent(self) -> dict[str, tuple[int, int]]:
        """Column of the account -> (waiting ns, service ns) of all its processes."""
        return added_up(self.processes)

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "processes": len(self.processes),
            "started_ns": self.started_ns,
            "elapsed_ns": self.elapsed_ns,
            "time_ns": self.time_ns,
            "read": self.transfer("read").to_json(),
            "write": self.transfer("write").to_json(),
            "stable": None if (came := self.reached()) is None else came.to_json(),
            "arrivals": None if self.arrived is None else self.arrived.to_json(),
            "where": {
                "compute_ns": self.compute_ns,
                "idle_ns": self.idle_ns,
                "columns": {
                    column: {"wait_ns": wait, "service_ns": service}
                    for column, (wait, service) in self.spent().items()
                },
            },
        }


def by_job(result: Result) -> list[JobResult]:
    """Return the jobs of a run, in the order of their first processes."""
    jobs: dict[str, JobResult] = {}
    for one in result.masters():
        jobs.setdefault(one.job, JobResult(one.job)).processes.append(one)
    for job in jobs.values():
        if job.name in result.responses:
            job.arrived = arrived(result, job.processes, job.name)
    _find_stable(result, [job for job in jobs.values() if job.transfer("write").bytes])
    return list(jobs.values())


def _find_stable(result: Result, writing: list[JobResult]) -> None:
    """Set for each job what is known to have come of its files; a single one has written all."""
    for job in writing:
        if len(writing) == 1:
            job.stable = Stable()
            for one in result.stable.values():
                job.stable.add(one.bytes, one.last_ns)
        elif not result.stable.get("", Stable()).bytes:
            job.stable = result.stable.get(job.name, Stable())


def added_up(processes: list[ProcessResult]) -> dict[str, tuple[int, int]]:
    """Add up the accounts of processes: column -> (waiting ns, service ns), sorted by column."""
    spent: dict[str, tuple[int, int]] = {}
    for one in processes:
        for column, (wait, service) in one.spent.items():
            before = spent.get(column, (0, 0))
            spent[column] = before[0] + wait, before[1] + service
    return dict(sorted(spent.items()))
