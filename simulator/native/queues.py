"""Conversion of the kernel's tables of queues, arrivals, and jobs that fail, to results."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from simulator.result.queues import QueueResult
from simulator.result.restarts import RestartResult

if TYPE_CHECKING:
    from simulator.native.outcome import Tables
    from simulator.plan.plan import Plan


def queues_of(plan: Plan, tables: Tables) -> list[QueueResult]:
    """Return the times and the nodes of the jobs of queues."""
    if not plan.queues:
        return []
    found, job, node = [], 0, 0
    table, nodes = tables["batch"], tables["batch_node"].node
    for queue in plan.queues:
        rows = slice(job, job + len(queue.jobs))
        begun = (start >= 0 for start in table.start[rows])
        counts = (one.nodes * has for one, has in zip(queue.jobs, begun, strict=True))
        made = QueueResult(queue.name, array("q", [one.submit_ns for one in queue.jobs]))
        made.first.extend(accumulate(counts, initial=0))
        made.node.extend(nodes[node : node + made.first[-1]])
        for name in ("ready", "start", "end", "done"):
            getattr(made, name).extend(getattr(table, name)[rows])
        job, node = rows.stop, node + made.first[-1]
        found.append(made)
    return found


def _restarts_of(plan: Plan, tables: Tables) -> list[RestartResult]:
    """Return what failures cost the jobs that go on from their last checkpoints."""
    if not plan.restarts:
        return []
    table = tables["restart"]
    rows = zip(table.failures, table.lost, table.down, strict=True)
    return [RestartResult(one.job, *row) for one, row in zip(plan.restarts, rows, strict=True)]


def _took_of(plan: Plan, tables: Tables) -> dict[str, array[int]]:
    """Return the response times of the arrivals of each job, in their order."""
    if not plan.arrivals:
        return {}
    ends = [*accumulate((row.kept for row in plan.arrivals), initial=0)]
    took = tables["arrival"].took
    rows = sorted(plan.rows_of_arrivals().items())
    return {job: array("q", took[ends[row] : ends[row + 1]].tobytes()) for job, row in rows}


def of_jobs(plan: Plan, tables: Tables) -> dict[str, Any]:
    """Return what became of jobs: of queues, of arrivals, of failures; as fields of a result."""
    return {
        "queues": queues_of(plan, tables),
        "restarts": _restarts_of(plan, tables),
        "took_ns": _took_of(plan, tables),
    }
