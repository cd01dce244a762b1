"""Laws of means against closed forms, and their variances against many runs of naive queues."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from numpy.typing import NDArray

from experiments.validation import laws, laws_systems, theory
from experiments.validation.chains import Chain, Law, Move
from experiments.validation.laws_systems import lru_hits

Floats = NDArray[np.float64]


def test_a_chain_of_two_states_by_hand() -> None:
    """On at rate 1, off at rate 3: on for a quarter of the time; 2 a b / (a + b)^3 is its error."""

    def moves(on: bool) -> Iterable[Move[bool]]:
        yield (3.0, False, "off") if on else (1.0, True, "on")

    chain = Chain(False, moves)
    share = chain.ratio(float, lambda _: 1.0)
    assert share.mean == pytest.approx(0.25)
    assert share.variance == pytest.approx(2 * 1 * 3 / 4**3)
    # Gaps between two beginnings are a pause and a time, which do not depend on anything.
    gaps = chain.ratio(lambda _: 1.0, "on")
    assert (gaps.mean, gaps.variance) == pytest.approx((1 + 1 / 3, 1 + 1 / 9))
    with pytest.raises(ValueError, match="no move of the chain is called 'of'"):
        chain.ratio("of", "on")


@pytest.mark.parametrize("clients", [1, 4, 16])
def test_closed_chains_have_the_means_of_mean_value_analysis(clients: int) -> None:
    throughput, response = theory.mean_values([5, 20], 100, clients)
    assert laws_systems.closed_cycle((5, 20), 100, clients).mean == pytest.approx(1 / throughput)
    assert laws_systems.closed_response((5, 20), 100, clients).mean == pytest.approx(response)


def test_pauses_have_the_means_of_finite_queues() -> None:
    for load in (0.8, 1.0):
        law = laws_systems.pause_share(1 / load, 1, 5)
        assert law.mean == pytest.approx(theory.mm1k_loss(load, 5))
    law = laws_systems.pause_share(1 / 16, 1, 20, 20)
    assert law.mean == pytest.approx(theory.erlang_b(20, 16))
    assert laws_systems.m_m_c_waits(4, 3.2).mean == pytest.approx(theory.erlang_c(4, 3.2))


def test_buffers_without_an_end_are_one_queue() -> None:
    """Room that is never used up: the slowest stage takes its time for each block."""
    law = laws_systems.two_buffers_gap((1.0, 2.0, 1.0), (20, 20))
    assert law.mean == pytest.approx(2.0, rel=1e-5)
    # A single place each: of (0, 0), (1, 0), (0, 1), (1, 1) the shares are 1, 2, 1, 1 of 5.
    law = laws_systems.two_buffers_gap((1.0, 1.0, 1.0), (1, 1))
    assert law.mean == pytest.approx(5 / 2)


def test_threads_for_everybody_are_a_closed_network() -> None:
    for threads, clients in ((8, 8), (3, 3)):
        chain = laws_systems.admitted(10.0, (2.0, 3.0), threads, clients)
        found = chain.ratio(lambda state: float(state[0]), "out").mean
        assert found == pytest.approx(theory.mean_values([2, 3], 10, clients)[1])


def test_the_pages_of_an_lru() -> None:
    """Even pages: as drawing balls. Others: Che's approximation is good to a per cent."""
    law = lru_hits(np.ones(1000), 250)
    assert (law.mean, law.variance) == pytest.approx((0.25, 0.25 * 0.75), rel=1e-6)
    weights = np.arange(1, 1001, dtype=np.float64) ** -0.8
    assert lru_hits(weights, 100).mean == pytest.approx(theory.che(weights.tolist(), 100), rel=1e-3)
    hits = np.concatenate([naive_lru(weights[:60], 12, seed) for seed in range(40)])
    law = lru_hits(weights[:60], 12)
    assert hits.mean() == pytest.approx(law.mean, abs=4 * law.error(hits.size))


def naive_lru(weights: Floats, slots: int, seed: int, count: int = 1500) -> Floats:
    """Return 1 for each hit, after the cache is full."""
    order: list[int] = []
    hits = []
    drawn = np.random.default_rng(seed).choice(len(weights), count, p=weights / weights.sum())
    for page in drawn.tolist():
        hits.append(page in order)
        order = [page, *(one for one in order if one != page)][:slots]
    return np.array(hits[200:], dtype=np.float64)


# -- variances ----------------------------------------------------------------------------------

RUNS, COUNT, FILLING = 1500, 4000, 1000


