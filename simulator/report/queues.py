"""What became of the jobs of queues: waits, slowdowns, the use of nodes, and pictures of both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from simulator.report.page import Column, Markup, Table
from simulator.report.scales import Scale, significant
from simulator.units import format_time
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.plan.queues import QueuePlan
    from simulator.result.queues import QueueResult
    from simulator.result.result import Result

SHORTEST_NS = 10 * 10**9
"""Run time that a slowdown counts at least: D. G. Feitelson et al., JSSPP 1997."""
MOST_USERS = 10
STEPS = 240


@dataclass(slots=True)
class Waited:
    """Jobs that are alike, and how long they waited and ran; ns."""

    name: str
    waits: list[int] = field(default_factory=list)
    runs: list[int] = field(default_factory=list)
    slowdowns: list[float] = field(default_factory=list)
    recorded: list[int] = field(default_factory=list)
    """Waits that a log recorded."""
    node_ns: int = 0
    nodes: int = 0
    """Of all jobs."""
    held: int = 0
    """Jobs that started when their data came, and not before."""

    def add(self, wait: int, run: int, nodes: int, recorded: int, *, held: bool) -> None:
        """Add a job that has run."""
        self.waits.append(wait)
        self.runs.append(run)
        self.slowdowns.append(max(1.0, (wait + run) / max(run, SHORTEST_NS)))
        self.node_ns += nodes * run
        self.nodes += nodes
        self.held += held
        if recorded >= 0:
            self.recorded.append(recorded)

    def row(self, whole: int) -> list[Any]:
        """Return its row of a table."""
        count = len(self.waits)
        return [
            self.name,
            count,
            self.nodes / count,
            sum(self.runs) // count,
            sum(self.waits) // count,
            quantile(self.waits, 0.95),
            max(self.waits),
            sum(self.recorded) // len(self.recorded) if self.recorded else None,
            math.fsum(self.slowdowns) / count,
            quantile(self.slowdowns, 0.95),
            self.node_ns / whole if whole else 0.0,
            self.held,
        ]


HOUR = Scale("h", 3600e9)
HOURS = 2 * 3600 * 10**9
"""Times of a table are in hours if one of them is as long."""


def head(groups: Sequence[Waited]) -> tuple[Column, ...]:
    """Return the columns of a table of jobs that are alike, after the first."""
    longest = max((max(*one.waits, *one.runs) for one in groups), default=0)
    unit = HOUR if longest >= HOURS else None
    return (
        Column("jobs", "jobs", "count"),
        Column("nodes", "mean nodes", "decimal"),
        Column("run_ns", "mean run", "time", unit),
        Column("wait_ns", "mean wait", "time", unit),
        Column("wait_p95_ns", "95 %", "time", unit),
        Column("wait_most_ns", "longest", "time", unit),
        Column("recorded_ns", "by the log", "time", unit),
        Column("slowdown", "slowdown", "decimal"),
        Column("slowdown_p95", "95 %", "decimal", wide=True),
        Column("share", "node-time", "share"),
        Column("held", "held for data", "count", blank=True),
    )


SLOWDOWN = "Slowdown: wait and run over run, or over 10 s if that is more."
HELD = "Held for data: jobs that began when their data came, so that these were not there in time."
RECORDED = "By the log: the mean wait that it recorded."


def in_hours(time: float) -> str:
    """Write a time for people, a long one in hours.

    >>> in_hours(36e12), in_hours(6e9)
    ('10.0 h', '6.00 s')
    """
    return f"{significant(time / HOUR.size)} h" if time >= HOURS else format_time(time)


def quantile(values: Sequence[float], share: float) -> Any:
    """Return the value that so many of them do not exceed.

    >>> quantile([5, 1, 3, 2, 4], 0.5), quantile([1, 2], 0.95)
    (3, 2)
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


