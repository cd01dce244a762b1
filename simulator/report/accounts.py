"""Accounts of the time of processes, job by job, for people.

A row is a column of the account: a resource, waiting for a store, waiting for other processes.
The rows of a job add up to its process time: the elapsed times of its processes, without the time
in which they had nothing to do, like waiting for an arrival.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.lowering.tables import MPI_CALLS, MPI_COPIES
from simulator.plan.codes import LOCKS
from simulator.report.page import Column, Table, ValueInWords
from simulator.report.scales import figure, scale_of
from simulator.result.jobs import JobResult, by_job
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.plan.parts import PartPlan
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

MOST_JOBS = 4
"""Jobs that have an account each; those of more jobs are added up."""
COMPUTING = "computing"


@dataclass(frozen=True, slots=True)
class Spent:
    """Time of some processes in one column of their accounts."""

    column: str
    what: str
    wait_ns: int
    service_ns: int
    least: float
    """The smallest share of a process's time,"""
    most: float
    """and the largest."""

    @property
    def total_ns(self) -> int:
        """Waiting and service together."""
        return self.wait_ns + self.service_ns


class Columns:
    """Meanings of the columns of a plan's accounts."""

    def __init__(self, plan: Plan) -> None:
        self._what: dict[str, str] = {COMPUTING: ""}
        self.parts: dict[str, list[PartPlan]] = {}
        """Column -> the parts whose time is charged to it."""
        for part in plan.parts:
            self.parts.setdefault(plan.columns[part.column], []).append(part)
        for column, parts in self.parts.items():
            self._what[column] = _what(plan, parts)
        waits = [
            (plan.others_column, "waiting for other processes (a fork, a message, an end)"),
            (plan.barrier_column, "for other processes at barriers"),
            (plan.lock_column, "for locks held by other processes"),
            (plan.merging_column, "for the requests merged with one's own"),
        ]
        for store in plan.stores:
            waits.append((store.cache_column, f"until another's fetch into {store.name} has ended"))
            waits.append((store.writeback_column, f"for write-back from {store.name}"))
        locks = "waiting for locks of files that other nodes hold"
        waits += [(tier.column, locks) for tier in plan.tiers if tier.kind == LOCKS]
        waits += _of_services(plan)
        waits += [(one.column, f"until blocks are in {one.name}") for one in plan.buffers]
        self._what |= {MPI_CALLS: "calls of the MPI-IO library, or of I/O nodes"}
        self._what |= {MPI_COPIES: "copies by the MPI-IO library"}
        for number, words in waits:
            if 0 <= number < len(plan.columns):
                self._what.setdefault(plan.columns[number], words)
        self.writeback = {
            plan.columns[store.writeback_column]: store for store in plan.stores if plan.columns
        }
        """Column -> the store whose write-back it waits for."""

    def what(self, column: str) -> str:
        """State what time in a column is."""
        return self._what.get(column, "")


def _of_services(plan: Plan) -> list[tuple[int, str]]:
    """Return what the columns of services are."""
    services, waits = plan.services, []
    for one in services.messages:
        waits.append((one.sending_column, "message servers take messages and copy them"))
        waits.append((one.locating_column, "finding out where a port is"))
        waits.append((one.awaiting_column, "for edges from neighbours"))
    waits += [(one.paging_column, "for pages from the disk") for one in services.meshes]
    for server in services.servers:
        waits.append((server.queue_column, f"until a call may compute on {server.name}"))
    if services.callers:
        waits.append((services.clients_column, "callers convert data"))
        waits.append((services.latency_column, "first bytes of calls in transit"))
    return waits


def _what(plan: Plan, parts: Sequence[PartPlan]) -> str:
    kinds = dict.fromkeys(part.traits.what or part.kind for part in parts)
    groups = {part.group: plan.groups[part.group] for part in parts}
    where = " and ".join(
        group.name if group.count == 1 else f"{group.name} ({group.count:,})"
        for group in groups.values()
        if group.name != parts[0].name
    )
    return f"{', '.join(kinds)}{f'; at {where}' if where else ''}"


def spent_by(job: JobResult, columns: Columns) -> list[Spent]:
    """Add up the accounts of a job's processes by column; the largest first.

    Without the time in which they had nothing to do: shares are of the rest.
    """
    account = {column: times for column, times in job.spent().items() if any(times)}
    if job.compute_ns:
        account[COMPUTING] = (0, job.compute_ns)
    rows = []
    for column, (wait, service) in account.items():
        least, most = _bounds(job, column)
        rows.append(Spent(column, columns.what(column), wait, service, least, most))
    return sorted(rows, key=lambda row: (-row.total_ns, row.column))


def _bounds(job: JobResult, column: str) -> tuple[float, float]:
    """Return the smallest and the largest share that a process of a job has in a column."""
    least, most = 1.0, 0.0
    for one in job.processes:
        busy = one.elapsed_ns - one.idle_ns
        if busy:
            time = sum(one.spent.get(column, (0, 0)))
            share = (one.compute_ns if column == COMPUTING else time) / busy
            least, most = min(least, share), max(most, share)
    return min(least, most), most


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a job: its name with its processes, and its columns, the largest first."""

    name: str
    job: JobResult
    spent: list[Spent]

    def table(self, number: int) -> Table:
        """Return the account with all times in one unit, and their sum."""
        total = self.job.busy_ns
        several = len(self.job.processes) > 1
        scale = scale_of("time", [total])
        rows = [
            [
                row.column,
                row.wait_ns,
                row.service_ns,
                row.total_ns / total,
                *((row.least, row.most) if several else ()),
                row.what,
            ]
            for row in self.spent
        ]
        wait, service = (sum(getattr(row, key) for row in self.spent) for key in _TIMES)
        whole = f"= {figure(total, scale)} {scale.unit} {_WHOLE[several]}"
        if self.job.idle_ns:
            whole += f", without {figure(self.job.idle_ns, scale)} {scale.unit} of nothing to do"
        foot = ["sum", wait, service, (wait + service) / total]
        bounds = (Column("least", "least", "share"), Column("most", "most", "share"))
        return Table(
            f"where-{number}",
            f"Time of {self.job.name} by column of its account",
            [
                Column("column", self.name),
                Column("wait_ns", "waiting", "time", scale, blank=True),
                Column("service_ns", "service", "time", scale, blank=True),
                Column("share", "share", "share"),
                *(bounds if several else ()),
                Column("what", "", "sentence"),
            ],
            rows,
            foot=[*foot, *(("", "") if several else ()), ValueInWords(wait + service, whole)],
            whole=True,
            keys=len(rows),
        )


_TIMES = ("wait_ns", "service_ns")
_WHOLE = {True: "process time", False: "elapsed"}


def accounts(result: Result, plan: Plan) -> list[Account]:
    """Return the accounts: one for each job, or for many jobs one in all."""
    columns = Columns(plan)
    jobs = [job for job in by_job(result) if job.busy_ns]
    if len(jobs) > MOST_JOBS:
        together = JobResult(counted(len(jobs), "job"))
        together.processes = [one for job in jobs for one in job.processes]
        jobs = [together]
    return [Account(_name(job), job, spent_by(job, columns)) for job in jobs]


def _name(job: JobResult) -> str:
    many, clients = len(job.processes) - job.clients, job.clients
    if clients:
        return f"{job.name}: {counted(many, 'process')}, {counted(clients, 'client')} of requests"
    return f"{job.name}: {counted(many, 'process')}" if many > 1 else job.name
