"""Noise is counted, not drawn: the same for any order, any engine and any company."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.mixing import TABLE_BITS, mix, pick
from simulator.plan.noise import NO_NOISE, ONE, Noise, factor_table, stream_key
from tests.native.pieces import ask

seeds = st.integers(0, 2**40)
keys = st.integers(0, 2**64 - 1)
numbers = st.integers(-(2**63), 2**63 - 1)


def noise(seed: int = 1, run: int = 0, part: str = "disk0", **changes: float) -> Noise:
    return Noise.of(seed, run, part, **{"run_sd": 0.0, "request_sd": 0.2, **changes})  # type: ignore[arg-type]


def test_mix_is_splitmix64() -> None:
    """The first numbers of the published generator with seed 0, and with 1234567."""
    assert [mix(0, i) for i in (1, 2, 3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]
    assert [mix(1234567, i) for i in (1, 2)] == [6457827717110365317, 3203168211198807973]


@given(keys, numbers)
def test_a_pick_is_the_top_bits(key: int, number: int) -> None:
    assert pick(key, number) == mix(key, number) >> (64 - TABLE_BITS)
    assert 0 <= pick(key, number) < 2**TABLE_BITS


@given(keys, numbers)
def test_the_kernel_mixes_and_picks_the_same(key: int, number: int) -> None:
    assert ask("mix", key, number) == [mix(key, number), pick(key, number)]


@given(st.integers(0, 2**62), st.integers(0, 2**24))
def test_the_kernel_stretches_the_same(service: int, factor: int) -> None:
    wanted = Noise(run_factor=factor).stretch(service, 1)
    assert ask("stretched", service, factor) == [min(wanted, 2**62)]


@pytest.mark.parametrize("deviation", [0.01, 0.05, 0.2, 0.5])
def test_factors_are_lognormal_with_mean_one(deviation: float) -> None:
    table = factor_table(deviation)
    logs = [math.log(factor / ONE) for factor in table]
    assert len(table) == 4096
    assert list(table) == sorted(table)
    assert sum(table) / len(table) == pytest.approx(ONE, rel=1e-6)
    assert statistics.pstdev(logs) == pytest.approx(deviation, rel=2e-3)
    # The median of a lognormal of mean 1 lies below it.
    assert statistics.median(logs) == pytest.approx(-(deviation**2) / 2, abs=2e-3 * deviation)


def test_without_a_deviation_nothing_varies() -> None:
    assert factor_table(0.0) == ()
    assert not NO_NOISE.varies
    assert NO_NOISE.stretch(12345, 99) == 12345
    assert noise(request_sd=0.0) == Noise(stream_key(1, 0, "disk0"))


def test_stretch_is_fixed_point_arithmetic() -> None:
    half_more = Noise(run_factor=ONE + ONE // 2)
    assert half_more.stretch(1001, 1) == 1501  # of 1501.5
    twice = Noise(run_factor=ONE, table=(2 * ONE,) * 4096)
    assert twice.stretch(1001, 1) == 2002
    assert Noise(run_factor=ONE + ONE // 2, table=(2 * ONE,) * 4096).stretch(1001, 1) == 3002


@given(seeds, st.integers(0, 3), st.integers(1, 10**6), st.integers(0, 10**12))
def test_a_factor_depends_on_seed_run_part_and_number_only(
    seed: int, run: int, number: int, service: int
) -> None:
    first, again = noise(seed, run, run_sd=0.1), noise(seed, run, run_sd=0.1)
    again.stretch(service, number + 1)  # an order of draws there is not
    assert first.stretch(service, number) == again.stretch(service, number)


@given(seeds)
def test_other_seeds_runs_parts_and_numbers_vary_otherwise(seed: int) -> None:
    base = [noise(seed).stretch(10**9, number) for number in range(1, 9)]
    for other in (noise(seed + 1), noise(seed, 1), noise(seed, part="disk1")):
        assert [other.stretch(10**9, number) for number in range(1, 9)] != base
    assert len(set(base)) > 1


@pytest.mark.parametrize("deviation", [0.05, 0.2, 0.5])
def test_the_mean_service_is_the_one_specified(deviation: float) -> None:
    count, service = 40_000, 10**9
    times = [noise(request_sd=deviation).stretch(service, n) for n in range(1, count + 1)]
    error = statistics.stdev(times) / math.sqrt(count)
    assert statistics.fmean(times) == pytest.approx(service, abs=4.5 * error)
    assert error < 0.003 * service


def test_all_requests_of_a_run_share_its_factor() -> None:
    one = noise(run_sd=0.1, request_sd=0.0)
    assert one.varies
    assert len({one.stretch(10**9, number) for number in range(1, 20)}) == 1
    assert one.run_factor in factor_table(0.1)


@pytest.mark.parametrize("runs", [2, 5, 9])
def test_runs_that_belong_together_take_each_part_of_the_distribution_once(runs: int) -> None:
    table = factor_table(0.1)
    parts = []
    for run in range(runs):
        factor = noise(5, run, run_sd=0.1, runs=runs).run_factor
        parts.append(table.index(factor) * runs // len(table))
    assert sorted(parts) == list(range(runs))


def test_which_run_takes_which_part_is_another_matter_for_each_part_and_seed() -> None:
    def order(seed: int, part: str) -> tuple[int, ...]:
        return tuple(noise(seed, run, part, run_sd=0.1, runs=5).run_factor for run in range(5))

    assert len({order(seed, "disk0") for seed in range(20)}) > 10
    assert len({order(3, f"disk{i}") for i in range(20)}) > 10


def test_the_mean_factor_of_runs_that_stand_alone_is_one() -> None:
    count = 4000
    factors = [noise(9, run, run_sd=0.2).run_factor / ONE for run in range(count)]
    error = statistics.stdev(factors) / math.sqrt(count)
    assert statistics.fmean(factors) == pytest.approx(1.0, abs=4.5 * error)
    assert statistics.stdev(factors) == pytest.approx(0.2, rel=0.1)
