"""Batch queues against closed forms of queueing theory, and against bounds of schedules.

Means of several runs with draws of their own; their standard error is that between the runs. Seeds
are fixed, so that a test fails always or never.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from statistics import fmean, stdev

import pytest

from experiments.validation.theory import erlang_c
from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.plan.queues import PoolPlan
from simulator.result.queues import QueueResult
from tests.config.queue_texts import machine, plan_of
from tests.engines.batches import Batch

RUNS, COUNT, WARM = 8, 6_000, 1_000
SECOND = 10**9
SERVICE = 100.0
"""Mean run time; s."""
ERRORS = 3.5
"""Standard errors that a mean may be off."""
MOST_UNSURE = 0.12
"""The largest standard error, as a share of the mean, with which a comparison says anything."""


def job(name: str, rate: float, spread: str = "exponential", more: str = "") -> str:
    """Write jobs of one node that come at a rate per mean run time."""
    submit = f"{{every: {SERVICE / rate:.6f} s, count: {COUNT}}}"
    phase = f"{{do: compute, time: {SERVICE:.0f} s, spread: {spread}}}"
    return f"name: {name}, {more}submit: {submit}, phases: [{phase}]"


def queue_of(text: str, nodes: int, *jobs: str) -> Plan:
    return plan_of(machine(text, f"count: {nodes}"), *jobs)


def waits(plan: Plan, *classes: str) -> Iterator[list[float]]:
    """Yield for each run the mean waits of classes, or of all; in mean run times.

    All classes are under way at the same time: later ones of a fast class are left out.
    """
    for run in range(RUNS):
        planned = plan.with_run(run, RUNS)
        (made,) = run_native(planned).queues
        of = [planned.processes[one.first].job for one in planned.queues[0].jobs]
        rows = sorted(range(len(of)), key=lambda row: made.submit[row])[WARM:COUNT]
        found = [[row for row in rows if of[row] == one] for one in classes] or [rows]
        yield [fmean(made.start[r] - made.submit[r] for r in some) for some in found]


def agree(plan: Plan, expected: dict[str, float] | float) -> None:
    """Compare mean waits, in mean run times."""
    by_class = expected if isinstance(expected, dict) else {}
    several = zip(*waits(plan, *by_class), strict=True)
    values = [*by_class.values()] if isinstance(expected, dict) else [expected]
    for want, each in zip(values, several, strict=True):
        mean, error = fmean(each) / (SERVICE * SECOND), stdev(each) / math.sqrt(RUNS)
        error /= SERVICE * SECOND
        assert error < MOST_UNSURE * mean
        assert abs(mean - want) < ERRORS * error


@pytest.mark.parametrize(
    ("servers", "load"),
    [
        pytest.param(1, 0.5, marks=pytest.mark.slow),
        pytest.param(4, 0.5, marks=pytest.mark.slow),
        pytest.param(4, 0.8, marks=pytest.mark.slow),
        pytest.param(16, 0.8, marks=pytest.mark.slow),
    ],
)
def test_jobs_of_one_node_wait_as_in_m_m_c(servers: int, load: float) -> None:
    """Erlang: W = C(c, a) / (c - a) in mean services."""
    offered = servers * load
    wait = erlang_c(servers, offered) / (servers - offered)
    agree(queue_of("fcfs", servers, job("a", offered)), wait)


def test_few_jobs_of_one_node_wait_as_in_m_m_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "COUNT", 900)
    monkeypatch.setitem(globals(), "WARM", 50)
    agree(queue_of("fcfs", 1, job("a", 0.5)), 1.0)


@pytest.mark.long
@pytest.mark.parametrize("servers", [1, 4])
def test_jobs_wait_as_in_m_m_c_at_a_high_load(
    servers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "COUNT", 30_000)
    offered = servers * 0.9
    wait = erlang_c(servers, offered) / (servers - offered)
    agree(queue_of("fcfs", servers, job("a", offered)), wait)


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "square"), [("100 %", 2.0), ("50 %", 1.25), ("0 %", 1.0)])
def test_waits_grow_with_the_spread_of_run_times(spread: str, square: float) -> None:
    """Pollaczek and Khinchine: W = a E[S^2] / 2 (1 - a); lognormal times, and equal ones."""
    agree(queue_of("fcfs", 1, job("a", 0.6, spread)), 0.6 * square / (2 * 0.4))


@pytest.mark.slow
def test_a_class_with_priority_passes_the_other() -> None:
    """Cobham: W1 = W0 / (1 - a1), W2 = W0 / (1 - a1) (1 - a1 - a2), W0 = (a1 + a2) E[S^2] / 2."""
    high, low = 0.3, 0.4
    jobs = job("high", high, more="priority: 2, "), job("low", low)
    expected = {"high": 0.7 / (1 - high), "low": 0.7 / (1 - high) / (1 - high - low)}
    agree(queue_of("priority", 1, *jobs), expected)


@pytest.mark.slow
def test_the_shortest_first() -> None:
    """Phipps: W(x) = W0 / (1 - a(x))^2, a(x) the load of jobs up to x; requests are exact."""
    load, step = 0.7, 0.001
    points = [(number + 0.5) * step for number in range(int(30 / step))]
    loads = [load * (1 - math.exp(-x) * (1 + x)) for x in points]
    wait = sum(
        load / (1 - a) ** 2 * math.exp(-x) * step for x, a in zip(points, loads, strict=True)
    )
    agree(queue_of("shortest", 1, job("a", load)), wait)


def test_aging_so_slow_that_it_counts_for_nothing_is_priority_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And so fast that priority counts for nothing is first come, first served."""
    monkeypatch.setitem(globals(), "COUNT", 300)
    jobs = job("high", 0.3, more="priority: 2, "), job("low", 0.4)
    orders = ("priority", "{order: priority, aging: 100000 h}")
    one, same = (run_native(queue_of(order, 1, *jobs)).queues[0] for order in orders)
    assert one.start == same.start
    fast = run_native(queue_of("{order: priority, aging: 1 ns}", 1, *jobs)).queues[0]
    assert fast.start == run_native(queue_of("fcfs", 1, *jobs)).queues[0].start


