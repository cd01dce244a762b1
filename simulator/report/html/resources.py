"""Tables of a run's page: jobs, latencies of calls, resources, stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.caches import kept_by
from simulator.report.html import cells
from simulator.report.html.cells import Table
from simulator.report.html.markup import Markup
from simulator.report.utilisation import used_parts
from simulator.result.jobs import by_job
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.report.caches import Kept
    from simulator.result.result import Result

MOST_JOBS = 50
MOST_PARTS = 100
MOST_STORES = 100
_SIZES = {
    "prestaged": "prestaged_bytes",
    "fetched": "fetched_bytes",
    "read back": "read_back_bytes",
    "written back": "written_back_bytes",
    "from disks": "disk_read_bytes",
    "to disks": "disk_written_bytes",
    "still dirty": "dirty_bytes",
}
_COUNTS = {
    "evicted": "evicted",
    "released": "released",
    "rewrites that waited": "rewrites_waited",
    "waits at dirty limit": "limit_waits",
}


def jobs(result: Result) -> Markup:
    """Return a row for each job."""
    every = by_job(result)
    if not every:
        return Markup()
    rows = []
    for job in every[:MOST_JOBS]:
        moved = []
        for work in ("read", "write"):
            done = job.transfer(work)
            time = cells.time(done.elapsed_ns if done.bytes else None)
            moved += [cells.size(done.bytes), time, cells.rate(done.rate)]
        came = job.reached()
        moved.append(cells.rate(came.rate if came else None))
        computing = job.compute_ns / job.busy_ns if job.busy_ns else None
        numbers = [cells.count(len(job.processes)), cells.time(job.elapsed_ns), *moved]
        rows.append([job.name, *numbers, cells.share(computing)])
    columns = ["read", "in", "at", "written", "in", "at", "stable at"]
    head = ["job", "processes", "elapsed", *columns, "computing"]
    note = _more(len(every) - MOST_JOBS, "more job")
    table = Table("Jobs", head, rows, "l" + "r" * 10, note=note, name="jobs", headed=True)
    return table.without_empty().markup()


def latencies(result: Result) -> Markup:
    """Return a row for each operation, those that took most time in all first."""
    timed = {name: one for name, one in result.latencies.items() if one.count}
    if not timed:
        return Markup()
    order = sorted(timed, key=lambda name: (-timed[name].sum_ns, name))
    rows = []
    for name in order:
        one = timed[name].to_json()
        times = [cells.time(one[f"{key}_ns"]) for key in ("mean", "p50", "p95", "p99", "max")]
        rows.append([name, cells.count(one["count"]), *times])
    head = ["operation", "calls", "mean", "p50", "p95", "p99", "max"]
    note = "p95: 95 of 100 calls took at most this long. Quantiles are within 1 %."
    table = Table("Latencies", head, rows, "lrrrrrr", note=note, name="latencies", headed=True)
    return table.markup()


def resources(result: Result, plan: Plan) -> Markup:
    """Return a row for each part that had a request, the busiest first."""
    used = used_parts(result, plan)
    if not used:
        return Markup()
    rows = [
        [
            row.part,
            row.kind,
            cells.count(row.instances),
            cells.count(row.requests),
            cells.size(row.bytes),
            cells.share(row.mean(result.end_ns) if row.queues else None),
            cells.share(row.most if row.queues else None),
            row.busiest,
        ]
        for row in used[:MOST_PARTS]
    ]
    head = ["resource", "kind", "number", "requests", "bytes", "busy", "busiest", "which one"]
    note = "busy: the mean of all instances; busiest: the one with the highest utilisation. "
    note += _more(len(used) - MOST_PARTS, "more resource")
    table = Table("Resources", head, rows, "llrrrrrl", note=note, name="resources", headed=True)
    return table.markup()


def stores(result: Result, plan: Plan) -> Markup:
    """Return a row for each store that was used, without columns in which nothing stands."""
    kept = kept_by(result, plan)
    if not kept:
        return Markup()
    columns = {name: key for name, key in _SIZES.items() if _any(kept, key)}
    counts = {name: key for name, key in _COUNTS.items() if _any(kept, key)}
    rows = []
    for row in kept[:MOST_STORES]:
        looks = row.counts["hits"] + row.counts["misses"]
        ahead = row.counts["read_ahead"]
        line = [row.store, cells.count(row.instances)]
        line.append(cells.share(row.counts["hits"] / looks if looks else None))
        line.append(cells.share(row.counts["used_ahead"] / ahead if ahead else None))
        line += [cells.size(row.counts[key]) for key in columns.values()]
        rows.append([*line, *(cells.count(row.counts[key]) for key in counts.values())])
    head = ["store", "number", "hits", "read ahead, used", *columns, *counts]
    note = _more(len(kept) - MOST_STORES, "more store")
    align = "l" + "r" * (len(head) - 1)
    table = Table("Stores", head, rows, align, note=note, name="stores", headed=True)
    return table.without_empty().markup()


def _any(kept: list[Kept], key: str) -> bool:
    return any(row.counts[key] for row in kept)


def _more(many: int, noun: str) -> str:
    return f"({counted(many, noun)} not listed)" if many > 0 else ""
