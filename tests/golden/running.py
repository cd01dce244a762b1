"""From the inputs of a case to its record, on the simulators of version 1.

The SR8000's cases are converted, and run on the one that has replaced theirs.

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
from simulator.serve import DEFAULT_SEED, run_server
from simulator.simulate import load_plan, run_plan
from tests.golden.arrays import arrays_record
from tests.golden.case import OLD
from tests.golden.inputs import OLD_KINDS, Inputs
from tests.golden.record import of_calls, of_mesh, of_storage

Engine = Literal["reference", "native"]
ENGINES: dict[str, tuple[Engine, ...]] = {
    "nwt": ("native", "reference"),
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
    if inputs.study == "sr8000":
        return arrays_record(inputs, engine)
    machine, workload = OLD_KINDS[inputs.study]
    return _RUNS[inputs.study](
        inputs, _section(machine, inputs.machine), _section(workload, inputs.workload), engine
    )


@functools.cache
def _section(kind: Kind[Any], text: str) -> Any:
    """Read a text as if it were a file beside the files of calls."""
    return kind.parse(text, str(OLD / "workloads" / f"{kind.noun}.yaml"), ())[0]


def _nwt(inputs: Inputs, machine: Any, workload: Any, engine: Engine) -> dict[str, Any]:
    noisy = inputs.seed is not None
    plan = load_plan(machine, workload, seed=inputs.seed or 0, noisy=noisy)
    plan = plan.with_run(inputs.run, inputs.runs)
    spans = inputs.spans and engine == "reference"
    result = run_plan(plan, engine=engine, record=True, timeline=spans, debug=True)
    return of_storage(plan, result, spans=spans)


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
    "nwt": _nwt,
    "orion": _orion,
    "ninf": _ninf,
}
