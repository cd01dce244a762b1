"""Each condition of each claim, alone: it holds just inside its bound, and fails just beyond.

The figures are made up, so nothing is simulated.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

import pytest

from simulator.study.conditions import Condition
from simulator.study.ledger import Sentence, load_study_file, sentence_result
from simulator.study.studies import STUDIES

FEW = 1e-9
CONDITIONS = [
    pytest.param(claim, condition, id=f"{name}/{claim.id}/{number}")
    for name in STUDIES
    for claim in load_study_file(name).claims
    for number, condition in enumerate(claim.conditions)
]


@pytest.mark.parametrize(("claim", "condition"), CONDITIONS)
def test_a_condition_fails_just_beyond(claim: Sentence, condition: Condition) -> None:
    """Which ones of the others fail does not matter."""
    figures = made_up(claim)
    name = condition.figure.replace("*", "1")
    bound = condition.bound(figures)
    inside, beyond = sides(condition, bound)
    good = {
        other: inside
        for other in (*figures, name)
        if other != condition.value and fnmatchcase(other, condition.figure)
    }
    assert condition.text not in broken_of(claim, {**figures, **good})
    for wrong in beyond:  # one of several is enough
        assert condition.text in broken_of(claim, {**figures, **good, name: wrong})


def made_up(claim: Sentence) -> dict[str, float]:
    """All figures that a claim's conditions name, each the same number."""
    names = [one.figure.replace("*", "1") for one in claim.conditions]
    names += [one.value for one in claim.conditions if isinstance(one.value, str)]
    return dict.fromkeys(names, 2.0)


def sides(condition: Condition, bound: float) -> tuple[float, list[float]]:
    """A figure that fulfils a condition, and those next to it that do not."""
    step = FEW * max(1.0, abs(bound))
    more, less = bound + step, bound - step
    if condition.operator == "within":
        room = condition.percent / 100 * abs(bound)
        return bound + room - step, [bound - room - step, bound + room + step]
    return {
        "<": (less, [bound, more]),
        "<=": (bound, [more]),
        ">": (more, [bound, less]),
        ">=": (bound, [less]),
        "==": (bound, [less, more]),
    }[condition.operator]


def broken_of(claim: Sentence, figures: Mapping[str, float]) -> tuple[str, ...]:
    """The conditions of a claim that figures break."""
    functions: Any = {claim.id: lambda _: figures}
    return sentence_result(claim, None, functions).broken  # type: ignore[type-var]
