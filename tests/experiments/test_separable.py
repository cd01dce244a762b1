"""Fitted values that move one figure each: found, and fitted by a search for a root."""

import numpy as np
import pytest

from simulator.experiments.validation.attempt import root
from simulator.experiments.validation.refit import parts_of


def test_a_row_that_two_columns_could_own_is_neithers() -> None:
    parts = parts_of(np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]))
    assert [(one.column, one.row) for one in parts.own] == [(2, 1)]
    assert (parts.columns, parts.rows) == ((0, 1), (0,))


def test_a_column_that_moves_nothing_owns_nothing() -> None:
    parts = parts_of(np.array([[0.0, 2.0]]))
    assert [one.column for one in parts.own] == [1]
    assert parts.columns == (0,)


def test_the_root_of_a_step_is_found_between_two_signs() -> None:
    """A crossover is a whole multiple of ten: between its steps the slope is 0."""
    x, value = root(
        lambda x: round(10 * x) / 10 - 1.7, (0.0, -1.7), 30.0, (-2.0, 2.0), near=0.05, most=30
    )
    assert abs(value) <= 0.05
    assert x == pytest.approx(1.7, abs=0.1)


def test_a_root_beyond_where_the_function_fails_is_come_near_to() -> None:
    asked = []

    def function(x: float) -> float | None:
        asked.append(x)
        return None if x > 0.6 else x - 1

    x, value = root(function, (0.0, -1.0), 1.0, (-2.0, 2.0), near=0.1, most=8)
    assert value == x - 1
    assert 0.4 < x <= 0.6
    assert len(asked) == 8


def test_a_slope_of_the_wrong_sign_is_put_right() -> None:
    x, value = root(lambda x: 2 - x, (1.0, 1.0), 3.0, (-5.0, 5.0), near=0.01, most=10)
    assert (x, value) == (pytest.approx(2, abs=0.01), pytest.approx(0, abs=0.01))
