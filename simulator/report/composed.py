"""A finished run with its machine, for the commands."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from simulator.report.outcome import Outcome
from simulator.run import EngineName, Inputs, Setting, load_inputs, run_plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.plan.plan import Plan
    from simulator.result.result import Result

_ORDER = (
    *("paper", "literature", "measured", "calibrated", "assumed"),
    *("unstated", "set by the user", "default"),
)
"""Sources as reports list them."""


def outcome_of(inputs: Inputs, plan: Plan, result: Result) -> Outcome:
    """Return a finished run with the title of its machine and the sources of all values."""
    from simulator.config.sources import provenance

    kinds: Counter[str] = Counter(
        one.kind for section in (inputs.machine, inputs.workload) for one in provenance(section)
    )
    sources = {kind: kinds[kind] for kind in _ORDER if kinds[kind]}
    return Outcome(plan, result, inputs.machine.title, sources)


def run_composed(
    machine: str,
    workload: str,
    *,
    settings: Iterable[Setting] = (),
    seed: int | None = None,
    engine: EngineName = "auto",
    debug: bool = False,
) -> Outcome:
    """Load, run and report: a machine of format ``machine/2``."""
    inputs = load_inputs(machine, workload, settings, noisy=seed is not None)
    plan = inputs.plan(seed=seed)
    return outcome_of(inputs, plan, run_plan(plan, engine=engine, debug=debug))
