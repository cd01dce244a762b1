"""The identities hold on random plans, whichever engine runs them."""

from __future__ import annotations

import pytest

from simulator.native.run import run_native
from simulator.reference.run import run_reference
from simulator.result.errors import SimulationError
from simulator.result.identities import broken_identities
from tests.draws.plans.draw import plan_of

SEEDS = 40


@pytest.mark.parametrize("seed", range(SEEDS))
def test_they_hold(seed: int) -> None:
    plan = plan_of(seed)
    for run in (run_native, run_reference):
        try:
            result = run(plan, timeline=True)
        except SimulationError:  # Processes that wait for each other: no result.
            continue
        assert list(broken_identities(plan, result)) == []
