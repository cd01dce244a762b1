"""Tables of a run: jobs, latencies of calls, resources, stores, and what has failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.report.page import Column, Table, rows_of
from simulator.result.instances import labels_of, rows_of_instances
from simulator.result.jobs import by_job
from simulator.result.latency import QUANTILES

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.jobs import JobResult
    from simulator.result.latency import Latency
    from simulator.result.result import PartResult, Result


MOST_JOBS = 12
"""Rows on a terminal; the jobs after them are counted only."""
MOST_LISTED = 20
"""Rows on a terminal; the parts after them are counted only."""
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
    return Table("jobs", "Jobs", _JOBS, rows, noun="job", brief=MOST_JOBS, weight="elapsed_ns")


def _job(job: JobResult) -> list[Any]:
    moved: list[float | None] = []
    for work in ("read", "write"):
        done = job.transfer(work)
        moved += [done.bytes, done.elapsed_ns if done.bytes else None, done.rate]
    came = job.reached()
    computing = job.compute_ns / job.busy_ns if job.compute_ns and job.busy_ns else None
    numbers = [len(job.processes) - job.clients, job.elapsed_ns, *moved]
    return [job.name, *numbers, None if came is None else came.rate, computing]


def latencies_table(result: Result) -> Table:
    """Return a row for each operation, those that took most time in all first.

    On a terminal there are none of those that took no time.
    """
    timed = {name: one for name, one in result.latencies.items() if one.count}
    rows = _latencies(timed)
    return Table(
        "latencies",
        "Latencies of calls",
        _LATENCIES,
        rows,
        legend="p95: 95 of 100 calls took at most this long. Quantiles are within 1 %.",
        noun="",
        brief=sum(bool(one.max_ns) for one in timed.values()),
    )


def job_latencies_table(result: Result) -> Table:
    """Return a row for each operation of each job; none where they are not counted by job.

    On a terminal there are none of those that took no time.
    """
    jobs = {job.name: dict(job.latencies) for job in by_job(result)}
    rows = [[name, *row] for name, timed in jobs.items() for row in _latencies(timed)]
    rows.sort(key=lambda row: not row[-1])
    columns = (Column("job", "job"), *_LATENCIES)
    brief = sum(bool(row[-1]) for row in rows)
    title = "Latencies of calls by job"
    return Table("job-latencies", title, columns, rows, noun="", brief=brief)


def _latencies(timed: Mapping[str, Latency]) -> list[list[Any]]:
    """Return a row for each operation, those that took most time in all first."""
    rows = []
    for name in sorted(timed, key=lambda name: (-timed[name].sum_ns, name)):
        one = timed[name].to_json()
        rows.append([name, one["count"], *(one[column.key] for column in _LATENCIES[2:])])
    return rows


_PHASES = (
    Column("phase", "phase"),
    Column("job", "of"),
    Column("what", "does"),
    Column("passes", "times", "count"),
    Column("begin_ns", "from", "time", wide=True),
    Column("elapsed_ns", "elapsed", "time"),
    Column("time_ns", "in all", "time", wide=True),
    Column("mean_ns", "of a process", "time"),
    Column("read_bytes", "read", "size", blank=True),
    Column("write_bytes", "written", "size", blank=True),
    Column("rate_Bps", "at", "rate"),
)


def phases_table(result: Result) -> Table:
    """Return a row for each phase of each job that has several."""
    rows = []
    for job in (one for one in by_job(result) if len(one.phases) > 1):
        many = len(job.processes)
        for one in job.phases:
            row: list[Any] = [one.label, job.name, one.what, one.passes]
            row += [one.begin_ns, one.elapsed_ns, one.time_ns, one.mean_ns(many)]
            rate = one.rate(many, arrive=job.arrived is not None)
            row += [one.read, one.written, rate or None]
            rows.append(row)
    return Table(
        "phases",
        "Phases",
        _PHASES,
        rows,
        legend="elapsed: from the first begin to the last end; of a process: its time in the phase,"
        " the mean of all; the rate is of all processes together, over elapsed if they come once.",
        noun="phase",
        brief=MOST_LISTED,
        weight="elapsed_ns",
    )


@dataclass(slots=True)
class Used:
    """All instances of one part together."""

    row: int
    """The part's row in the plan."""
    part: str
    """The part's name with its direction."""
    kind: str
    instances: int
    """Number of them in the machine."""
    requests: int = 0
    bytes: int = 0
    busy_ns: int = 0
    servers: int = 0
    """Servers of all instances, those without a request included."""
    queues: bool = True
    """True if it can be busy: nothing queues at a fixed delay."""
    busiest: str = ""
    """The name of the instance with the highest utilisation, the first of several."""
    most: float = -1.0
    """Its utilisation."""

    def add(self, name: str, one: PartResult, end_ns: int) -> None:
        """Add what one instance did."""
        self.servers += one.servers
        self.requests += one.requests
        self.bytes += one.bytes
        self.busy_ns += one.busy_ns if one.active_ns is None else one.active_ns
        if one.utilisation(end_ns) > self.most:
            self.busiest, self.most = name, one.utilisation(end_ns)

    @property
    def which_one(self) -> str:
        """Name of the busiest instance of several that can be busy."""
        return self.busiest if self.instances > 1 and self.queues else ""

    def mean(self, end_ns: int) -> float:
        """Return the utilisation of all instances, those without a request included."""
        return self.busy_ns / (self.servers * end_ns) if end_ns and self.servers else 0.0


