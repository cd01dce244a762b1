"""The processes of a run added up by job: what stays small when there are ten thousand of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.result.result import Transfer, rate_of

if TYPE_CHECKING:
    from simulator.result.result import ProcessResult, Result


@dataclass(slots=True)
class JobResult:
    """All processes of one job together; members that share a process's data are left out."""

    name: str
    processes: list[ProcessResult] = field(default_factory=list)

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

    def transfer(self, work: str) -> Transfer:
        """Bytes of all processes, and the longest time that one of them spent."""
        all_of_them = [one.read if work == "read" else one.write for one in self.processes]
        return Transfer(
            sum(one.bytes for one in all_of_them),
            max((one.elapsed_ns for one in all_of_them), default=0),
        )

    def rate(self, work: str) -> float:
        """Bytes per second of its processes together, over the longest of their transfers."""
        return rate_of(self.processes, work)

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
    return list(jobs.values())


def added_up(processes: list[ProcessResult]) -> dict[str, tuple[int, int]]:
    """Add up the accounts of processes: column -> (waiting ns, service ns), sorted by column."""
    spent: dict[str, tuple[int, int]] = {}
    for one in processes:
        for column, (wait, service) in one.spent.items():
            before = spent.get(column, (0, 0))
            spent[column] = before[0] + wait, before[1] + service
    return dict(sorted(spent.items()))
