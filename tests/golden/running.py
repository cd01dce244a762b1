"""From the inputs of a case to its record.

The NWT's and the SR8000's cases run on the simulators of version 1; those of machines with services
are converted, and run on the one that has replaced theirs (:mod:`tests.golden.services`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal

from simulator.config.load import Kind
from simulator.parallel import load_io_plan, run_io_plan
from tests.golden.case import OLD
from tests.golden.inputs import OLD_KINDS, Inputs
from tests.golden.record import of_io
from tests.golden.services import services_record

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
    if inputs.study not in _RUNS:
        return services_record(inputs)
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


_RUNS: dict[str, Callable[[Inputs, Any, Any, Engine], dict[str, Any]]] = {
    "sr8000": _sr8000,
}
