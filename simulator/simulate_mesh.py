"""One run of message-passing workstations: what the commands, studies and notebooks call."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Problem, raise_errors
from simulator.config.load import load_file
from simulator.config.mesh_plan import mesh_plan
from simulator.config.workstations import KINDS, Mesh, Workstations
from simulator.engine.messages import run_mesh

if TYPE_CHECKING:
    from simulator.engine.mesh_plan import MeshPlan
    from simulator.engine.mesh_result import MeshResult

Setting = tuple[str, str]


def load_mesh_plan(
    machine: str | Path = "orion",
    mesh: str | Path = "orion-mesh",
    settings: Iterable[Setting] = (),
    *,
    seed: int | None = None,
) -> MeshPlan:
    """Make a plan from files or shipped names; ConfigError lists what is wrong with either.

    With a seed processor times vary, and servers begin to poll at random times.
    """
    stations, work = load_mesh_inputs(machine, mesh, settings)
    return mesh_plan(stations, work, seed=seed or 0, noisy=seed is not None)


def load_mesh_inputs(
    machine: str | Path, mesh: str | Path, settings: Iterable[Setting] = ()
) -> tuple[Workstations, Mesh]:
    """Read both files; ConfigError lists the mistakes of both."""
    settings = list(settings)
    problems: list[Problem] = []
    stations: Workstations | None = None
    try:
        stations = load_file(KINDS[0], machine, settings)
    except ConfigError as error:
        problems += error.problems
    try:
        work = load_file(KINDS[1], mesh, settings)
    except ConfigError as error:
        problems += error.problems
    raise_errors(problems)
    assert stations is not None
    return stations, work


def simulate_mesh(
    machine: str | Path = "orion",
    mesh: str | Path = "orion-mesh",
    settings: Iterable[Setting] = (),
    *,
    seed: int | None = None,
    debug: bool = False,
) -> MeshResult:
    """Run a mesh on workstations."""
    return run_mesh(load_mesh_plan(machine, mesh, settings, seed=seed), debug=debug)
