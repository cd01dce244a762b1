"""Storage plans drawn at random: today's native engine against the new one, whole results."""

from __future__ import annotations

import pytest

from simulator.engine.native.run import run_native as run_storage
from simulator.native.run import run_native
from simulator.result.errors import SimulationError
from tests.plans import any_plan
from tests.reference.from_storage import composed, new_words, old_words


def compare(seed: int) -> None:
    plan = any_plan(seed)
    try:
        expected = run_storage(plan, record=True)
    except SimulationError:
        with pytest.raises(SimulationError):
            run_native(composed(plan), debug=True)
        return
    found = run_native(composed(plan), debug=True, record=True)
    found.spans = []
    assert new_words(found) == old_words(plan, expected)


@pytest.mark.parametrize("first", range(300, 360, 10))
def test_plans_of_seeds(first: int) -> None:
    for seed in range(first, first + 10):
        compare(seed)
