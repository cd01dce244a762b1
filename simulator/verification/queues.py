"""Identities of batch queues: a node has one job at a time, and all waiting and node time is there.

See :mod:`simulator.verification.identities`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.plan.queues import BatchPlan, PoolPlan, QueuePlan
    from simulator.result.queues import QueueResult
    from simulator.result.result import Result


def placed(plan: Plan, result: Result) -> Plan:
    """Return the plan with the nodes that processes of jobs had in a run."""
    if not plan.queues:
        return plan
    processes = list(plan.processes)
    for queue, one in zip(plan.queues, result.queues, strict=True):
        for row, job in enumerate(queue.jobs):
            nodes = one.nodes_of(row)
            for number in range(job.first, job.first + job.count):
                node = nodes[processes[number].node]
                processes[number] = replace(processes[number], node=node)
    return replace(plan, processes=tuple(processes))


def broken_queues(plan: Plan, result: Result) -> Iterator[str]:
    """Yield a sentence for each violated identity."""
    if [one.name for one in result.queues] != [queue.name for queue in plan.queues]:
        yield f"{len(result.queues)} queues where {len(plan.queues)} were planned"
        return
    for queue, one in zip(plan.queues, result.queues, strict=True):
        wrong = [fault for row in range(len(queue.jobs)) for fault in _job(queue, one, row)]
        yield from wrong
        if not wrong:
            yield from _processes(plan, queue, one, result)
            yield from _nodes(queue, one, result.end_ns)
            yield from _limits(queue, one)
            yield from _waiting(queue, one)


# -- jobs -----------------------------------------------------------------------------------------


def _job(queue: QueuePlan, one: QueueResult, row: int) -> Iterator[str]:
    """Check the times and nodes of a job."""
    job, begin = queue.jobs[row], one.start[row]
    times = (job.submit_ns, begin, one.end[row], one.done[row])
    if list(times) != sorted(times) or one.submit[row] != job.submit_ns:
        yield f"{queue.name}: {job.name}: submitted, started, ended and done at {times} ns"
    ready = one.ready[row]
    if (ready >= job.submit_ns) != (job.stage_in[1] > 0) or (job.holds and begin < ready):
        yield f"{queue.name}: {job.name}: its data were there at {ready} ns, started at {begin}"
    if not job.stage_out[1] and one.done[row] != one.end[row]:
        yield f"{queue.name}: {job.name}: ended at {one.end[row]} ns, done at {one.done[row]}"
    nodes = one.nodes_of(row)
    if len(nodes) != job.nodes or len(set(nodes)) != job.nodes:
        yield f"{queue.name}: {job.name}: had nodes {list(nodes)}, and asked for {job.nodes}"
    for node in nodes:
        pool = _pool_of(queue, job, node)
        if pool is None or not pool.is_open(begin, job.requested_ns):
            what = "of none of its pools" if pool is None else "which goes off or is"
            yield f"{queue.name}: {job.name}: had node {node} at {begin} ns, {what}"


def _pool_of(queue: QueuePlan, job: BatchPlan, node: int) -> PoolPlan | None:
    """Return the pool of a node, if it has the memory for a job."""
    for pool in queue.pools[job.pool :]:
        if pool.first <= node < pool.first + pool.count:
            return pool
    return None


def _processes(plan: Plan, queue: QueuePlan, one: QueueResult, result: Result) -> Iterator[str]:
    """Check that the processes of a job have its times."""
    found = {process.name: process for process in result.processes}
    for row, job in enumerate(queue.jobs):
        for (first, count), begin, end in (
            ((job.first, job.count), one.start[row], one.end[row]),
            (job.stage_in, -1, one.ready[row]),
            (job.stage_out, one.end[row], one.done[row]),
        ):
            mine = [found[process.name] for process in plan.processes[first : first + count]]
            begins = {process.started_ns for process in mine}
            if len(begins) > 1 or (begin >= 0 and begins not in ({begin}, set())):
                yield f"{job.name}: its processes started at {sorted(begins)} ns, not at {begin}"
            if mine and max(process.ended_ns for process in mine) != end:
                yield f"{job.name}: the last of its processes did not end at {end} ns"


# -- nodes ----------------------------------------------------------------------------------------


def _nodes(queue: QueuePlan, one: QueueResult, span_ns: int) -> Iterator[str]:
    """Check that a node has one job at a time, and that all of its time is accounted for."""
    jobs: dict[int, list[tuple[int, int]]] = {}
    for row in range(len(queue.jobs)):
        for node in one.nodes_of(row):
            jobs.setdefault(node, []).append((one.start[row], one.end[row]))
    idle = off = 0
    for pool in queue.pools:
        hours = OffTime(pool, span_ns)
        for node in range(pool.first, pool.first + pool.count):
            free_since = 0
            for begin, end in [*sorted(jobs.get(node, ())), (span_ns, span_ns)]:
                if begin < free_since:
                    yield f"{queue.name}: two jobs on node {node} at {begin} ns"
                was_off = hours.before(begin) - hours.before(free_since)
                off += was_off
                idle += begin - free_since - was_off
                free_since = end
    busy = sum(
        job.nodes * (end - begin)
        for job, begin, end in zip(queue.jobs, one.start, one.end, strict=True)
    )
    if busy + idle + off != queue.count * span_ns:
        spent = f"{busy} ns busy, {idle} idle, {off} off"
        yield f"{queue.name}: {spent}, of {queue.count * span_ns} ns of its nodes"


class OffTime:
    """How long a pool has been off, up to any time.

    >>> from simulator.plan.queues import PoolPlan
    >>> hours = OffTime(PoolPlan(first=0, count=1, off=((10, 20), (40, 50))), 45)
    >>> [hours.before(time) for time in (10, 13, 30, 45)]
    [0, 3, 10, 15]
    """

    def __init__(self, pool: PoolPlan, span_ns: int) -> None:
        """``span_ns``: nothing later is asked for."""
        self._off = [(begin, min(end, span_ns)) for begin, end in pool.off if begin < span_ns]
        self._begins = [begin for begin, _ in self._off]
        self._sums = [0, *accumulate(end - begin for begin, end in self._off)]

    def before(self, time: int) -> int:
        """Return for how long it has been off before a time; ns."""
        row = bisect_right(self._begins, time)
        return self._sums[row] - max(0, self._off[row - 1][1] - time if row else 0)


# -- limits, and waiting --------------------------------------------------------------------------


def _limits(queue: QueuePlan, one: QueueResult) -> Iterator[str]:
    """Check that running jobs keep to their limits."""
    for row, limit in enumerate(queue.limits):
        changes: list[tuple[int, int, int]] = []
        for number, job in enumerate(queue.jobs):
            if row in job.limits and one.start[number] < one.end[number]:
                changes.append((one.start[number], 1, job.nodes))
                changes.append((one.end[number], -1, -job.nodes))
        jobs, nodes = _most(changes, 1), _most(changes, 2)
        if jobs > limit.jobs or nodes > limit.nodes:
            yield f"{queue.name}: {jobs} jobs and {nodes} nodes at one time under limit {row}"


def _most(changes: Sequence[tuple[int, int, int]], column: int) -> int:
    """Return the maximum of a number; at one time, ends come before beginnings."""
    return max(accumulate(change[column] for change in sorted(changes)), default=0)


def _waiting(queue: QueuePlan, one: QueueResult) -> Iterator[str]:
    """Check Little's law: the number of waiting jobs, over time, is the time that they waited."""
    changes = sorted([*((time, 1) for time in one.submit), *((time, -1) for time in one.start)])
    waiting = last = over_time = 0
    for time, change in changes:
        over_time += waiting * (time - last)
        waiting, last = waiting + change, time
    waits = (begin - time for begin, time in zip(one.start, one.submit, strict=True))
    if (waited := sum(waits)) != over_time or waiting:
        yield f"{queue.name}: jobs waited for {waited} ns, {over_time} by their number over time"
