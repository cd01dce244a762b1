"""What tests compare engines by: the whole result of a drawn plan as one line of JSON."""

from __future__ import annotations

import json

from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from tests.composed.compare import outcome
from tests.composed.draw import any_plan_of


def record(engine: str, plan: Plan) -> str:
    """The result of a plan, the engine's name left out; or who is blocked, or what is broken."""
    run = run_reference if engine == "reference" else run_native
    return json.dumps(outcome(run, plan), sort_keys=True)


def plan_named(name: str) -> Plan:
    """The plan of a seed, as ``17``."""
    return any_plan_of(int(name))
