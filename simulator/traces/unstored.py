"""What a run does that is no call: a store of its calls lacks it, and so does a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import InputError
from simulator.plan.codes import ASK_READ, ASK_WRITE, STREAM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.plan.plan import Plan


def unstored(plan: Plan, calls: Sequence[int]) -> list[str]:
    """Return what processes of a plan do beside the operations that are ``calls``.

    InputError if they do nothing else: a store of the run would be empty.
    """
    made = plan.operations.kind
    what = []
    if ASK_READ in made or ASK_WRITE in made:
        what.append("reads and writes on I/O nodes (MPI-IO)")
    if plan.services.meshes:
        what.append("sweeps over a mesh and the messages of their edges")
    if plan.services.callers:
        what.append("calls of numerical servers")
    streams = any(one.kind == STREAM for process in plan.processes for one in process.phases)
    if what and not streams and not any(kind in made for kind in calls):
        raise InputError(
            f"--store: {plan.workload} makes no calls on files, only {' and '.join(what)}, which"
            " cannot be replayed; omit the option"
        )
    return what


def lacking(what: str) -> str:
    """Say what a store lacks, and what that means for a replay."""
    return (
        f"{what} are not in the store: a replay lets the time pass that they took, but they do not"
        " use the machine"
    )