# -- schedules ------------------------------------------------------------------------------------

ORDERS = ("fcfs", "shortest", "priority", "fair-share")
BACKFILLS = ("none", "easy", "conservative")
LONG = 10**12


def drawn(
    seed: int, most: int, *, spread: int = 400, longest: int = 100, **fields: object
) -> Batch:
    """Draw jobs of up to so many nodes of 8, whose requests are exact."""
    dice = Random(seed)
    made = Batch(8, users=("a", "b", "c"), **fields)
    for _ in range(120):
        runs = dice.randint(1, longest)
        made.job(dice.randint(0, spread), dice.randint(1, most), runs, user=dice.randint(0, 2))
    return made


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(5))
def test_list_schedules_are_at_most_2_less_1_mth_of_the_least(order: str, seed: int) -> None:
    """Graham 1966, for jobs that are all there at 0: whatever the order."""
    made = drawn(seed, 1, spread=0, order=order)
    runs = [one.requested_ns for one in made.jobs]
    least = max(sum(runs) / 8, *runs)
    assert least <= max(served(made).end) <= (2 - 1 / 8) * least


def served(batches: Batch) -> QueueResult:
    return run_native(batches.plan()).queues[0]


def ends_of(made: QueueResult, rows: list[int], nodes: list[int]) -> list[tuple[int, int]]:
    return sorted((made.end[row], nodes[row]) for row in rows)


@pytest.mark.parametrize("seed", range(20))
def test_easy_delays_no_head_beyond_its_reservation(seed: int) -> None:
    """When a job becomes the first that waits, ends of running jobs say when it can start.

    Times are so many that no two are equal: of jobs that end together, the first end is one
    nanosecond before the others for who looks.
    """
    batches = drawn(seed, 8, spread=4 * LONG, longest=LONG, backfill="easy")
    made, jobs = served(batches), batches.jobs
    nodes = [one.nodes for one in jobs]
    order = sorted(range(len(jobs)), key=lambda row: (jobs[row].submit_ns, row))
    heads = 0
    for place, row in enumerate(order):
        before = order[:place]
        head_ns = max([made.start[one] for one in before] + [made.submit[row]])
        running = [
            one
            for one in range(len(jobs))
            if made.end[one] > head_ns
            and (made.start[one] < head_ns or (one in before and made.start[one] == head_ns))
        ]
        free, time = 8 - sum(nodes[one] for one in running), head_ns
        for end, count in ends_of(made, running, nodes):
            if free >= nodes[row]:
                break
            free, time = free + count, end
        assert made.start[row] <= time
        heads += made.start[row] > made.submit[row]
    assert heads > 30


@pytest.mark.parametrize("backfill", ["none", "conservative"])
@pytest.mark.parametrize("seed", range(5))
def test_conservative_and_no_backfill_start_nobody_later_than_promised(
    backfill: str, seed: int
) -> None:
    """Exact requests, first come: without later jobs a job starts no earlier than with them."""
    batches = drawn(seed, 8, spread=4 * LONG, longest=LONG, backfill=backfill)
    whole = served(batches).start.tolist()
    by_time = sorted(range(120), key=lambda row: (batches.jobs[row].submit_ns, row))
    for count in (10, 40, 80):
        rows = sorted(by_time[:count])
        plan = batches.plan()
        queue = replace(plan.queues[0], jobs=tuple(plan.queues[0].jobs[row] for row in rows))
        firsts = [queue.jobs[number].first for number in range(count)]
        kept = tuple(plan.processes[first] for first in firsts)
        jobs = tuple(replace(one, first=at) for at, one in enumerate(queue.jobs))
        part = run_native(replace(plan, processes=kept, queues=(replace(queue, jobs=jobs),)))
        alone = part.queues[0].start.tolist()
        assert all(whole[row] <= time for row, time in zip(rows, alone, strict=True))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("backfill", BACKFILLS)
def test_little_and_the_node_time_of_each_run(order: str, backfill: str) -> None:
    """N = X W, by a count of who waits; busy and idle node-time is all that is on."""
    off = ((50, 120), (300, 450))
    pools = (PoolPlan(first=0, count=3), PoolPlan(first=3, count=5, off=off))
    batches = drawn(3, 3, order=order, backfill=backfill, pools=pools)
    made = served(batches)
    span = max(made.end)
    waiting = sum(
        sum(s <= time < b for s, b in zip(made.submit, made.start, strict=True))
        for time in range(span)
    )
    assert waiting == sum(made.start) - sum(made.submit)
    for time in range(0, span, 7):
        there = [row for row in range(120) if made.start[row] <= time < made.end[row]]
        nodes = [node for row in there for node in made.nodes_of(row)]
        assert len(nodes) == len(set(nodes))
        if any(a <= time < b for a, b in off):
            assert max(nodes, default=0) < 3
