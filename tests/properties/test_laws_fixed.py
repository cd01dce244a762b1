"""Laws of fixed works: by hand, against each other, and against many runs of naive systems."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from experiments.validation import laws, laws_systems, theory
from experiments.validation.chains import Law
from experiments.validation.laws_fixed import (
    SharedWorks,
    fixed_closed,
    fixed_pause_share,
    fixed_time,
    in_phases,
    shared_time,
    without_end,
)
from experiments.validation.oracles_servers import exponential_classes
from tests.twins.shared import NaiveShared, exponential, fixed, in_rounds, of_one_class

Floats = NDArray[np.float64]

# -- by hand, and by another way -------------------------------------------------------------------


@pytest.mark.parametrize("load", [0.3, 0.5, 0.8])
def test_works_of_one_length_that_are_shared_by_time(load: float) -> None:
    """M/D/1: g(x, S) is x / (1 - load), so that the variance is that of 2 V / (1 - load)."""
    rates = (0.75 * load, 0.25 * load)
    alike = SharedWorks(rates, (1, 1), (True, True))
    for x in (0, 5, 13, 20):
        assert alike.pair(0, x, 1, 20) == pytest.approx(x / 20 / (1 - load))
    square = laws.wait_moments(load, laws.fixed_moments((1.0, 1.0)), 2)[2]
    expected = 4 * square / (1 - load) ** 2
    assert shared_time(rates, (1, 1), None).variance == pytest.approx(expected, rel=2e-3)


CLASSES = (((0.225, 0.025), (1, 11)), ((0.125, 0.125), (1, 3)))


@pytest.mark.few(2)
@pytest.mark.parametrize(("rates", "works"), CLASSES)
@pytest.mark.parametrize("one", [None, 0, 1])
def test_an_arrival_costs_as_much_as_there_is(
    rates: tuple[float, float], works: tuple[int, int], one: int | None
) -> None:
    """Poisson's equation of an empty link: arrivals add g(S, S), which is the mean number there."""
    counted = (one in (None, 0), one in (None, 1))
    shared = SharedWorks(rates, works, counted)
    ends = [20 * work for work in works]
    adds = sum(rates[k] * shared.pair(k, ends[k], k, ends[k]) for k in (0, 1))
    number = sum(
        rate * laws_systems.shared_mean(rates, (float(works[0]), float(works[1])), k)
        for k, rate in enumerate(rates)
        if counted[k]
    )
    assert adds == pytest.approx(number)
    assert shared.pair(0, 7, 1, 13) == pytest.approx(shared.pair(1, 13, 0, 7))
    fewer = SharedWorks(rates, works, counted, steps=10)
    assert fewer.variance() == pytest.approx(shared.variance(), rel=1e-3)


def test_endlessly_many_phases_are_a_fixed_time() -> None:
    """M/D/1 by phases and by pairs; both are 40/3."""
    found = [
        in_phases(0.5, 1, 24, one, shared=True).ratio(lambda state: float(sum(state)), "in")
        for one in (1, 2)
    ]
    assert [law.mean for law in found] == pytest.approx([2.0, 2.0], rel=1e-5)
    assert without_end([law.variance for law in found], (1, 2)) == pytest.approx(40 / 3, rel=0.02)
    given = (1, 2, 5)
    assert without_end([7 + 3 / k - 2 / k**2 for k in given], given) == pytest.approx(7)


def test_the_means_are_those_of_any_works() -> None:
    for phases in (1, 2, 3):
        law = in_phases(3.0, 4, 4, phases, shared=False)
        full = law.ratio(lambda state: float(sum(state) == 4), lambda _: 1.0)
        assert full.mean == pytest.approx(theory.erlang_b(4, 3.0))
    one = in_phases(3.0, 4, 4, 1, shared=False)
    exponential_law = laws_systems.pause_share(1 / 3, 1.0, 4, 4)
    full = one.ratio(lambda state: float(sum(state) == 4), lambda _: 1.0)
    assert 3 * full.variance == pytest.approx(exponential_law.variance)
    assert fixed_pause_share(1 / 3, 4).mean == pytest.approx(exponential_law.mean)
    time = fixed_time(4, 2.0)
    assert time.mean == pytest.approx(laws_systems.m_m_c_time(4, 2.0).mean)
    for fixed_law, any_law in zip(fixed_closed((5.0, 20.0), 100.0, 4), closed(4), strict=True):
        assert fixed_law.mean == pytest.approx(any_law.mean)


def closed(clients: int) -> tuple[Law, Law]:
    return (
        laws_systems.closed_cycle((5.0, 20.0), 100.0, clients),
        laws_systems.closed_response((5.0, 20.0), 100.0, clients),
    )


@pytest.mark.slow
def test_more_phases_and_more_room_change_little() -> None:
    variance = fixed_pause_share(1 / 3, 4).variance
    assert variance == pytest.approx(fixed_pause_share(1 / 3, 4, (4, 6, 8)).variance, rel=0.01)
    variance = fixed_time(4, 2.0).variance
    assert variance == pytest.approx(fixed_time(4, 2.0, room=30).variance, rel=1e-3)
    assert variance == pytest.approx(fixed_time(4, 2.0, 20, (1, 2, 3)).variance, rel=0.02)
    few, more = (fixed_closed((5.0, 20.0), 100.0, 8, most) for most in ((1, 2), (1, 2, 3)))
    for one, other in zip(few, more, strict=True):
        assert one.variance == pytest.approx(other.variance, rel=0.02)


