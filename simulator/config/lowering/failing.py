"""Refusals of calls that fail: they end no process that others wait for, leave no shared part.

Only where parts fail at all, and a file system's calls have a ``timeout``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.plan import codes
from simulator.plan.events import NO_DISK

if TYPE_CHECKING:
    from simulator.config.lowering.plan import Lowering
    from simulator.plan.jobs import ProcessPlan
    from simulator.plan.paths import PathPlan
    from simulator.plan.plan import Plan

MEETINGS = frozenset(
    (
        codes.PASS,
        codes.WAIT,
        codes.LOCK,
        codes.UNLOCK,
        codes.BARRIER,
        codes.SEND,
        codes.RECEIVE,
        codes.START,
        codes.JOIN,
        codes.ASK_READ,
        codes.ASK_WRITE,
    )
)
"""Operations by which processes wait for each other."""


def refuse_failing(whole: Lowering, plan: Plan) -> None:
    """Raise ConfigError for what cannot be if calls of a plan fail."""
    failing = {one.part for one in plan.events if not one.speed and one.disk == NO_DISK}
    soft = [number for number, path in enumerate(plan.paths) if path.give_up_ns >= 0]
    if not failing or not soft:
        return
    for number in soft:
        for part in _shared(plan, plan.paths[number]) & failing:
            system = plan.paths[number].name.partition(".")[0]
            about = f"transfers under way at {plan.parts[part].name}, which they share, cannot give"
            about = f"{about} up; leave this out, or the event at {plan.parts[part].name}"
            raise whole.machine.refused(("filesystems", system, "timeout"), about)
    names = [job.name for job in whole.workload.jobs]
    for process in plan.processes:
        if process.stops and not soft_of(plan, process).isdisjoint(soft):
            why = next(_awaited(plan, process), "")
            if why:
                about = f"a process that stops at an error cannot do so here: {why}; write"
                at = ("jobs", names.index(process.job))
                raise whole.workload.refused(at, f"{about} 'on_error: continue'")


def soft_of(plan: Plan, process: ProcessPlan) -> set[int]:
    """Return the paths by which a process reaches files."""
    files = plan.operations.file
    found = {phase.path for phase in process.phases if phase.kind == codes.STREAM}
    for phase in process.phases:
        if phase.kind == codes.LISTED:
            rows = range(phase.first, phase.first + phase.count)
            found |= {plan.path_of(row) for row in rows if files[row] >= 0}
    return found


def _shared(plan: Plan, path: PathPlan) -> set[int]:
    """Return the parts on a path that all transfers share."""
    found = set()
    for row in (path.top, path.metadata):
        while row >= 0 and plan.tiers[row].kind != codes.END:
            holds = (*plan.tiers[row].down, *plan.tiers[row].up)
            found |= {one.part for one in holds if plan.parts[one.part].traits.order == "shared"}
            row += 1  # noqa: PLW2901 - down to the end
    return found


def _awaited(plan: Plan, process: ProcessPlan) -> Iterator[str]:
    """Yield why others would wait for a process that has ended early."""
    if process.arrivals >= 0:
        yield "it serves arrivals, which nobody would take"
    if process.restart >= 0:
        yield "its job goes on from checkpoints that all processes have written"
    if process.until >= 0:
        yield "it goes on until others end, and its rounds are counted"
    for phase in process.phases:
        if phase.kind == codes.MESH:
            yield "others wait for its part of the mesh"
        if phase.kind == codes.LISTED and phase.size:
            yield "a library makes several calls of one"
        if phase.kind == codes.LISTED:
            kinds = plan.operations.kind[phase.first : phase.first + phase.count]
            met = sorted({codes.plain(kind) for kind in kinds} & MEETINGS)
            if met:
                yield f"others would wait for it for ever ({codes.OPERATIONS[met[0]]})"
