"""The kernel in C++ gives the results of the other engines, to the nanosecond."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from simulator.errors import RefusedError
from simulator.native.run import run_native
from simulator.plan.codes import TIERS
from simulator.plan.plan import Plan
from simulator.result.errors import LimitError, SimulationError
from simulator.result.totals import totals_of
from tests.draws.plans.draw import any_plan_of, plan_of
from tests.engines.compare import outcome

kernel = pytest.importorskip(
    "simulator.native.kernel", reason="the kernel is not compiled (make test compiles it)"
)
kernelrun = pytest.importorskip("simulator.native.kernelrun")

EACH = 25


@pytest.mark.parametrize("first", range(0, 150, EACH))
def test_drawn_plans_have_equal_results(first: int) -> None:
    for seed in range(first, first + EACH):
        plan = any_plan_of(seed)
        assert outcome(kernelrun.run_kernel, plan) == outcome(run_native, plan), seed


def repeated(plan: Plan, times: int) -> Plan:
    """A plan whose processes do what they do many times more, and without noise."""
    processes = [
        replace(one, repeat=one.repeat * times) if one.arrivals < 0 and one.until < 0 else one
        for one in plan.processes
    ]
    parts = [replace(part, noise=replace(part.noise, exponential=False)) for part in plan.parts]
    return replace(plan, processes=tuple(processes), parts=tuple(parts), noisy=False)


def result(plan: Plan, *, fast_forward: bool) -> tuple[Any, int]:
    """A result and how many of its periods went by arithmetic; or what was wrong."""
    try:
        found = kernelrun.run_kernel(plan, debug=True, fast_forward=fast_forward)
    except (SimulationError, RefusedError, LimitError) as error:
        return f"{type(error).__name__}: {error}", 0
    periods, found.repeats = found.repeats.periods, None
    return found, periods


def test_what_repeats_itself_is_carried_on_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernelrun, "SHARE", 0)
    carried = 0
    for seed in range(120):
        plan = repeated(plan_of(seed), Random(seed).choice([3, 20, 40]))
        one, periods = result(plan, fast_forward=True)
        assert (one, 0) == result(plan, fast_forward=False), seed
        carried += periods > 0
    assert carried >= 5


def test_totals_are_those_of_results_and_columns_are_kept() -> None:
    known = kernelrun.Known()
    for seed in range(60):
        plan = plan_of(seed)
        faster = [
            replace(part, service=replace(part.service, overhead_ns=part.service.overhead_ns + 7))
            for part in plan.parts
        ]
        for one in (plan, replace(plan, parts=tuple(faster))):
            try:
                whole = run_native(one)
            except (SimulationError, RefusedError, LimitError):
                break
            assert kernelrun.totals_kernel(one, known) == totals_of(whole), seed


def test_the_layout_has_the_names_of_the_plan() -> None:
    layout = kernel.layout()
    assert tuple(layout["tiers"]) == TIERS
    plan = any_plan_of(1)
    for table, rows in (("tier", plan.tiers), ("store", plan.stores), ("file", plan.files)):
        derived = {
            "down_count",
            "up_count",
            "stable",
            "costs_count",
            "mark",
            "eager",
            "close",
            "rewrite",
        }
        for row in rows:
            assert all(hasattr(row, name) for name in layout["tables"][table].keys() - derived)


def test_what_a_run_does_not_have_is_no_crash() -> None:
    with pytest.raises(ValueError, match=r"there is no column plan\.instances"):
        kernel.Run({})
    with pytest.raises(TypeError):
        kernel.Run([])


def test_an_interrupt_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    class StopError(Exception):
        pass

    def stop() -> bool:
        raise StopError

    monkeypatch.setattr(kernelrun, "STRETCH", 1)
    plan = next(plan for seed in range(50) if (plan := plan_of(seed)).processes)
    with pytest.raises(StopError):
        kernelrun.run_kernel(plan, stopped=stop)
