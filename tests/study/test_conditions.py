"""Conditions of claims: what they say of figures, and what is no condition."""

from __future__ import annotations

import math

import pytest

from simulator.study.conditions import Condition, ConditionError, broken, condition, conditions

FIGURES = {"a": 2.0, "b": 3.0, "b_1": 3.5, "b_2": 4.5, "nan": math.nan}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("a < 2.1", True),
        ("a < 2", False),
        ("a <= 2", True),
        ("a > 2", False),
        ("a >= 2", True),
        ("a == 2", True),
        ("a == 2.1", False),
        ("a < b", True),
        ("b < a", False),
        ("b_* > 3", True),
        ("b_* > 4", False),
        ("* > 4", False),
        ("a within 10 % of 2.2", True),
        ("a within 9 % of 2.2", False),
        ("a within 40 % of b", True),
        ("b_* within 15 % of 4", True),
        ("b_* within 12 % of 4", False),
        ("a within 10 % of -2", False),
        ("nan < 1", False),
        ("nan >= 1", False),
        ("nan within 1000 % of 1", False),
    ],
)
def test_a_condition_says_what_it_says(text: str, holds: bool) -> None:
    assert condition(text).holds(FIGURES) is holds
    assert broken(conditions([text, "a == 2"]), FIGURES) == ([] if holds else [text])


@pytest.mark.parametrize(
    "text", ["", "a", "a > ", "a => 2", "a > 2 or b", "a within 10 of 2", "a within x % of 2"]
)
def test_what_is_no_condition_is_told(text: str) -> None:
    with pytest.raises(ConditionError, match="is no condition; write"):
        condition(text)


@pytest.mark.parametrize("text", ["c > 2", "c_* > 2", "a > c"])
def test_a_figure_that_is_not_there_is_told(text: str) -> None:
    with pytest.raises(ConditionError, match=r"no figure c(_\*)?; there are a, b, b_1, b_2"):
        condition(text).holds(FIGURES)


def test_its_parts_are_kept() -> None:
    assert condition("a within 10 % of 2") == Condition("a within 10 % of 2", "a", "within", 2, 10)
