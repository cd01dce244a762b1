"""The jobs of a run, and the latencies of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.report.page import Column, Table
from simulator.result.jobs import by_job
from simulator.result.latency import QUANTILES

if TYPE_CHECKING:
    from simulator.result.jobs import JobResult
    from simulator.result.result import Result

MOST_JOBS = 12
"""Rows on a terminal; the jobs after them are counted only."""
_JOBS = (
    Column("job", "job"),
    Column("processes", "processes", "count"),
    Column("elapsed_ns", "elapsed", "time"),
    Column("read_bytes", "read", "size"),
    Column("read_ns", "in", "time"),
    Column("read_Bps", "at", "rate"),
    Column("write_bytes", "written", "size"),
    Column("write_ns", "in", "time"),
    Column("write_Bps", "at", "rate"),
    Column("stable_Bps", "stable at", "rate"),
    Column("computing", "computing", "share"),
)
_LATENCIES = (
    Column("operation", "operation"),
    Column("calls", "calls", "count"),
    Column("mean_ns", "mean", "time"),
    *(Column(key, label, "time") for key, (label, _) in QUANTILES.items()),
    Column("max_ns", "max", "time"),
)


def jobs_table(result: Result) -> Table:
    """Return a row for each job; that of a single process would repeat the answer on a terminal."""
    jobs = by_job(result)
    rows = [_job(job) for job in jobs]
    if sum(len(job.processes) for job in jobs) <= 1:
        return Table("jobs", "Jobs", _JOBS, rows, noun="", brief=0)
    return Table("jobs", "Jobs", _JOBS, rows, noun="job", brief=MOST_JOBS)


def _job(job: JobResult) -> list[Any]:
    moved: list[float | None] = []
    for work in ("read", "write"):
        done = job.transfer(work)
        moved += [done.bytes, done.elapsed_ns if done.bytes else None, done.rate]
    came = job.reached()
    computing = job.compute_ns / job.busy_ns if job.compute_ns and job.busy_ns else None
    numbers = [len(job.processes), job.elapsed_ns, *moved]
    return [job.name, *numbers, None if came is None else came.rate, computing]


def latencies_table(result: Result) -> Table:
    """Return a row for each operation, those that took most time in all first.

    On a terminal there are none of those that took no time.
    """
    timed = {name: one for name, one in result.latencies.items() if one.count}
    order = sorted(timed, key=lambda name: (-timed[name].sum_ns, name))
    rows = []
    for name in order:
        one = timed[name].to_json()
        rows.append([name, one["count"], *(one[column.key] for column in _LATENCIES[2:])])
    return Table(
        "latencies",
        "Latencies of calls",
        _LATENCIES,
        rows,
        legend="p95: 95 of 100 calls took at most this long. Quantiles are within 1 %.",
        noun="",
        brief=sum(bool(one.max_ns) for one in timed.values()),
    )