class QueueReport:
    """The jobs of one queue in a run."""

    def __init__(self, plan: Plan, queue: QueuePlan, made: QueueResult) -> None:
        self.plan = plan
        self.queue = queue
        self.made = made
        self.ran = [row for row in range(len(queue.jobs)) if made.end[row] >= 0]
        """Rows of the jobs that ended."""

    def class_of(self, row: int) -> str:
        """Return the class of a job: the item of the workload that it is of."""
        return self.plan.processes[self.queue.jobs[row].first].job

    @cached_property
    def span(self) -> tuple[int, int]:
        """The time from the first submission until the last end."""
        if not self.ran:
            return 0, 0
        return min(self.made.submit), max(self.made.end[row] for row in self.ran)

    @cached_property
    def on_ns(self) -> int:
        """Node-time that nodes were on in that time."""
        begin, end = self.span
        return sum(
            pool.count
            * (end - begin - sum(max(0, min(b, end) - max(a, begin)) for a, b in pool.off))
            for pool in self.queue.pools
        )

    def _grouped(self, names: Sequence[str]) -> list[Waited]:
        found: dict[str, Waited] = {}
        made = self.made
        for row in self.ran:
            one = found.setdefault(names[row], Waited(names[row]))
            start = made.start[row]
            one.add(
                start - made.submit[row],
                made.end[row] - start,
                self.queue.jobs[row].nodes,
                self.queue.jobs[row].recorded_ns,
                held=made.ready[row] == start and made.submit[row] < start,
            )
        return list(found.values())

    @cached_property
    def classes(self) -> list[Waited]:
        """Jobs by class."""
        return self._grouped([self.class_of(row) for row in range(len(self.queue.jobs))])

    @cached_property
    def users(self) -> list[Waited]:
        """Jobs by user, those with most node-time first."""
        names = [self.queue.users[job.user] for job in self.queue.jobs]
        return sorted(self._grouped(names), key=lambda one: -one.node_ns)

    @cached_property
    def all(self) -> Waited:
        """All jobs that ran."""
        found = self._grouped([self.queue.name] * len(self.queue.jobs))
        return found[0] if found else Waited(self.queue.name)

    def tables(self) -> Iterator[Table]:
        """Yield a table of classes, and one of users if there are several."""
        name, whole = self.queue.name, self.all.node_ns
        foot = self.all.row(whole) if len(self.classes) > 1 else ()
        yield Table(
            f"queue-{name}",
            f"Queue of {name}: jobs by class",
            (Column("class", "class"), *head(self.classes)),
            [one.row(whole) for one in self.classes],
            ["all", *foot[1:]] if foot else (),
            self._note(),
            noun="class",
            weight="share",
        )
        if len(self.users) > 1 and [one.name for one in self.users] != [
            one.name for one in sorted(self.classes, key=lambda one: -one.node_ns)
        ]:
            yield Table(
                f"users-{name}",
                f"Queue of {name}: jobs by user",
                (Column("user", "user"), *head(self.users)),
                [one.row(whole) for one in self.users],
                noun="user",
                brief=MOST_USERS,
                weight="share",
            )

    def _note(self) -> str:
        """Explain the columns that there are."""
        held, recorded = self.all.held, self.all.recorded
        return " ".join([SLOWDOWN, *([HELD] if held else []), *([RECORDED] if recorded else [])])

    def sentence(self) -> str:
        """Say how many jobs there were, how much of the nodes was used, and the waits."""
        one, queue = self.all, self.queue
        missing = len(queue.jobs) - len(self.ran)
        if not one.waits:
            return f"queue {queue.name}: {counted(missing, 'job')}, none of which ended"
        begin, end = self.span
        waiting = sum(one.waits) / (end - begin) if end > begin else 0.0
        used = percent(one.node_ns, self.on_ns) if self.on_ns else "0 %"
        noun = "job" if f"{waiting:.3g}" == "1" else "jobs"
        late = f", of which {missing} did not end" if missing else ""
        return (
            f"queue {queue.name}: {counted(len(queue.jobs), 'job')}{late};"
            f" {used} of the node-time was used;"
            f" waits: mean {in_hours(sum(one.waits) / len(one.waits))},"
            f" 95th percentile {in_hours(quantile(one.waits, 0.95))},"
            f" longest {in_hours(max(one.waits))}; {waiting:.3g} {noun} waited on average"
        )

    def record(self) -> dict[str, Any]:
        """Return what programs read: a row for each job, in columns."""
        made, jobs = self.made, self.queue.jobs
        one, (begin, end) = self.all, self.span
        return {
            "order": self.queue.order,
            "backfill": self.queue.backfill,
            "node_ns": one.node_ns,
            "on_ns": self.on_ns,
            "utilisation": one.node_ns / self.on_ns if self.on_ns else None,
            "mean_wait_ns": sum(one.waits) / len(one.waits) if one.waits else None,
            "mean_waiting": sum(one.waits) / (end - begin) if end > begin else 0.0,
            "jobs": {
                "name": [job.name for job in jobs],
                "class": [self.class_of(row) for row in range(len(jobs))],
                "user": [self.queue.users[job.user] for job in jobs],
                "nodes": [job.nodes for job in jobs],
                "requested_ns": [job.requested_ns for job in jobs],
                "recorded_wait_ns": [job.recorded_ns for job in jobs],
                "submit_ns": list(made.submit),
                "ready_ns": list(made.ready),
                "start_ns": list(made.start),
                "end_ns": list(made.end),
                "done_ns": list(made.done),
            },
        }

    # -- over time ------------------------------------------------------------------------------

    def pictures(self) -> Iterator[Markup]:
        """Yield pictures for a browser: who had which node, nodes in use, jobs that wait."""
        from simulator.report.html.queues import curves, gantt

        if self.span[1] > self.span[0]:
            yield gantt(self)
            yield from curves(self)

    def level(self, changes: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
        """Return a curve of a number that changes at times, as its mean in each of the steps."""
        begin, end = self.span
        step = max(1, -(-(end - begin) // STEPS))
        sums = [0.0] * STEPS
        now, value = begin, 0
        for time, change in [*sorted(changes), (end, 0)]:
            at = min(max(time, begin), end)
            while now < at:
                place = min(STEPS - 1, (now - begin) // step)
                until = min(at, begin + (place + 1) * step)
                sums[place] += value * (until - now)
                now = until
            value += change
        used = -(-(end - begin) // step)
        return [
            ((place + 0.5) / used, sums[place] / min(step, end - begin - place * step))
            for place in range(used)
        ]

    def in_use(self) -> list[tuple[float, float]]:
        """Return the nodes in use over time."""
        made = self.made
        changes = [
            change
            for row in self.ran
            for change in (
                (made.start[row], self.queue.jobs[row].nodes),
                (made.end[row], -self.queue.jobs[row].nodes),
            )
        ]
        return self.level(changes)

    def waiting(self) -> list[tuple[float, float]]:
        """Return the jobs that wait over time."""
        made = self.made
        changes = [
            change for row in self.ran for change in ((made.submit[row], 1), (made.start[row], -1))
        ]
        return self.level(changes)


def queue_reports(plan: Plan, result: Result) -> list[QueueReport]:
    """Return the queues of a run."""
    pairs = zip(plan.queues, result.queues, strict=True) if result.queues else ()
    return [QueueReport(plan, queue, made) for queue, made in pairs]
