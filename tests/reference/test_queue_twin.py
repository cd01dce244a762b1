"""Drawn batch queues against their naive twin, and what their runs must have in common."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from simulator.plan.errors import BlockedError
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import Result
from tests.draws.queues import drawn_queue_plan
from tests.twins.batch import TwinRun
from tests.twins.plans.faults import faults

WAITING = {
    "its job to start (queue batch)",
    "its queue to bring its data",
    "the end of its job",
}


def outcome(plan: Plan, *, recorded: bool = False) -> Result | Mapping[str, str]:
    """Give the result of a run, or the processes that it leaves blocked."""
    try:
        return run_reference(plan, debug=True, record=recorded, timeline=recorded)
    except BlockedError as error:
        return error.blocked


def compare(plan: Plan) -> bool:
    """Compare all times, nodes and events; tell whether the run ended."""
    twin = TwinRun(plan)
    twin.run()
    names = (one.name for one in plan.processes)
    blocked = {name for name, end in zip(names, twin.ended, strict=True) if end < 0}
    result = outcome(plan)
    if not isinstance(result, Result):
        assert set(result) == blocked
        return False
    assert not blocked
    for one, queue in zip(result.queues, twin.queues, strict=True):
        for row, job in enumerate(queue.jobs):
            times = (one.ready[row], one.start[row], one.end[row], one.done[row])
            assert times == (job.ready, job.start, job.end, job.done), job.plan.name
            assert one.nodes_of(row).tolist() == [member for _, member in job.nodes], job.plan.name
    assert [one.ended_ns for one in result.processes] == twin.ended
    assert (result.events, result.end_ns) == (twin.events, twin.end_ns)
    return True


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(100), id="0"),
        pytest.param(range(100, 300), id="100"),
        pytest.param(range(300, 600), marks=pytest.mark.slow, id="300"),
        pytest.param(range(600, 3000), marks=pytest.mark.long, id="600"),
    ],
)
def test_drawn_queues_are_as_of_the_twin(seeds: range) -> None:
    ended = [compare(drawn_queue_plan(seed, computing=True)) for seed in seeds]
    assert sum(ended) > 0.8 * len(ended)


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 600), marks=pytest.mark.long)])
def test_drawn_queues_that_move_data_keep_the_identities(seeds: range) -> None:
    for seed in seeds:
        plan = drawn_queue_plan(seed)
        assert faults(plan) == []
        result = outcome(plan, recorded=True)
        if not isinstance(result, Result):
            assert set(result.values()) <= WAITING, seed
