"""Queues of jobs that the kernel refuses, and the kinds that it has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simulator.errors import RefusedError
from simulator.native.run import run_native
from simulator.native.tables import LAYOUT
from tests.engines.batches import Batch


def test_the_kernel_has_the_kinds_of_queues() -> None:
    assert set(LAYOUT["orders"]) >= {"fcfs", "shortest", "priority", "fair-share"}
    assert set(LAYOUT["backfills"]) >= {"none", "easy", "conservative"}


def test_kinds_that_the_kernel_lacks_are_named() -> None:
    for field, what in (("order", "order of jobs 'best'"), ("backfill", "backfill 'best'")):
        batch = Batch(**{field: "best"})
        batch.job(0, 1, 1)
        with pytest.raises(RefusedError, match=rf"has no {what}, such as that of batch"):
            run_native(batch.plan())


@pytest.mark.parametrize("wrong", [{"user": 7}, {"user": -1}, {"pool": 1}, {"limits": (0,)}])
def test_a_plan_made_by_hand_that_names_what_is_not_there_is_refused(wrong: dict[str, Any]) -> None:
    """A user, a pool of nodes or a limit that the queue has not: no memory is read for it."""
    batch = Batch(2)
    batch.job(0, 1, 10)
    plan = batch.plan()
    (queue,) = plan.queues
    jobs = tuple(replace(one, **wrong) for one in queue.jobs)
    with pytest.raises(Exception, match="names a user, a pool or a limit that the queue has not"):
        run_native(replace(plan, queues=(replace(queue, jobs=jobs),)))
