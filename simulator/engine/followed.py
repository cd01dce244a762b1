"""A mesh that is really computed while a run of version 1 is simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.messages import run_mesh
from simulator.workload.divided import DividedMesh

if TYPE_CHECKING:
    from simulator.engine.mesh_plan import MeshPlan
    from simulator.engine.mesh_result import MeshResult
    from simulator.workload.poisson import Mesh


def solve(plan: MeshPlan) -> tuple[Mesh, MeshResult]:
    """Carry out a plan, and really compute its mesh on the way."""
    mesh = DividedMesh(plan)
    result = run_mesh(plan, follower=mesh)
    return mesh.whole(), result
