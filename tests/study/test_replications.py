"""Replications: seeds, intervals against textbooks and scipy, targets, and the rule of ``auto``."""

import itertools
import random

import pytest

from simulator.study.chances import student_quantile
from simulator.study.replications import (
    Replicated,
    Replications,
    ReplicationsError,
    read_confidence,
    read_precision,
    read_replications,
    seed_of,
)


def test_seeds_of_replications_are_the_recorded_one_and_others_that_never_meet():
    seeds = [seed_of(seed, r) for seed, r in itertools.product(range(20), range(200))]
    assert len(set(seeds)) == len(seeds)
    assert [seed_of(seed, 0) for seed in range(20)] == list(range(20))
    assert max(seeds) < 2**63


@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 30, 255, 9999])
@pytest.mark.parametrize("chance", [0.9, 0.975, 0.9999])
def test_quantiles_of_students_t_are_those_of_scipy(freedom, chance):
    stats = pytest.importorskip("scipy.stats")
    assert student_quantile(chance, freedom) == pytest.approx(stats.t.ppf(chance, freedom))


def test_interval_of_a_mean_by_hand():
    # Mean 10, s = sqrt(2 / 3), t(3, 97.5 %) = 3.1824: 3.1824 * 0.8165 / 2.
    found = Replicated((9.0, 10.0, 11.0, 10.0))
    assert found.mean == 10
    assert found.half_width == pytest.approx(1.2992, abs=1e-4)
    assert found.interval == pytest.approx((8.7008, 11.2992), abs=1e-4)


@pytest.mark.parametrize(
    ("runs", "ranks"), [(5, None), (6, (1, 6)), (10, (2, 9)), (20, (6, 15)), (100, (40, 61))]
)
def test_interval_of_a_median_has_the_ranks_of_the_tables(runs, ranks):
    # Conover, Practical Nonparametric Statistics: at least 95 %, both tails at most 2.5 %.
    found = Replicated(tuple(map(float, range(1, runs + 1))))
    assert found.quantile_interval(0.5) == ranks


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_interval_of_a_quantile_covers_it_where_nothing_is_normal(share):
    draw = random.Random(5)
    hits = 0
    for _ in range(2000):
        found = Replicated(tuple(draw.random() ** 4 for _ in range(40)))
        low, high = found.quantile_interval(share) or (0.0, -1.0)
        hits += low <= share**4 <= high
    assert hits >= 0.95 * 2000 - 4 * (0.95 * 0.05 * 2000) ** 0.5


def test_target_is_met_by_a_one_sided_bound_only():
    times = Replicated((9.0, 10.0, 11.0, 10.0))  # t(3, 95 %) = 2.3534: bounds 10 -+ 0.9607
    assert times.meets(10.97, "at most").holds
    near = times.meets(10.95, "at most")
    assert (near.holds, near.fails) == (False, False)
    assert times.meets(9.03, "at most").fails
    assert times.meets(9.03, "at least").holds
    assert times.meets(10.97, "at most")
    assert not times.meets(9.03, "at most")
    assert not near, "what is open is not met"
    with pytest.raises(ReplicationsError, match="'at most' or 'at least' a value, not 'below'"):
        times.meets(1, "below")
    assert "from run to run (4 runs)" in str(near)


def test_target_for_a_share_of_runs_needs_as_many_runs_as_that_takes():
    # 0.95**58 > 5 % >= 0.95**59: the largest of 59 bounds the 95 % quantile.
    values = tuple(map(float, range(1, 60)))
    assert Replicated(values).meets(59.0, "at most", 0.95).holds
    few = Replicated(values[1:]).meets(59.0, "at most", 0.95)
    assert (few.bound, few.holds, few.fails) == (None, False, False)


def test_one_run_decides_only_where_runs_do_not_vary():
    assert Replicated((3.0,), varies=False).meets(4.0, "at most").holds
    assert Replicated((5.0,), varies=False).meets(4.0, "at most").fails
    open_ = Replicated((3.0,)).meets(4.0, "at most")
    assert (open_.holds, open_.fails) == (False, False)


def test_auto_keeps_its_confidence_although_it_stops_when_it_likes_what_it_sees():
    asked = Replications(precision=0.1, most=128)
    draw = random.Random(3)
    hits = naive = 0
    for _ in range(1000):
        values = []
        for look in asked.looks():
            values += [draw.gauss(10, 4) for _ in range(look - len(values))]
            if asked.narrow(asked.replicated(values)):
                break
        for looks in (len(asked.looks()), 1):
            low, high = Replicated(tuple(values), 0.95, looks).interval
            hits += low <= 10 <= high and looks > 1
            naive += low <= 10 <= high and looks == 1
    assert hits >= 950
    assert naive < hits


def test_each_look_of_auto_has_its_share_of_the_chance_to_miss():
    asked, values = Replications(most=32), [9.0, 10.0, 11.0, 10.0]  # Looks at 8, 16 and 32.
    found = asked.replicated(values)
    # t(3, 1 - 0.05 / 6) = 4.8567: 4.8567 * 0.8165 / 2.
    assert found.half_width == pytest.approx(1.9827, abs=1e-4)
    assert Replications(4).replicated(values).half_width == pytest.approx(1.2992, abs=1e-4)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        *((read_replications, text) for text in ("0", "ten", "-1", "auto:3", "1.5", "20000")),
        *((read_confidence, text) for text in ("95", "100 %", "0.95", "20 %")),
        *((read_precision, text) for text in ("2", "0 %", "90 %")),
    ],
)
def test_what_cannot_be_read_says_what_to_write(read, text):
    with pytest.raises(ReplicationsError, match=r"write (a whole number|one) from"):
        read(text)
