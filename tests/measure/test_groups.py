"""Two groups among times: the dip against another way to find it, noise, and power."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import pairwise

import pytest

from simulator.measure.groups import LEAST, REACHED, Groups, apart, dip, groups_of, reached_by_noise

NOISE: dict[str, Callable[[random.Random], float]] = {
    "normal": lambda draw: draw.gauss(100, 5),
    "wide normal": lambda draw: draw.lognormvariate(0, 0.7),
    "uniform": lambda draw: draw.uniform(50, 150),
    "a tail": lambda draw: 100 + draw.expovariate(1 / 60),
    "a heavy tail": lambda draw: 100 + 20 * draw.paretovariate(1.2),
    "disturbed at times": lambda draw: draw.gauss(100, 3) * (4 if draw.random() < 0.05 else 1),
}
"""Times around one value."""


def naive_dip(values: list[float]) -> float:
    """The dip by its definition: the least band that holds a line convex, then concave.

    For each place of the mode and each width, the taut line through the band is looked for.
    """
    ordered, count = sorted(values), len(values)
    low, high = 1 / (2 * count), 0.5
    for _ in range(40):
        width = (low + high) / 2
        if any(_fits(ordered, mode, width) for mode in range(count)):
            high = width
        else:
            low = width
    return high


def _fits(ordered: list[float], mode: int, width: float) -> bool:
    count = len(ordered)
    left = [(x, i / count + width, (i + 1) / count - width) for i, x in enumerate(ordered)]
    right = [
        (-x, (count - 1 - i) / count + width, (count - i) / count - width)
        for i, x in enumerate(ordered)
    ][::-1]
    return _convex(left[: mode + 1]) and _convex(right[: count - mode])


def _convex(band: list[tuple[float, float, float]]) -> bool:
    """Whether a convex line is below the tops of a band and nowhere below its bottoms.

    It is if no bottom is above a straight line between two tops around it.
    """
    for at, (x, _, bottom) in enumerate(band[:-1]):
        for i in range(at + 1):
            for j in range(at, len(band)):
                (a, top_a, _), (b, top_b, _) = band[i], band[j]
                line = min(top_a, top_b) if a == b else top_a + (top_b - top_a) * (x - a) / (b - a)
                if bottom > line + 1e-12:
                    return False
    return True


@pytest.mark.parametrize("seed", range(12))
def test_the_dip_is_that_of_its_definition(seed: int) -> None:
    draw = random.Random(seed)
    values = [draw.gauss(0, 1) + (4 if draw.random() < 0.4 else 0) for _ in range(9)]
    assert dip(values) == pytest.approx(naive_dip(values), abs=1e-6)


def test_the_dip_does_not_depend_on_unit_or_order() -> None:
    draw = random.Random(5)
    values = [draw.random() for _ in range(25)]
    assert dip([3 + 7 * one for one in reversed(values)]) == pytest.approx(dip(values))
    assert dip([1.0] * 10 + [2.0] * 10) == pytest.approx(0.25, rel=1e-3)
    assert dip([1.0] * 20) == pytest.approx(1 / 40)


def quantile(count: int, draws: int, part: float) -> float:
    """The dip that a part of uniform samples stays below."""
    draw = random.Random(count)
    dips = sorted(dip([draw.random() for _ in range(count)]) for _ in range(draws))
    return dips[math.ceil(part * draws) - 1]


@pytest.mark.slow
def test_what_noise_reaches_falls_with_the_number_of_samples() -> None:
    assert quantile(10, 4000, 0.99) == pytest.approx(REACHED[10], rel=0.05)
    for one, more in pairwise(range(LEAST, 60)):
        assert reached_by_noise(more) <= reached_by_noise(one)


@pytest.mark.slow
@pytest.mark.parametrize(
    "count", [12, *(pytest.param(one, marks=pytest.mark.long) for one in (20, 30))]
)
def test_the_table_is_the_quantile_of_uniform_samples(count: int) -> None:
    assert quantile(count, 20_000, 0.99) == pytest.approx(REACHED[count], rel=0.03)


def found(count: int, draws: int, one: Callable[[random.Random], float]) -> float:
    """The part of drawn samples in which two groups are found."""
    draw = random.Random(count)
    several = ([one(draw) for _ in range(count)] for _ in range(draws))
    return sum(groups_of(times) is not None for times in several) / draws


@pytest.mark.few(2)
@pytest.mark.parametrize("name", NOISE)
def test_noise_around_one_value_is_one_group(name: str) -> None:
    assert found(20, 400, NOISE[name]) <= 0.0125


@pytest.mark.slow
@pytest.mark.parametrize("name", NOISE)
@pytest.mark.parametrize("count", [10, 20, 30])
def test_plain_noise_gives_two_groups_once_in_a_hundred_at_most(name: str, count: int) -> None:
    assert found(count, 3000, NOISE[name]) <= (0.015 if name == "uniform" else 0.007)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("count", "part", "factor", "power"),
    [(10, 0.5, 2.0, 0.55), (20, 0.5, 2.0, 0.9), (30, 0.5, 1.5, 0.85), (30, 0.35, 2.0, 0.85)],
)
def test_two_groups_are_found(count: int, part: float, factor: float, power: float) -> None:
    """Each with 5 % of noise; the second one has a part of the samples."""

    def one(draw: random.Random) -> float:
        return draw.gauss(50, 2.5) * (factor if draw.random() < part else 1)

    assert found(count, 300, one) >= power


def test_small_differences_and_few_samples_are_no_groups() -> None:
    near = [100.0 + i / 100 for i in range(10)] + [110.0 + i / 100 for i in range(10)]
    assert dip(near) > reached_by_noise(20)
    assert groups_of(near) is None
    assert groups_of([1.0, 1.01, 1.02, 9.0, 9.01, 9.02]) is None
    assert groups_of([0.0] * 10 + [1.0] * 10) is None


def test_the_larger_group_is_usual_and_of_equal_ones_the_quicker() -> None:
    quick, slow = [50.0 + i / 10 for i in range(10)], [200.0 + i / 10 for i in range(12)]
    groups = groups_of(quick + slow)
    assert groups == Groups(tuple(range(10, 22)), tuple(range(10)))
    assert groups_of(slow[:10] + quick) == Groups(tuple(range(10, 20)), tuple(range(10)))


def test_a_state_tells_groups_apart_in_either_direction() -> None:
    groups = Groups(tuple(range(6)), tuple(range(6, 10)))
    assert apart(groups, range(10))
    assert apart(groups, [-one for one in range(10)])
    assert not apart(groups, [1.0] * 10)
    assert not apart(groups, [one % 2 for one in range(10)])
