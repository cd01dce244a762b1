"""Plans of parallel input and output at random: today's reference engine against this one."""

from __future__ import annotations

from random import Random

import pytest

from simulator.engine.parallel_io import run_reference_io
from simulator.reference.run import run_reference
from tests.arrays import any_io_plan
from tests.reference.from_parallel import composed, new_words, old_words


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_plans_of_seeds(first: int) -> None:
    for seed in range(first, first + 20):
        plan = any_io_plan(Random(seed))
        found = run_reference(composed(plan), debug=True, record=True, timeline=True)
        assert new_words(plan, found) == old_words(run_reference_io(plan)), seed
