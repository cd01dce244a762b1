"""What tests compare engines by: the whole result of a plan as one line of JSON."""

from __future__ import annotations

import json
import traceback
from typing import TYPE_CHECKING, Any

from simulator.engine.native.run import run_native
from simulator.engine.reference import run_reference
from simulator.plan.plan import Plan as ComposedPlan
from simulator.result.errors import SimulationError
from simulator.simulate import load_plan
from simulator.study.study import load_study
from tests.composed.compare import outcome as composed_outcome
from tests.composed.draw import plan_of
from tests.plans import any_plan

if TYPE_CHECKING:
    from simulator.engine.plan import Plan

STUDY = "nwt"
COMPOSED = "composed-"


def record(engine: str, plan: Plan | ComposedPlan) -> str:
    """The result of a plan, the engine's name left out; or who is blocked, or what is broken."""
    if isinstance(plan, ComposedPlan):
        return json.dumps(composed_record(engine, plan), sort_keys=True)
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


def composed_record(engine: str, plan: ComposedPlan) -> dict[str, Any]:
    """The result of a composed plan."""
    if engine == "reference":
        from simulator.reference.run import run_reference as run
    else:
        from simulator.native.run import run_native as run
    return composed_outcome(run, plan)


def composed_named(name: str) -> ComposedPlan | None:
    """The composed plan of a seed, as ``composed-17``; None for another name."""
    if not name.startswith(COMPOSED):
        return None
    return plan_of(int(name.removeprefix(COMPOSED)))


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
