"""Batch queues by hand on both engines: when each job starts, and on which nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simulator.plan.errors import MOST
from simulator.plan.queues import LimitPlan, PoolPlan
from tests.engines.batches import Batch, nodes, queue_of, starts

# -- order ----------------------------------------------------------------------------------------


def test_first_come_first_served() -> None:
    """The second waits for the first, and the third, which would fit, behind it."""
    batch = Batch()
    batch.job(0, 3, 100)
    batch.job(10, 2, 50)
    batch.job(20, 1, 10)
    result = batch.run()
    (one,) = result.queues
    assert one.submit.tolist() == [0, 10, 20]
    assert one.start.tolist() == [0, 100, 100]
    assert one.end.tolist() == one.done.tolist() == [100, 150, 110]
    assert one.ready.tolist() == [-1, -1, -1]
    assert nodes(one) == [[0, 1, 2], [0, 1], [2]]
    assert [(p.started_ns, p.ended_ns) for p in result.processes] == [
        (0, 100),
        (100, 150),
        (100, 110),
    ]
    # Submitted three times, woken twice (the first is at its turn when it starts), computed thrice.
    assert (result.events, result.end_ns) == (8, 150)


def test_the_lowest_free_nodes_are_taken() -> None:
    batch = Batch(nodes=5)
    batch.job(0, 2, 100)
    batch.job(1, 1, 10)
    batch.job(2, 1, 100)
    batch.job(20, 2, 5)
    assert nodes(queue_of(batch)) == [[0, 1], [2], [3], [2, 4]]


def test_nodes_are_taken_from_the_lowest_number_on() -> None:
    batch = Batch(200)
    batch.job(0, 1, 50)
    batch.job(0, 70, 10)
    batch.job(0, 100, 100)
    batch.job(5, 90, 10)
    one = queue_of(batch)
    assert one.start[3] == 10
    first, later = [*range(1, 71)], [*range(71, 171)]
    assert nodes(one) == [[0], first, later, [*first, *range(171, 191)]]


def test_of_one_time_lower_processes_are_submitted_first() -> None:
    """Rows 0 and 1 in the other order of their processes: at its turn, j1 finds nothing waiting."""
    batch = Batch(1)
    batch.job(0, 1, 10)
    batch.job(0, 1, 20)
    one, other = batch.jobs
    batch.jobs = [replace(one, first=1), replace(other, first=0)]
    assert starts(batch) == [10, 0]


def test_shortest_first() -> None:
    batch = Batch(order="shortest")
    batch.job(0, 4, 100)
    batch.job(1, 4, 50)
    batch.job(2, 4, 5, asks=40)
    batch.job(3, 4, 40)
    assert starts(batch) == [0, 145, 100, 105]


def test_priority() -> None:
    batch = Batch(order="priority")
    batch.job(0, 4, 100)
    batch.job(1, 4, 10)
    batch.job(2, 4, 10, priority=1)
    batch.job(3, 4, 10, priority=1)
    assert starts(batch) == [0, 120, 100, 110]


@pytest.mark.parametrize(
    ("aging", "second", "third"), [(0, 110, 100), (20, 110, 100), (19, 100, 110)]
)
def test_priority_with_aging(aging: int, second: int, third: int) -> None:
    """A job submitted 20 ns later with one more of priority is first if a point takes 20 ns.

    At equal keys, 30 - 20 = 10, the first submitted would be first: here one has 9 - 0.
    """
    batch = Batch(order="priority", aging_ns=aging)
    batch.job(0, 4, 100)
    batch.job(11, 4, 10)
    batch.job(30, 4, 10, priority=1)
    assert starts(batch) == [0, second, third]


def test_fair_share() -> None:
    """User 0 has used 4 x 100, user 1 nothing, then 4 x 50, and is first again."""
    batch = Batch(order="fair-share", users=("ann", "ben"))
    batch.job(0, 4, 100, user=0)
    batch.job(1, 4, 10, user=0)
    batch.job(2, 4, 50, user=1)
    batch.job(3, 4, 20, user=1)
    assert starts(batch) == [0, 170, 100, 150]


@pytest.mark.parametrize(("half_life", "ann", "ben"), [(0, 200, 190), (120, 190, 200)])
def test_fair_share_with_a_half_life(half_life: int, ann: int, ben: int) -> None:
    """At 190 ann has used 4 x 100 and ben 4 x 90, but hers, of before 120, count half then."""
    batch = Batch(order="fair-share", users=("ann", "ben"), half_life_ns=half_life)
    batch.job(0, 4, 100, user=0)
    batch.job(1, 4, 90, user=1)
    batch.job(150, 4, 10, user=0)
    batch.job(150, 4, 10, user=1)
    assert starts(batch) == [0, 100, ann, ben]


def test_fair_share_counts_running_and_ended_jobs() -> None:
    """At 71 user 0 had 2 nodes for 10 ns, user 1 one for 30: 20 and 30.

    These are 5 and 15 if they are halved at 25 and 50, before which the second has not ended.
    """
    batch = Batch(3, order="fair-share", users=("a", "b", "c"), half_life_ns=25)
    batch.job(0, 2, 10, user=0)
    batch.job(0, 1, 30, user=1)
    batch.job(11, 2, 60, user=2)
    batch.job(12, 3, 5, user=1)
    batch.job(13, 3, 5, user=0)
    assert starts(batch) == [0, 0, 11, 76, 71]
    batch.fields["half_life_ns"] = 0
    assert starts(batch) == [0, 0, 11, 76, 71]


# -- backfill -------------------------------------------------------------------------------------


def easy(**fields: Any) -> Batch:
    """Three of four nodes are in use until 100; the head needs two."""
    batch = Batch(backfill="easy", **fields)
    batch.job(0, 3, 100)
    batch.job(10, 2, 50)
    return batch


def test_easy_starts_a_long_job_on_spare_nodes() -> None:
    """Of four nodes at 100 the head needs two: two jobs may have one each for longer."""
    batch = easy()
    batch.job(20, 1, 20, asks=500)
    batch.job(30, 1, 500)
    batch.job(40, 1, 500)
    assert starts(batch) == [0, 100, 20, 40, 100]


def test_easy_takes_spare_nodes_away() -> None:
    """At 50 two nodes are free, and of all four at 100 the head needs three."""
    batch = Batch(backfill="easy")
    batch.job(0, 2, 50)
    batch.job(0, 2, 100)
    batch.job(10, 3, 50)
    batch.job(20, 1, 500)
    batch.job(21, 1, 500)
    assert starts(batch) == [0, 0, 100, 50, 150]


def test_easy_lets_a_job_behind_the_head_be_delayed() -> None:
    """The third would have had its nodes at 100, without the one that passes both."""
    batch = Batch(backfill="easy")
    batch.job(0, 3, 100)
    batch.job(10, 2, 50)
    batch.job(11, 2, 50)
    batch.job(20, 1, 200)
    assert starts(batch) == [0, 100, 150, 20]


def test_conservative_delays_no_job() -> None:
    batch = Batch(backfill="conservative")
    batch.job(0, 3, 100)
    batch.job(10, 2, 50)
    batch.job(11, 2, 50)
    batch.job(20, 1, 200)
    batch.job(30, 1, 70)
    assert starts(batch) == [0, 100, 100, 150, 30]


def backfilled(kind: str) -> list[int]:
    """j0 has 3 of 4 nodes until 100, and asked for that; j1 needs all: it can start at 100.

    j2 is over by then, j3 is not.
    """
    batch = Batch(backfill=kind)
    batch.job(0, 3, 100)
    batch.job(1, 4, 10)
    batch.job(2, 1, 99)
    batch.job(2, 1, 98)
    return starts(batch)


@pytest.mark.parametrize(
    ("kind", "starts"),
    [("none", [0, 100, 110, 110]), ("easy", [0, 100, 110, 2]), ("conservative", [0, 100, 110, 2])],
)
def test_a_job_passes_if_it_does_not_delay_the_head(kind: str, starts: list[int]) -> None:
    assert backfilled(kind) == starts


def test_a_job_that_runs_longer_than_it_asked_for_may_end_at_any_time() -> None:
    """At 60 the head is expected to start at 61, so that the last may not have a nanosecond more.

    It starts when the head does, since the head leaves room.
    """
    for backfill in ("easy", "conservative"):
        batch = Batch(backfill=backfill)
        batch.job(0, 3, 100, asks=50)
        batch.job(10, 3, 10)
        batch.job(60, 2, 2)
        batch.job(60, 1, 1)
        assert starts(batch) == [0, 100, 110, 60]


def test_requested_times_near_the_limit_do_not_wrap() -> None:
    for kind in ("easy", "conservative"):
        batch = Batch(backfill=kind)
        batch.job(1, 3, 10, asks=MOST)
        for _ in range(5):
            batch.job(2, 4, 1, asks=MOST)
        batch.job(3, 1, 5, asks=MOST)
        batch.job(3, 1, 5, asks=MOST - 10)
        assert starts(batch) == [1, 11, 12, 13, 14, 15, 16, 3]


# -- limits, memory, hours ------------------------------------------------------------------------


def test_limits_are_passed_over() -> None:
    """One job of the first limit at a time; two nodes of the second."""
    batch = Batch(limits=(LimitPlan(jobs=1), LimitPlan(nodes=2), LimitPlan()))
    batch.job(0, 1, 100, limits=(0,))
    batch.job(0, 1, 10, limits=(2, 0))
    batch.job(0, 2, 50, limits=(1,))
    batch.job(0, 1, 10, limits=(1, 0))
    batch.job(0, 1, 10)
    assert starts(batch) == [0, 100, 0, 110, 0]


def pools() -> tuple[PoolPlan, ...]:
    """Two nodes with little memory, two with more."""
    small, large = PoolPlan(first=0, count=2, memory=1), PoolPlan(first=2, count=2, memory=2)
    return small, large


def test_a_job_takes_nodes_with_less_memory_first() -> None:
    """From its own pool on, which may not be the first."""
    small, large = PoolPlan(first=2, count=2, memory=1), PoolPlan(first=0, count=2, memory=2)
    batch = Batch(pools=(small, large), backfill="easy")
    batch.job(0, 3, 100)
    batch.job(1, 2, 10, pool=1)
    batch.job(2, 1, 97, pool=1)
    batch.job(3, 1, 98)
    queue = queue_of(batch)
    assert queue.start.tolist() == [0, 100, 2, 100]
    assert nodes(queue) == [[2, 3, 0], [0, 1], [1], [2]]


def test_easy_counts_spare_nodes_of_the_pools_of_the_head() -> None:
    """The head needs both nodes with memory; a node without is nothing to it."""
    batch = Batch(backfill="easy", pools=pools())
    batch.job(0, 1, 100, pool=1)
    batch.job(10, 2, 50, pool=1)
    batch.job(20, 3, 500)
    batch.job(30, 2, 500)
    assert starts(batch) == [0, 100, 530, 30]


def test_conservative_keeps_what_is_planned_in_a_pool() -> None:
    """The second is to have the small nodes at 100, so the third takes the large one for 200."""
    batch = Batch(backfill="conservative", pools=pools())
    batch.job(0, 1, 100)
    batch.job(0, 1, 100, pool=1)
    batch.job(10, 4, 50)
    batch.job(20, 1, 80)
    one = queue_of(batch)
    assert one.start.tolist() == [0, 0, 100, 20]
    assert nodes(one) == [[0], [2], [0, 1, 2, 3], [1]]


def test_conservative_takes_nodes_of_a_later_pool_where_an_earlier_one_is_promised() -> None:
    """Both small nodes and a large one are free, but the second is to have the small ones at 100.

    It is to have two large ones as well; the third has the last of them for longer.
    """
    small, large = pools()
    batch = Batch(5, backfill="conservative", pools=(small, replace(large, count=3)))
    batch.job(0, 2, 100, pool=1)
    batch.job(10, 4, 50)
    batch.job(20, 1, 200)
    batch.job(30, 1, 70)
    one = queue_of(batch)
    assert one.start.tolist() == [0, 100, 20, 30]
    assert nodes(one) == [[2, 3], [0, 1, 2, 3], [4], [0]]


def test_hours() -> None:
    """A job starts only if its nodes are on for as long as it asks; the clock rings at 50."""
    batch = Batch(pools=(PoolPlan(first=0, count=4, off=((30, 50), (100, 120))),))
    batch.job(0, 1, 30)
    batch.job(1, 1, 30)
    result = batch.run()
    assert result.queues[0].start.tolist() == [0, 50]
    # Two submissions, two ends, one woken; the clock rings at 50, as the look at 30 has set it.
    assert result.events == 6


def test_easy_knows_when_nodes_go_on() -> None:
    """The head starts at 50, when nodes 2 and 3 go on; until then one node is spare."""
    on = PoolPlan(first=0, count=2)
    batch = Batch(backfill="easy", pools=(on, PoolPlan(first=2, count=2, off=((0, 50),))))
    batch.job(0, 3, 10)
    batch.job(1, 1, 60)
    batch.job(2, 1, 60)
    batch.job(3, 1, 40)
    assert starts(batch) == [50, 1, 60, 3]


@pytest.mark.parametrize(("kind", "last"), [("easy", 3), ("conservative", 3), ("none", 100)])
def test_a_head_waits_for_its_nodes_to_go_on(kind: str, last: int) -> None:
    pools = (PoolPlan(first=0, count=2, off=((0, 100),)), PoolPlan(first=2, count=2))
    batch = Batch(pools=pools, backfill=kind)
    batch.job(1, 1, 20)
    batch.job(2, 3, 10)
    batch.job(3, 1, 90)
    assert starts(batch) == [1, 100, last]


def test_a_job_that_ends_late_is_not_stopped_when_its_nodes_go_off() -> None:
    batch = Batch(pools=(PoolPlan(first=0, count=4, off=((30, 50),)),))
    batch.job(0, 4, 60, asks=20)
    batch.job(1, 4, 10)
    assert starts(batch) == [0, 60]


# -- data -----------------------------------------------------------------------------------------


def test_data_are_brought_before_a_job_starts() -> None:
    """Both wait for their data; others pass them."""
    batch = Batch()
    batch.job(0, 2, 100, bring=(30, 40))
    batch.job(0, 2, 100, bring=(10,))
    batch.job(5, 1, 10)
    one = queue_of(batch)
    assert one.ready.tolist() == [40, 10, -1]
    assert one.start.tolist() == [40, 10, 5]


def test_a_job_that_does_not_hold_starts_without_its_data() -> None:
    batch = Batch()
    batch.job(0, 2, 100, bring=(30,), holds=False)
    one = queue_of(batch)
    assert (one.start.tolist(), one.ready.tolist()) == ([0], [30])


def test_data_of_the_first_waiting_jobs_are_brought() -> None:
    """With one ahead: those of the second from 10 on, of the third when the second has started."""
    batch = Batch(ahead=1)
    batch.job(0, 4, 100)
    batch.job(10, 4, 100, bring=(30,))
    batch.job(20, 4, 100, bring=(30,))
    one = queue_of(batch)
    assert one.ready.tolist() == [-1, 40, 230]
    assert one.start.tolist() == [0, 100, 230]


def test_a_job_without_data_counts_among_the_first() -> None:
    batch = Batch(ahead=2)
    batch.job(0, 4, 100)
    batch.job(10, 4, 100)
    batch.job(20, 4, 100, bring=(30,))
    batch.job(30, 4, 100, bring=(30,))
    one = queue_of(batch)
    assert one.ready.tolist() == [-1, -1, 50, 130 + 100]


def test_data_are_taken_away_after_the_end() -> None:
    """The next job does not wait for that."""
    batch = Batch()
    batch.job(0, 4, 100, take=(30, 20))
    batch.job(0, 4, 100)
    one = queue_of(batch)
    assert one.end.tolist() == [100, 200]
    assert one.done.tolist() == [130, 200]
    assert one.start.tolist() == [0, 100]
