"""Searches with few evaluations find what trying all numbers finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.experiments.orion.runs import bracket, first_true


@given(st.integers(1, 60), st.integers(1, 120), st.integers(1, 120))
def test_the_first_true_is_found_from_any_guess(least: int, first: int, guess: int) -> None:
    tried: list[int] = []

    def test(number: int) -> bool:
        tried.append(number)
        return number >= first

    assert first_true(test, least, max(least, guess)) == max(least, first)
    assert min(tried) >= least
    assert len(tried) == len(set(tried)) <= 15


@given(st.floats(0.5, 999.5), st.sampled_from([0.2, 1.0, 3.0]), st.integers(1, 40))
def test_a_crossing_is_enclosed_as_near_as_asked(root: float, power: float, near: int) -> None:
    low, high = bracket(lambda n: n**power - root**power, 0, 1000, near=lambda _: near)
    assert low < root <= high
    assert 0 < high - low <= near


LINES: list[tuple[Callable[[int], float], Callable[[int], float]]] = [
    (lambda n: n - 700.5, float),
    (lambda n: 3 * n * n - 1e6, lambda n: n * n),
]


@pytest.mark.parametrize(("value", "scale"), LINES)
def test_a_line_needs_few_evaluations(
    value: Callable[[int], float], scale: Callable[[int], float]
) -> None:
    tried: list[int] = []

    def counted(number: int) -> float:
        tried.append(number)
        return value(number)

    low, high = bracket(counted, 0, 1000, scale=scale)
    assert high - low == 1
    assert value(low) < 0 <= value(high)
    assert len(tried) <= 5
