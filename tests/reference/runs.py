"""Runs of plans on both engines: by hand, and of machines and jobs as users write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.inputfile import Text
from simulator.native.run import run_native
from simulator.reference.run import run_reference
from simulator.run import load_plan
from tests.engines.compare import SAMPLES, plain
from tests.twins.plans.faults import faults

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from tests.engines.hand import Hand


FREE = "{kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}"
"""A processor whose work costs next to nothing."""
KEPT = {"spans", "calls", "changes", "curves", "call_curve"}
"""What a result has only if it was asked for."""


def planned(machine: str, jobs: str, *, seed: int = 0, **settings: str) -> Plan:
    """Lower a machine and jobs, without their first lines; nothing is wrong with the plan."""
    heads = [f"format: {kind}\nname: test\ntitle: test\n" for kind in ("machine/2", "workload/2")]
    texts = (Text(head + text, "test") for head, text in zip(heads, (machine, jobs), strict=True))
    plan = load_plan(*texts, settings=settings.items(), seed=seed)
    assert faults(plan) == []
    return plan


def run(hand: Hand, **fields: Any) -> Result:
    """Carry out a plan by hand on both engines, and see that the records change nothing."""
    plan = hand.plan(**fields)
    recorded, bare = both(plan), plain(run_reference(plan, debug=True))
    kept = {name: one for name, one in bare.items() if name not in KEPT}
    assert {name: plain(recorded)[name] for name in kept} == kept
    return recorded


def both(plan: Plan) -> Result:
    """Carry out a plan on both engines, which give the same, and check its identities."""
    result = run_reference(plan, debug=True, record=True, timeline=True, samples=SAMPLES)
    native = plain(run_native(plan, debug=True, record=True, timeline=True, samples=SAMPLES))
    assert {**native, "engine": ""} == {**plain(result), "engine": ""}
    return result


def ends(result: Result) -> list[int]:
    """Return when each process ended."""
    return [one.ended_ns for one in result.processes]


def spent(result: Result, process: int = 0) -> dict[str, tuple[int, int]]:
    """Return the account of a process."""
    return result.processes[process].spent


def counts(result: Result, store: str) -> dict[str, int]:
    """Return the counters of a store that are not 0."""
    return {name: count for name, count in result.stores[store].counts.items() if count}
