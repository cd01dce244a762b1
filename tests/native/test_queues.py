"""Queues of jobs: schedules computed by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simulator.errors import RefusedError
from simulator.native.run import run_native
from simulator.native.tables import LAYOUT
from simulator.plan.errors import MOST, BlockedError
from simulator.plan.queues import LimitPlan, PoolPlan
from tests.native.batches import Batches


def test_the_kernel_has_the_kinds_of_queues() -> None:
    assert set(LAYOUT["orders"]) >= {"fcfs", "shortest", "priority", "fair-share"}
    assert set(LAYOUT["backfills"]) >= {"none", "easy", "conservative"}


# -- first come, first served ---------------------------------------------------------------------


def test_a_job_alone() -> None:
    """Submission, and the end of computing: two events."""
    batches = Batches()
    batches.add(10, 3, 100)
    result = batches.run()
    (queue,) = result.queues
    assert (queue.name, queue.submit.tolist(), queue.ready.tolist()) == ("batch", [10], [-1])
    assert [*queue.start, *queue.end, *queue.done] == [10, 110, 110]
    assert queue.nodes_of(0).tolist() == [0, 1, 2]
    (process,) = result.processes
    assert (process.started_ns, process.ended_ns, process.compute_ns) == (10, 110, 100)
    assert (result.elapsed_ns, result.end_ns, result.events) == (110, 110, 2)


def test_jobs_wait_for_those_before_them() -> None:
    """j1 needs all nodes and waits for j0; j2, which would fit beside j0, waits for j1.

    Events: three submissions, two wakings, three ends.
    """
    batches = Batches()
    batches.add(0, 2, 100)
    batches.add(1, 4, 50)
    batches.add(2, 1, 10)
    result = batches.run()
    assert result.queues[0].start.tolist() == [0, 100, 150]
    assert result.events == 8


def test_nodes_are_taken_from_the_lowest_number_on() -> None:
    batches = Batches(200)
    batches.add(0, 1, 50)
    batches.add(0, 70, 10)
    batches.add(0, 100, 100)
    batches.add(5, 90, 10, 10)
    queue = batches.jobs_run()
    assert queue.nodes_of(1).tolist() == [*range(1, 71)]
    assert queue.nodes_of(2).tolist() == [*range(71, 171)]
    assert queue.start[3] == 10
    assert queue.nodes_of(3).tolist() == [*range(1, 71), *range(171, 191)]


def test_of_one_time_lower_processes_are_submitted_first() -> None:
    """Rows 0 and 1 in the other order of their processes: at its turn, j1 finds nothing waiting."""
    batches = Batches(1)
    batches.add(0, 1, 10)
    batches.add(0, 1, 20)
    one, other = batches.jobs
    batches.jobs = [replace(one, first=1), replace(other, first=0)]
    assert batches.starts() == [10, 0]


# -- backfills ------------------------------------------------------------------------------------


def backfilled(kind: str) -> list[int]:
    """j0 has 3 of 4 nodes until 100, and asked for that; j1 needs all: it can start at 100.

    j2 is over by then, j3 is not.
    """
    batches = Batches(backfill=kind)
    batches.add(0, 3, 100)
    batches.add(1, 4, 10)
    batches.add(2, 1, 99)
    batches.add(2, 1, 98)
    return batches.starts()


@pytest.mark.parametrize(
    ("kind", "starts"),
    [("none", [0, 100, 110, 110]), ("easy", [0, 100, 110, 2]), ("conservative", [0, 100, 110, 2])],
)
def test_a_job_passes_if_it_does_not_delay_the_head(kind: str, starts: list[int]) -> None:
    assert backfilled(kind) == starts


def test_easy_lets_pass_what_the_head_does_not_need() -> None:
    """The head needs 3 of 4 nodes at 100: one is spare, for one long job and not for two."""
    batches = Batches(backfill="easy")
    batches.add(0, 2, 100)
    batches.add(1, 3, 10)
    batches.add(2, 1, 1000)
    batches.add(3, 1, 1000)
    assert batches.starts() == [0, 100, 2, 110]


def test_easy_delays_those_behind_the_head() -> None:
    """j3 may pass j1 and delays j2, which conservative backfilling does not allow.

    Nodes: j0 has 2 until 100. j1 needs 3 at 100 for 50, j2 needs 4 at 150. j3 asks for 1 node until
    203.
    """
    starts = {}
    for kind in ("easy", "conservative"):
        batches = Batches(backfill=kind)
        batches.add(0, 2, 100)
        batches.add(1, 3, 50)
        batches.add(2, 4, 10)
        batches.add(3, 1, 200)
        starts[kind] = batches.starts()
    assert starts == {"easy": [0, 100, 203, 3], "conservative": [0, 100, 150, 160]}


def test_jobs_end_earlier_and_later_than_expected() -> None:
    """At 50 j0 ends, for which 100 was expected: j1 starts. j2 asked for 10 and takes 100.

    From 60 on it is expected to end in the next nanosecond: j4 submitted at 70 may not pass j3.
    """
    batches = Batches(backfill="easy")
    batches.add(0, 4, 50, 100)
    batches.add(1, 2, 100, 100)
    batches.add(1, 1, 100, 10)
    batches.add(60, 2, 10)
    batches.add(70, 1, 2, 2)
    batches.add(80, 1, 1, 1)
    assert batches.starts() == [0, 50, 50, 150, 150, 80]


def test_requested_times_near_the_limit_do_not_wrap() -> None:
    for kind in ("easy", "conservative"):
        batches = Batches(backfill=kind)
        batches.add(1, 3, 10, MOST)
        for _ in range(5):
            batches.add(2, 4, 1, MOST)
        batches.add(3, 1, 5, MOST)
        batches.add(3, 1, 5, MOST - 10)
        assert batches.starts() == [1, 11, 12, 13, 14, 15, 16, 3]


# -- orders ---------------------------------------------------------------------------------------


def test_the_shortest_request_is_first() -> None:
    batches = Batches(1, order="shortest")
    batches.add(0, 1, 100)
    for requested in (30, 10, 20, 10):
        batches.add(1, 1, 5, requested)
    assert batches.starts() == [0, 115, 100, 110, 105]


def test_priority_and_waiting() -> None:
    """Without aging the higher one; with it 10 ns of waiting are a point."""
    starts = []
    for aging in (0, 10):
        batches = Batches(1, order="priority", aging_ns=aging)
        batches.add(0, 1, 100)
        batches.add(1, 1, 5, priority=0)
        batches.add(12, 1, 5, priority=1)
        batches.add(12, 1, 5, priority=-1)
        batches.add(20, 1, 5, priority=2)
        starts.append(batches.starts())
    assert starts == [[0, 110, 105, 115, 100], [0, 105, 110, 115, 100]]


def test_fair_share_counts_running_and_ended_jobs() -> None:
    """At 71 user 0 had 2 nodes for 10 ns, user 1 one for 30: 20 and 30.

    These are 5 and 15 if they are halved at 25 and 50, before which the second has not ended.
    """
    batches = Batches(3, order="fair-share", users=("a", "b", "c"), half_life_ns=25)
    batches.add(0, 2, 10, user=0)
    batches.add(0, 1, 30, user=1)
    batches.add(11, 2, 60, user=2)
    batches.add(12, 3, 5, user=1)
    batches.add(13, 3, 5, user=0)
    assert batches.starts() == [0, 0, 11, 76, 71]
    batches.fields["half_life_ns"] = 0
    assert batches.starts() == [0, 0, 11, 76, 71]


def test_usage_is_halved() -> None:
    """At 39 user 0 has 40, or 20 if that is halved at 30; user 1 has 28, which is counted then."""
    starts = []
    for half_life in (0, 30):
        batches = Batches(2, order="fair-share", users=("a", "b"), half_life_ns=half_life)
        batches.add(0, 2, 20, user=0)
        batches.add(25, 2, 14, user=1)
        batches.add(26, 2, 5, user=1)
        batches.add(26, 2, 5, user=0)
        starts.append(batches.starts())
    assert starts == [[0, 25, 39, 44], [0, 25, 44, 39]]


# -- limits, pools, hours -------------------------------------------------------------------------


def test_limits_are_passed_over() -> None:
    """One job of the first limit at a time; two nodes of the second."""
    batches = Batches(limits=(LimitPlan(jobs=1), LimitPlan(nodes=2)))
    batches.add(0, 1, 100, limits=(0,))
    batches.add(0, 1, 10, limits=(0,))
    batches.add(0, 2, 50, limits=(1,))
    batches.add(0, 1, 10, limits=(1, 0))
    batches.add(0, 1, 10)
    assert batches.starts() == [0, 100, 0, 110, 0]


def test_a_job_takes_nodes_with_less_memory_first() -> None:
    """From its own pool on, which may not be the first."""
    pools = (PoolPlan(first=2, count=2, memory=1), PoolPlan(first=0, count=2, memory=2))
    batches = Batches(pools=pools, backfill="easy")
    batches.add(0, 3, 100)
    batches.add(1, 2, 10, pool=1)
    batches.add(2, 1, 97, pool=1)
    batches.add(3, 1, 98)
    queue = batches.jobs_run()
    assert queue.nodes_of(0).tolist() == [2, 3, 0]
    assert queue.start.tolist() == [0, 100, 2, 100]
    assert queue.nodes_of(1).tolist() == [0, 1]
    assert queue.nodes_of(3).tolist() == [2]


def test_nodes_that_are_off_end_no_job_later_than_that() -> None:
    """Off from 50 to 80: what asks for more waits, and the clock of the queue rings at 80."""
    pools = (PoolPlan(first=0, count=2, off=((50, 80),)), PoolPlan(first=2, count=2))
    batches = Batches(pools=pools)
    batches.add(0, 4, 50)
    batches.add(1, 2, 25)
    batches.add(2, 3, 10)
    result = batches.run()
    queue = result.queues[0]
    assert queue.start.tolist() == [0, 50, 80]
    assert queue.nodes_of(1).tolist() == [2, 3]
    assert result.events == 3 + 3 + 2 + 1


@pytest.mark.parametrize(("kind", "last"), [("easy", 3), ("conservative", 3), ("none", 100)])
def test_a_head_waits_for_its_nodes_to_go_on(kind: str, last: int) -> None:
    pools = (PoolPlan(first=0, count=2, off=((0, 100),)), PoolPlan(first=2, count=2))
    batches = Batches(pools=pools, backfill=kind)
    batches.add(1, 1, 20)
    batches.add(2, 3, 10)
    batches.add(3, 1, 90)
    assert batches.starts() == [1, 100, last]


def test_nodes_that_are_off_for_ever_leave_jobs_that_wait() -> None:
    batches = Batches(pools=(PoolPlan(first=0, count=4, off=((0, MOST),)),), backfill="easy")
    batches.add(1, 1, 20, brings=5, takes=5)
    with pytest.raises(BlockedError) as error:
        batches.run()
    assert error.value.blocked == {
        "j0": "its job to start (queue batch)",
        "j0.out": "the end of its job",
    }


def test_conservative_takes_what_it_has_planned() -> None:
    """A node of pool 0 is free at 3, but planned for j2 from 40 on: j3 takes one of pool 1."""
    pools = (PoolPlan(first=0, count=2), PoolPlan(first=2, count=4))
    batches = Batches(6, pools=pools, backfill="conservative")
    batches.add(0, 1, 50)
    batches.add(1, 3, 39, pool=1)
    batches.add(2, 3, 200)
    batches.add(3, 1, 100)
    queue = batches.jobs_run()
    assert queue.start.tolist() == [0, 1, 40, 3]
    assert queue.nodes_of(2).tolist() == [1, 2, 3]
    assert queue.nodes_of(3).tolist() == [5]


# -- data -----------------------------------------------------------------------------------------


def test_data_are_brought_before_and_taken_away_after() -> None:
    batches = Batches(1)
    batches.add(0, 1, 100, brings=30, takes=20)
    batches.add(5, 1, 10, brings=10)
    result = batches.run()
    queue = result.queues[0]
    assert queue.ready.tolist() == [30, 15]
    assert queue.start.tolist() == [30, 15]
    assert queue.end.tolist() == [130, 25]
    assert queue.done.tolist() == [150, 25]
    spans = {one.name: (one.started_ns, one.ended_ns) for one in result.processes}
    assert spans["j0.in"] == (0, 30)
    assert spans["j0.out"] == (130, 150)


def test_a_job_that_does_not_hold_starts_without_its_data() -> None:
    batches = Batches(1)
    batches.add(0, 1, 10, brings=30, holds=False)
    queue = batches.jobs_run()
    assert (queue.start[0], queue.end[0], queue.ready[0]) == (0, 10, 30)


def test_data_of_the_first_jobs_are_brought() -> None:
    """Of one waiting job at a time; one without data counts."""
    batches = Batches(1, ahead=1)
    batches.add(0, 1, 100)
    batches.add(1, 1, 10)
    batches.add(2, 1, 10, brings=5)
    batches.add(2, 1, 10, brings=5)
    result = batches.run()
    queue = result.queues[0]
    assert queue.start.tolist() == [0, 100, 115, 130]
    assert queue.ready.tolist() == [-1, -1, 115, 130]


def test_kinds_that_the_kernel_lacks_are_named() -> None:
    for field, what in (("order", "order of jobs 'best'"), ("backfill", "backfill 'best'")):
        batches = Batches(**{field: "best"})
        batches.add(0, 1, 1)
        with pytest.raises(RefusedError, match=rf"has no {what}, such as that of batch"):
            batches.run()


@pytest.mark.parametrize("wrong", [{"user": 7}, {"user": -1}, {"pool": 1}, {"limits": (0,)}])
def test_a_plan_made_by_hand_that_names_what_is_not_there_is_refused(wrong: dict[str, Any]) -> None:
    """A user, a pool of nodes or a limit that the queue has not: no memory is read for it."""
    batches = Batches(2)
    batches.add(0, 1, 10)
    plan = batches.plan()
    (queue,) = plan.queues
    jobs = tuple(replace(one, **wrong) for one in queue.jobs)
    with pytest.raises(Exception, match="names a user, a pool or a limit that the queue has not"):
        run_native(replace(plan, queues=(replace(queue, jobs=jobs),)))
