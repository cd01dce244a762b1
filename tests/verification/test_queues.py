"""Identities of batch queues: each finds the one number that is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simulator.plan.queues import LimitPlan, PoolPlan
from simulator.result.queues import QueueResult
from simulator.result.result import Result
from simulator.verification.identities import broken_identities
from tests.engines.batches import Batch


def a_batch() -> Batch:
    """Two jobs on nodes 0 to 2, then one on node 3, with data, while these nodes are on."""
    pool = PoolPlan(first=0, count=4, off=((100, 110),))
    batch = Batch(pools=(pool,), limits=(LimitPlan(jobs=2),))
    batch.job(0, 2, 50, limits=(0,))
    batch.job(5, 1, 50, limits=(0,))
    batch.job(10, 1, 20, bring=(10,), take=(20,), limits=(0,))
    return batch


def test_a_result_that_is_right() -> None:
    batch = a_batch()
    result = batch.run()
    assert list(broken_identities(batch.plan(), result)) == []
    assert result.queues[0].start.tolist() == [0, 5, 50]


def _set(column: str, row: int, value: int) -> Callable[[QueueResult], None]:
    def change(one: QueueResult) -> None:
        getattr(one, column)[row] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_set("start", 1, 4), "submitted, started, ended and done at"),
        (_set("ready", 2, 51), "its data were there at 51 ns"),
        (_set("done", 0, 60), "job0: ended at 50 ns, done at 60"),
        (_set("node", 1, 0), r"had nodes \[0, 0\], and asked for 2"),
        (_set("node", 1, 7), "had node 7 at 0 ns, of none of its pools"),
        (_set("start", 2, 85), "had node 0 at 85 ns, which goes off or is"),
        (_set("start", 2, 45), "job2: its processes started at .50. ns, not at 45"),
        (_set("end", 2, 71), "job2: the last of its processes did not end at 71 ns"),
        (_set("start", 2, 45), "3 jobs and 4 nodes at one time under limit 0"),
        (_set("node", 2, 1), "two jobs on node 1 at 5 ns"),
    ],
)
def test_a_wrong_number_is_found(change: Callable[[QueueResult], None], said: str) -> None:
    batch = a_batch()
    result = batch.run()
    change(result.queues[0])
    with pytest.raises(AssertionError, match=said):
        _check(batch, result)


def test_a_missing_queue_is_found() -> None:
    batch = a_batch()
    result = batch.run()
    result.queues = []
    with pytest.raises(AssertionError, match="0 queues where 1 were planned"):
        _check(batch, result)


def _check(batch: Batch, result: Result) -> None:
    broken = list(broken_identities(batch.plan(), result))
    assert broken == [], "; ".join(broken)
