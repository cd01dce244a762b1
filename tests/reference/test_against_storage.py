"""Storage plans drawn at random: today's reference engine against this one, whole results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.engine.reference import run_reference as run_storage
from simulator.reference.run import run_reference
from simulator.result.errors import SimulationError
from tests.plans import any_plan
from tests.reference.from_storage import composed, new_words, old_words

if TYPE_CHECKING:
    from simulator.engine.plan import Plan


def compare(plan: Plan) -> None:
    try:
        expected = run_storage(plan, record=True, timeline=True)
    except SimulationError:
        with pytest.raises(SimulationError):
            run_reference(composed(plan), debug=True)
        return
    found = run_reference(composed(plan), debug=True, record=True, timeline=True)
    assert new_words(found) == old_words(plan, expected)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_plans_of_seeds(first: int) -> None:
    for seed in range(first, first + 10):
        plan = any_plan(seed)
        if len(plan.jobs) <= 12:  # those of many clients are with the slow tests
            compare(plan)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 250, 30))
def test_plans_of_many_clients(first: int) -> None:
    for seed in range(first, first + 30):
        compare(any_plan(seed))
