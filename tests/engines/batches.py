"""Batch queues as tests write them: jobs of processes that compute, on both engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.plan.jobs import PhasePlan, ProcessPlan
from simulator.plan.parts import GroupPlan
from simulator.plan.plan import Plan
from simulator.plan.queues import BatchPlan, PoolPlan, QueuePlan
from simulator.result.queues import QueueResult
from simulator.result.result import Result
from tests.reference.runs import both


class Batch:
    """A queue as it grows, of processes that compute."""

    def __init__(self, nodes: int = 4, **fields: Any) -> None:
        self.groups = (GroupPlan(name="node", count=nodes), GroupPlan(name="mover", count=2))
        self.fields = {"pools": (PoolPlan(first=0, count=nodes),), **fields}
        self.processes: list[ProcessPlan] = []
        self.jobs: list[BatchPlan] = []

    def work(self, name: str, times: Sequence[int], group: int = 0) -> tuple[int, int]:
        """Add processes on node 0 of a job, or of a group; returns the first and their number."""
        first = len(self.processes)
        for number, time in enumerate(times):
            phases = (PhasePlan(compute_ns=time),)
            self.processes.append(
                ProcessPlan(
                    name=f"{name}.{number}",
                    job=name,
                    group=group,
                    node=0,
                    queued=True,
                    phases=phases,
                )
            )
        return (first, len(times)) if times else (0, 0)

    def job(
        self,
        submit: int,
        nodes: int,
        *runs: int,
        asks: int = 0,
        bring: Sequence[int] = (),
        take: Sequence[int] = (),
        **fields: Any,
    ) -> None:
        """Add a job whose processes run for times; it asks for its run time unless told."""
        name = f"job{len(self.jobs)}"
        first, count = self.work(name, runs)
        self.jobs.append(
            BatchPlan(
                name=name,
                submit_ns=submit,
                nodes=nodes,
                requested_ns=asks or max(runs),
                first=first,
                count=count,
                stage_in=self.work(f"{name}.in", bring, 1),
                stage_out=self.work(f"{name}.out", take, 1),
                **fields,
            )
        )

    def plan(self) -> Plan:
        queue = QueuePlan(name="batch", group=0, jobs=tuple(self.jobs), **self.fields)
        return Plan(
            machine="by-hand",
            workload="by-hand",
            groups=self.groups,
            parts=(),
            processes=tuple(self.processes),
            queues=(queue,),
        )

    def run(self) -> Result:
        return both(self.plan())


def queue_of(batch: Batch) -> QueueResult:
    (found,) = batch.run().queues
    return found


def starts(batch: Batch) -> list[int]:
    return queue_of(batch).start.tolist()


def nodes(one: QueueResult) -> list[list[int]]:
    return [one.nodes_of(job).tolist() for job in range(len(one.start))]