def used_parts(result: Result, plan: Plan) -> list[Used]:
    """Return the parts that had requests; the one with the busiest instance first."""
    used: dict[int, Used] = {}
    rows, labels = rows_of_instances(plan), labels_of(plan)
    counts = Counter(rows[name] for name in result.parts)
    for name, one in result.parts.items():
        row = rows[name]
        if row not in used:
            instances = plan.parts[row].count
            used[row] = Used(row, labels[row], one.kind, instances, queues=one.queues)
            used[row].servers = (instances - counts[row]) * one.servers
        used[row].add(name, one, result.end_ns)
    return sorted(used.values(), key=lambda row: -row.most)


def resources_table(result: Result, plan: Plan) -> Table:
    """Return a row for each part that had a request, the busiest first."""
    end_ns = result.end_ns
    columns = (
        Column("resource", "resource", of=lambda one: one.part),
        Column("kind", "kind", wide=True),
        Column("instances", "number", "count"),
        Column("requests", "requests", "count"),
        Column("bytes", "bytes", "size"),
        Column("busy", "busy", "share", of=lambda one: one.mean(end_ns) if one.queues else None),
        Column("busiest", "busiest", "share", of=lambda one: one.most if one.queues else None),
        Column("which_one", ""),
    )
    return Table(
        "resources",
        "Resources",
        columns,
        rows_of(columns, used_parts(result, plan)),
        legend="busy: the mean of all instances; busiest: the one with the highest utilisation.",
        noun="resource",
        brief=MOST_LISTED,
    )


@dataclass(slots=True)
class StoreCounters:
    """All instances of one store together."""

    store: str
    instances: int
    counts: Counter[str] = field(default_factory=Counter)


def kept_by(result: Result, plan: Plan) -> list[StoreCounters]:
    """Add up the counters of the stores that were used, in the order of the plan."""
    counts = Counter[str]()
    for store in plan.stores:
        counts[store.name] += store.count
    rows = {name: StoreCounters(name, count) for name, count in counts.items()}
    rows |= {one.name: StoreCounters(one.name, len(one.blocks)) for one in plan.buffers}
    used = set()
    for one in result.stores.values():
        rows[one.store].counts.update(one.counts)
        used.add(one.store)
    return [row for row in rows.values() if row.store in used]


def stores_table(result: Result, plan: Plan) -> Table:
    """Return a row for each store that was used."""
    rows = [
        [row.store, row.instances, *(_value(row.counts, column.key) for column in _STORES)]
        for row in kept_by(result, plan)
    ]
    if not any(value is not None for row in rows for value in row[2:]):
        rows = []
    head = (Column("store", "store"), Column("instances", "number", "count"))
    return Table("stores", "Stores", [*head, *_STORES], rows, noun="store")


def _value(counts: Counter[str], key: str) -> float | None:
    """Return a counter, or the quotient of some; None if there is none."""
    if key == "hit_ratio":
        return _share(counts["hits"], counts["hits"] + counts["misses"])
    if key == "used_ahead_ratio":
        return _share(counts["used_ahead"], counts["read_ahead"])
    return counts[key] or None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


