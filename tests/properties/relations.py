"""What tests of relations between runs share: draws, runs, and what of two runs is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from hypothesis import Phase, assume, settings
from hypothesis import strategies as st

from simulator.native.run import run_native
from simulator.plan.errors import SimulationError
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import ProcessResult, Result
from tests.draws.plans.changes import alone, exact_plan
from tests.examples import examples
from tests.twins.plans.faults import faults

rngs = st.randoms(use_true_random=False)
seeds = st.integers(0, 2**32)
engines = st.sampled_from((run_reference, run_native))
Engine = Any


def drawn(full: int) -> settings:
    """Settings for so many examples; Hypothesis takes minutes to make a plan smaller."""
    return settings(max_examples=examples(full), phases=[Phase.generate])


def run(engine: Engine, plan: Plan) -> Result:
    """Carry a plan out; one that never ends says nothing."""
    assert faults(plan) == []
    try:
        result: Result = engine(plan, debug=True)
    except SimulationError:
        assume(False)
        raise
    return result


def drawn_until(seed: int, good: Callable[[Plan], bool]) -> Plan:
    """Draw exact plans whose processes meet nowhere, until one of them will do."""
    rng = Random(seed)
    while not good(plan := alone(exact_plan(rng))):
        pass
    return plan


def seen(processes: Iterable[ProcessResult]) -> list[Any]:
    """What processes measure, but for their names."""
    return [
        (p.started_ns, p.ended_ns, p.read, p.write, p.compute_ns, p.idle_ns, p.spent)
        for p in processes
    ]


def times_of(result: Result, unit: int = 1) -> list[Any]:
    """Every time of a result in units of so many ns, with what was counted beside it."""
    processes = [
        (
            one.started_ns / unit,
            one.ended_ns / unit,
            one.compute_ns / unit,
            one.idle_ns / unit,
            (
                one.read.bytes,
                one.read.calls_ns / unit,
                one.read.io_ns / unit,
                one.read.elapsed_ns / unit,
            ),
            (
                one.write.bytes,
                one.write.calls_ns / unit,
                one.write.io_ns / unit,
                one.write.elapsed_ns / unit,
            ),
            {name: (wait / unit, service / unit) for name, (wait, service) in one.spent.items()},
        )
        for one in result.processes
    ]
    parts = {
        name: (part.requests, part.bytes, part.busy_ns / unit)
        for name, part in result.parts.items()
    }
    stores = {
        name: {key: count for key, count in store.counts.items() if not key.endswith("_ns")}
        for name, store in result.stores.items()
    }
    latencies = {
        name: (one.count, one.sum_ns / unit, one.max_ns / unit)
        for name, one in result.latencies.items()
    }
    by_job = [
        (job, name, one.count, one.sum_ns / unit)
        for job, latencies in result.job_latencies.items()
        for name, one in latencies.items()
    ]
    whole = (result.elapsed_ns / unit, result.end_ns / unit, result.prestage_ns / unit)
    stable = {job: (one.bytes, one.last_ns / unit) for job, one in result.stable.items()}
    return [whole, processes, parts, stores, latencies, by_job, stable, result.events]