# -- many runs of naive systems -------------------------------------------------------------------

SPREADS = 4.0


def compare(sums: Floats, values: float, law: Law) -> tuple[float, float]:
    """Return the variance of a value over that of its law, and its standard error.

    ``sums`` are what each run adds up beyond the mean of so many values; how far their variance is
    off follows from their fourth moment.
    """
    assert sums.mean() == pytest.approx(0, abs=4.5 * sums.std() / len(sums) ** 0.5)
    share = sums.var() / values / law.variance
    fourth = ((sums - sums.mean()) ** 4).mean() / sums.var() ** 2
    return share, share * ((fourth - 1) / len(sums)) ** 0.5


def agrees(found: tuple[float, float]) -> bool:
    share, error = found
    return abs(share - 1) < SPREADS * error


def is_below(found: tuple[float, float]) -> bool:
    """Whether the law's variance is the larger one, by so many standard errors."""
    share, error = found
    return share + SPREADS * error < 1


@pytest.mark.slow
@pytest.mark.parametrize(("rates", "works"), CLASSES)
def test_shared_works(rates: tuple[float, float], works: tuple[int, int]) -> None:
    chances = [rate / sum(rates) for rate in rates]
    until = 700.0 * max(works)
    runs = NaiveShared(
        [1], [fixed(*works, chances=chances)], 40, sum(rates), runs=1000, seed=5, classes=2
    )
    runs.run(300).clear()
    runs.run(300 + until)
    laws_of = [shared_time(rates, works, one) for one in (0, 1, None)]
    beyond = [runs.present[:, k] - runs.came[:, k] * laws_of[k].mean for k in (0, 1)]
    for sums, rate, law in zip(
        [*beyond, beyond[0] + beyond[1]], [*rates, sum(rates)], laws_of, strict=True
    ):
        assert agrees(compare(sums, until * rate, law))


@pytest.mark.slow
def test_losses_with_fixed_services() -> None:
    runs = NaiveShared([4], [fixed(1.0)], 4, 3.0, seed=3).run(20)
    runs.clear()
    runs.run(420)
    sums = 3 * (runs.full - 400 * theory.erlang_b(4, 3.0))  # in gaps of 1/3
    assert agrees(compare(sums, 1200, fixed_pause_share(1 / 3, 4)))
    assert is_below(compare(sums, 1200, laws_systems.pause_share(1 / 3, 1.0, 4, 4)))


@pytest.mark.slow
def test_four_pes_shared_by_works_of_one_length_and_of_many() -> None:
    """M/D/4, and the row of 20 lengths of which the same number comes in each run."""
    mean = laws_systems.m_m_c_time(4, 2.0).mean
    many = exponential_classes(1.0)
    for kind, works in (("one", fixed(1.0)), ("many", fixed(*many, chances=[0.05] * 20))):
        runs = NaiveShared([4], [of_one_class(works)], 20, 2.0, runs=1000, seed=2).run(30)
        runs.clear()
        runs.run(330)
        found = runs.present[:, 0] - runs.asked * mean, 600
        if kind == "one":
            assert agrees(compare(*found, fixed_time(4, 2.0)))
        assert is_below(compare(*found, laws_systems.m_m_c_time(4, 2.0)))


@pytest.mark.slow
def test_looks_at_works_of_many_lengths_are_as_those_at_exponential_ones() -> None:
    """Twenty lengths, of equal parts of an exponential distribution: E[S^2] is 1.95 and not 2."""
    many = fixed(*exponential_classes(1.0), chances=[0.05] * 20)
    runs = NaiveShared([4], [of_one_class(many)], 26, 2.4, runs=800, seed=1, look=2.5).run(50)
    runs.clear()
    runs.run(650)
    law = laws_systems.m_m_c_looks(4, 2.4, 2.5)
    looks = runs.seen.mean()
    share, error = compare(runs.seen_jobs - runs.seen * law.mean, looks, law)
    assert abs(share - 1) < SPREADS * error
    assert share < 1.1  # error: 0.05


@pytest.mark.slow
@pytest.mark.parametrize("clients", [8, 16])
@pytest.mark.parametrize("kind", ["exponential", "rounds", "whole"])
def test_clients_whose_works_are_fixed(clients: int, kind: str) -> None:
    """Works in rounds, as of the row with a shared PE; of one length, as whole calls are."""
    count, demands = 1000, (20.0, 5.0)
    works = {
        "exponential": [exponential(one) for one in demands],
        "rounds": in_rounds(count, clients, demands, 3),
        "whole": [fixed(one) for one in demands],
    }[kind]
    runs = NaiveShared([np.inf, 1, 1], [exponential(100.0), *works], clients, runs=count).run(1500)
    runs.clear()
    cycle, response = closed(clients)
    # A whole round, in the mean: within one, clients that meet long works begin fewer of them.
    values = 100 * clients
    until = values * cycle.mean
    runs.run(1500 + until)
    found = [
        compare(until - runs.done * cycle.mean, values, cycle),
        compare(runs.busy - runs.done * response.mean, values, response),
    ]
    check = agrees if kind == "exponential" else is_below
    assert all(check(one) for one in found)
    if kind == "whole" and clients == 8:
        shares = [one.variance for one in fixed_closed((5.0, 20.0), 100.0, 8)]
        for one, law, share in zip(found, (cycle, response), shares, strict=True):
            assert agrees((one[0] * law.variance / share, one[1] * law.variance / share))
