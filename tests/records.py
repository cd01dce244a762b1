"""What tests compare engines by: the whole result of a plan as one line of JSON."""

from __future__ import annotations

import json
import traceback
from typing import TYPE_CHECKING

from simulator.engine.native.run import run_native
from simulator.engine.reference import run_reference
from simulator.engine.result import SimulationError
from simulator.simulate import load_plan
from simulator.study.study import load_study
from tests.plans import any_plan

if TYPE_CHECKING:
    from simulator.engine.plan import Plan

STUDY = "nwt"


def record(engine: str, plan: Plan) -> str:
    """The result of a plan, the engine's name left out; or who is blocked, or what is broken."""
    run = run_reference if engine == "reference" else run_native
    try:
        outcome = run(plan, debug=True, record=True)
        result = outcome.to_json()
        assert outcome.calls is not None
        columns = [list(column) for column in outcome.calls.columns()]
        result["calls"] = [outcome.calls.first, outcome.calls.count, *columns]
    except SimulationError as error:
        result = {"blocked": str(error)}
    except Exception:  # noqa: BLE001 - whatever it is, it is what the plan has found
        result = {"broken": traceback.format_exc()}
    result.pop("engine", None)
    return json.dumps(result)


def plan_named(name: str) -> Plan:
    """The plan of a seed, as ``17``, or of a published cell, as ``read-1pe-8MB`` (``+noise``)."""
    if name.isdecimal():
        return any_plan(int(name))
    cell_id, _, noise = name.partition("+")
    (cell,) = (cell for cell in load_study(STUDY).cells if cell.id == cell_id)
    return load_plan(STUDY, cell.workload, settings=cell.settings, seed=7, noisy=noise == "noise")


def cell_names() -> list[str]:
    """The names of all published cells, without noise and with it."""
    return [cell.id + noise for cell in load_study(STUDY).cells for noise in ("", "+noise")]
