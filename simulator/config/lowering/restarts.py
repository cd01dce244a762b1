"""``restart`` of a job -> the failures of its processes, and what they read when they go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.config.restart import read_back
from simulator.plan.cores import crowded_groups
from simulator.plan.jobs import NamedPhase
from simulator.plan.restarts import RestartPlan

if TYPE_CHECKING:
    from simulator.config.lowering.plan import Lowering
    from simulator.config.lowering.process import ProcessBuilder
    from simulator.config.workload_file import Job
    from simulator.plan.plan import Plan


def add_reading(builder: ProcessBuilder) -> int:
    """Add the phases by which a process reads its checkpoint back; return their number."""
    if builder.job.restart is None:
        return 0
    before = len(builder.phases)
    for number, phase in enumerate(read_back(builder.job)):
        builder.at = ("restart", number)
        phase.lower(builder)
    builder.finish()
    return len(builder.phases) - before


def restart_of(whole: Lowering, job: Job, members: list[int], barriers: int) -> RestartPlan:
    """Return the failures of a job whose processes were added; ``barriers``: those before it."""
    restart = job.restart
    assert restart is not None
    named = NamedPhase(job=job.name, label="restart", what="restart", memory=job.memory or 0)
    return RestartPlan(
        job=job.name,
        processes=job.ranks,
        start_ns=job.start,
        times=restart.at or (),
        mean_ns=max(1, restart.mtbf // len({*members})) if restart.mtbf is not None else 0,
        delay_ns=restart.delay,
        barriers=(barriers, len(whole.barriers) - barriers),
        named=whole.row_of(named),
    )


def refuse_crowded(whole: Lowering, plan: Plan) -> None:
    """Raise ConfigError for jobs that are started again on nodes with too few cores."""
    crowded = crowded_groups(plan) if plan.restarts else ()
    for one in plan.processes:
        if one.restart >= 0 and one.group in crowded:
            names = [job.name for job in whole.workload.jobs]
            about = "its processes wait for cores, and a job that does is not started again; write"
            about = f"{about} fewer processes on a node, or leave it out"
            raise whole.workload.refused(("jobs", names.index(one.job), "restart"), about)
