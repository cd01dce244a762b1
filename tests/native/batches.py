"""Plans of a queue by hand: jobs of a process that computes, and of those that move its data."""

from __future__ import annotations

from typing import Any

from simulator.native.run import run_native
from simulator.plan.codes import COMPUTE
from simulator.plan.jobs import PhasePlan, ProcessPlan
from simulator.plan.parts import GroupPlan
from simulator.plan.plan import Plan
from simulator.plan.queues import BatchPlan, PoolPlan, QueuePlan
from simulator.result.queues import QueueResult
from simulator.result.result import Result


def computing(name: str, ns: int, **fields: Any) -> ProcessPlan:
    """A queued process that computes."""
    phases = (PhasePlan(kind=COMPUTE, compute_ns=ns),)
    usual: dict[str, Any] = {"job": name, "group": 0, "node": 0, "queued": True, "phases": phases}
    return ProcessPlan(name=name, **usual | fields)


class Batches:
    """A queue of a group of nodes as it grows."""

    def __init__(self, nodes: int = 4, **fields: Any) -> None:
        self.nodes = nodes
        self.fields: dict[str, Any] = {"pools": (PoolPlan(first=0, count=nodes),)} | fields
        self.processes: list[ProcessPlan] = []
        self.jobs: list[BatchPlan] = []

    def add(
        self,
        submit: int,
        nodes: int,
        runs: int,
        requested: int = 0,
        *,
        brings: int = 0,
        takes: int = 0,
        **fields: Any,
    ) -> None:
        """Add a job of one process; data are brought, or taken away, in a time if that is not 0."""
        name, stages = f"j{len(self.jobs)}", {}
        first = self._process(computing(name, runs))
        if brings:
            stages["stage_in"] = (self._process(computing(f"{name}.in", brings)), 1)
        if takes:
            stages["stage_out"] = (self._process(computing(f"{name}.out", takes)), 1)
        self.jobs.append(
            BatchPlan(
                name=name,
                submit_ns=submit,
                nodes=nodes,
                requested_ns=requested or runs,
                first=first,
                count=1,
                **stages,
                **fields,
            )
        )

    def _process(self, one: ProcessPlan) -> int:
        self.processes.append(one)
        return len(self.processes) - 1

    def plan(self) -> Plan:
        queue = QueuePlan(name="batch", group=0, jobs=tuple(self.jobs), **self.fields)
        return Plan(
            machine="by-hand",
            workload="by-hand",
            parts=(),
            queues=(queue,),
            groups=(GroupPlan(name="node", count=self.nodes),),
            processes=tuple(self.processes),
        )

    def run(self) -> Result:
        return run_native(self.plan())

    def jobs_run(self) -> QueueResult:
        (found,) = self.run().queues
        return found

    def starts(self) -> list[int]:
        return self.jobs_run().start.tolist()
