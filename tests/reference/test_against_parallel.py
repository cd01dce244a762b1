"""Plans of parallel input and output at random: the old engines against those of composed plans."""

from __future__ import annotations

from random import Random

import pytest

from simulator.engine.parallel_io import run_reference_io
from simulator.native.run import run_native
from simulator.reference.run import run_reference
from tests.arrays import any_io_plan
from tests.composed.compare import complaint
from tests.interpreted import interpreted, is_compiled
from tests.reference.from_parallel import composed, new_words, old_words


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_plans_of_seeds(first: int) -> None:
    for seed in range(first, first + 20):
        plan = any_io_plan(Random(seed))
        found = run_native(composed(plan), debug=True, record=True, timeline=True)
        assert new_words(plan, found) == old_words(run_reference_io(plan)), seed


def test_whole_results_of_all_engines() -> None:
    run, clock = interpreted("simulator.native.run", "simulator.native.clock")
    assert not is_compiled(clock)
    engines = {"reference": run_reference, "native": run_native, "interpreted": run.run_native}
    for seed in range(100, 130):
        assert not complaint(engines, composed(any_io_plan(Random(seed)))), seed
