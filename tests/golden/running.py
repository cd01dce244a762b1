"""From the inputs of a case to its record, on the simulators of version 1.

The only module that knows how those are called: a simulator that replaces them converts the texts
of the inputs and gives the same record.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal

from simulator.config.load import Kind
from simulator.config.mesh_plan import mesh_plan
from simulator.engine.messages import run_mesh
from simulator.parallel import load_io_plan, run_io_plan
from simulator.serve import DEFAULT_SEED, run_server
from tests.golden.case import OLD
from tests.golden.inputs import OLD_KINDS, Inputs
from tests.golden.record import of_calls, of_io, of_mesh

Engine = Literal["reference", "native"]
ENGINES: dict[str, tuple[Engine, ...]] = {
    "sr8000": ("native", "reference"),
    "orion": ("reference",),
    "ninf": ("reference",),
}
"""Study -> the engines that carry it out; results are frozen from the first."""


def record_of(inputs: Inputs, engine: Engine) -> dict[str, Any]:
    """Run a case, sample-path identities checked, and give its record; ConfigError if it is wrong.

    Only the reference engine keeps the services of a timeline: of another the record lacks
    ``spans``.
    """
    machine, workload = OLD_KINDS[inputs.study]
    return _RUNS[inputs.study](
        inputs, _section(machine, inputs.machine), _section(workload, inputs.workload), engine
    )


@functools.cache
def _section(kind: Kind[Any], text: str) -> Any:
    """Read a text as if it were a file beside the files of calls."""
    return kind.parse(text, str(OLD / "workloads" / f"{kind.noun}.yaml"), ())[0]


def _sr8000(inputs: Inputs, machine: Any, workload: Any, engine: Engine) -> dict[str, Any]:
    plan = load_io_plan(machine, workload, seed=inputs.seed or 0)
    return of_io(run_io_plan(plan, engine=engine, debug=True))


def _orion(inputs: Inputs, machine: Any, workload: Any, engine: Engine) -> dict[str, Any]:
    del engine
    noisy = inputs.seed is not None
    plan = mesh_plan(machine, workload, seed=inputs.seed or 0, noisy=noisy)
    return of_mesh(run_mesh(plan.with_run(inputs.run), debug=True))


def _ninf(inputs: Inputs, machine: Any, workload: Any, engine: Engine) -> dict[str, Any]:
    del engine
    seed = DEFAULT_SEED if inputs.seed is None else inputs.seed
    return of_calls(run_server(machine, workload, seed=seed, run=inputs.run, debug=True))


_RUNS: dict[str, Callable[[Inputs, Any, Any, Engine], dict[str, Any]]] = {
    "sr8000": _sr8000,
    "orion": _orion,
    "ninf": _ninf,
}