_STORES = (
    Column("hit_ratio", "hits", "share"),
    Column("prestaged_bytes", "prestaged", "size"),
    Column("fetched_bytes", "fetched", "size"),
    Column("read_back_bytes", "read back", "size"),
    Column("written_back_bytes", "written back", "size"),
    Column("used_ahead_ratio", "read ahead, used", "share"),
    Column("disk_read_bytes", "from disks", "size"),
    Column("disk_written_bytes", "to disks", "size"),
    Column("evicted", "evicted", "count"),
    Column("released", "released", "count"),
    Column("invalidated", "invalidated", "count"),
    Column("rewrites_waited", "rewrites that waited", "count"),
    Column("limit_waits", "waits at dirty limit", "count"),
    Column("dirty_bytes", "still dirty", "size"),
)


# -- what failed ----------------------------------------------------------------------------------


_STATES = (
    Column("resource", "resource"),
    Column("failures", "failures", "count"),
    Column("down_ns", "failed for", "time"),
    Column("slow_ns", "other speed for", "time"),
    Column("delayed", "requests delayed", "count"),
    Column("lost_ns", "by", "time"),
)
_RESTARTS = (
    Column("job", "job"),
    Column("failures", "failures", "count"),
    Column("lost_ns", "lost since checkpoints", "time"),
    Column("down_ns", "down", "time"),
)
_GIVEN_UP = Column("given_up", "given up", "count")


def states_tables(result: Result) -> Iterator[Table]:
    """Yield a row for each instance to which something happened; nothing where nothing could."""
    if not result.states:
        return
    fails = result.given_up > 0
    columns = (*_STATES, _GIVEN_UP) if fails else _STATES
    rows = [
        [name, *(column.value(one) for column in columns[1:])]
        for name, one in result.states.items()
        if one.down_ns or one.slow_ns
    ]
    legend = f"{len(result.states) - len(rows):,} more could fail, and did not." * (
        len(rows) < len(result.states)
    )
    yield Table(
        "states", "Failures", columns, rows, legend=legend, noun="resource", brief=MOST_LISTED
    )


def restarts_tables(result: Result) -> Iterator[Table]:
    """Yield a row for each job that goes on from its last checkpoint; nothing without any."""
    if rows := rows_of(_RESTARTS, result.restarts):
        yield Table("restarts", "Restarts", _RESTARTS, rows, noun="job", brief=MOST_LISTED)


def failed_tables(result: Result, plan: Plan) -> Iterator[Table]:
    """Yield a row for each process whose calls failed, the first first; nothing without any."""
    stops = {one.name for one in plan.processes if one.stops}
    columns = (
        Column("process", "process", of=lambda one: one.name),
        Column("calls", "calls failed", "count", of=lambda one: one.failed.count),
        Column("read_bytes", "not read", "size", of=lambda one: one.read.failed_bytes),
        Column("write_bytes", "not written", "size", of=lambda one: one.write.failed_bytes),
        Column("first_ns", "first at", "time", of=lambda one: one.failed.first_ns),
        Column("last_ns", "last at", "time", of=lambda one: one.failed.last_ns),
        Column("stopped", "then", of=lambda one: "stopped" if one.name in stops else "went on"),
    )
    failed = [one for one in result.processes if one.failed.count]
    failed.sort(key=lambda one: one.failed.first_ns)
    if rows := rows_of(columns, failed):
        yield Table("failed", "Calls that failed", columns, rows, noun="process", brief=MOST_LISTED)


_ARRAYS = (
    Column("array", "array"),
    Column("failures", "disks failed", "count"),
    Column("rebuilds", "rebuilt", "count"),
    Column("degraded_ns", "degraded for", "time"),
    Column("rebuilt_bytes", "rebuilt", "size"),
    Column("reconstructed_bytes", "reconstructed", "size"),
    Column("read_bytes", "disks read", "size"),
    Column("written_bytes", "disks wrote", "size"),
    Column("losses", "data lost", "count"),
    Column("first_loss_ns", "first at", "time"),
)


def arrays_tables(result: Result) -> Iterator[Table]:
    """Yield a row for each array of disks, those that lost data first; nothing without any."""
    if not result.arrays:
        return
    order = sorted(result.arrays.items(), key=lambda one: (-one[1].losses, -one[1].failures))
    rows = []
    for name, one in order:
        *row, first_loss = (column.value(one) for column in _ARRAYS[1:])
        rows.append([name, *row, first_loss if one.losses else None])
    legend = "Disks read and wrote for requests, parity included; a rebuild comes on top."
    yield Table("arrays", "Arrays", _ARRAYS, rows, legend=legend, noun="array", brief=MOST_LISTED)