def naive_waits(gaps: Callable[[], Floats], services: Callable[[], Floats]) -> Floats:
    """Return waits of many queues after they have filled, by Lindley's recursion."""
    waits, now = [], np.zeros(RUNS)
    for _ in range(COUNT):
        now = np.maximum(0, now + services() - gaps())
        waits.append(now)
    return np.array(waits[FILLING:])


RNG = np.random.default_rng(11)
LOAD = 0.5
CASES: dict[
    str, tuple[Law, Callable[[], Floats], Callable[[], Floats], Callable[[Floats], Floats]]
] = {
    "M/M/1": (
        laws.m_g_1_wait(LOAD, laws.exponential_moments(1.0)),
        lambda: RNG.exponential(1 / LOAD, RUNS),
        lambda: RNG.exponential(1.0, RUNS),
        lambda waits: waits,
    ),
    "M/M/1, idle": (
        laws.m_g_1_idle(LOAD, laws.exponential_moments(1.0)),
        lambda: RNG.exponential(1 / LOAD, RUNS),
        lambda: RNG.exponential(1.0, RUNS),
        lambda waits: 1.0 * (waits == 0),
    ),
    "M/U/1, squares": (
        laws.m_g_1_wait(LOAD, laws.uniform_moments(0.0, 2.0), 2),
        lambda: RNG.exponential(1 / LOAD, RUNS),
        lambda: RNG.uniform(0, 2, RUNS),
        lambda waits: waits**2,
    ),
    "M/G/1, two lengths": (
        laws.m_g_1_wait(LOAD, laws.fixed_moments((0.75, 0.5), (0.25, 2.5))),
        lambda: RNG.exponential(1 / LOAD, RUNS),
        lambda: RNG.choice([0.5, 0.5, 0.5, 2.5], RUNS),
        lambda waits: waits,
    ),
    "D/M/1": (
        laws.d_m_1_wait(1 / LOAD, 1.0),
        lambda: np.full(RUNS, 1 / LOAD),
        lambda: RNG.exponential(1.0, RUNS),
        lambda waits: waits,
    ),
    "Geo/D/1": (
        laws.geo_d_1_wait(0.2, 3),
        lambda: RNG.geometric(0.2, RUNS).astype(np.float64),
        lambda: np.full(RUNS, 3.0),
        lambda waits: waits,
    ),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", CASES)
def test_variances_are_those_of_many_runs(name: str) -> None:
    """The variance of a mean over runs is known to 2 / sqrt(2 * RUNS), or 4 %; four times that."""
    law, gaps, services, what = CASES[name]
    values = what(naive_waits(gaps, services))
    means = values.mean(axis=0)
    assert means.mean() == pytest.approx(law.mean, abs=4.5 * law.error(values.size))
    assert len(values) * means.var() == pytest.approx(law.variance, rel=0.16)


def test_the_variance_of_seeks_is_that_of_many_runs() -> None:
    places = np.random.default_rng(3).random((2000, 401))
    seeks = np.abs(np.diff(places, axis=1))
    law = laws.random_seeks(1.0)
    assert 400 * seeks.mean(axis=1).var() == pytest.approx(law.variance, rel=0.15)


def test_squares_of_gaps_by_hand() -> None:
    """Gaps of 3 s times a geometric number, chance 1/2: variance 18, fourth moment 3078."""
    assert laws.geometric_gaps(3, 0.5) == Law(6, 18)
    law = laws.geometric_squares(3, 0.5, 6)
    assert (law.mean, law.variance) == pytest.approx((18, 81 * 38 - 18**2))


@pytest.mark.parametrize(("work", "poll"), [(161, 20), (2500, 2), (160, 20), (5, 50), (40, 60)])
def test_work_beside_polls_is_that_of_all_beginnings(work: int, poll: int) -> None:
    """Polls at 0, 100, 200, ...: the processor is free for the rest of each interval."""
    free = np.flatnonzero(np.arange(100 * (work // (100 - poll) + 3)) % 100 >= poll)
    parts = 50  # work begins in the middle of each 50th of a step
    begins = (np.arange(100 * parts) + 0.5) / parts
    times = []
    for begin in begins.tolist():
        first = int(begin)
        ahead = free[free >= first]
        done = first + 1 - begin if ahead[0] == first else 0.0
        rest = ahead[1:] if ahead[0] == first else ahead
        whole = int(work - done)
        left = work - done - whole
        end = rest[whole] + left if left else rest[whole - 1] + 1
        times.append(end - begin)
    law = laws.polled_work(work, poll, 100)
    assert np.mean(times) == pytest.approx(law.mean, abs=1e-6 * work)
    assert np.var(times) == pytest.approx(law.variance, rel=1e-3)
    beyond = law.mean + 50 - theory.polled_loop(work, poll, 100)
    assert abs(beyond) <= poll**2 / 200 + 1e-9
