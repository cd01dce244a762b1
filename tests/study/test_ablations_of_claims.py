"""Each claim by itself: its verdict is the expected one, and turns without what causes it.

The facts of the papers are in ``test_ablations.py``; the mutants of claims ask for one claim alone
(``tests/mutants``).
"""

from __future__ import annotations

from functools import cache

import pytest

from simulator.errors import InputError
from simulator.study.ablation_file import load_ablations
from simulator.study.ablations import ablate_claim
from simulator.study.ledger import BY_CONSTRUCTION, load_study_file
from simulator.study.studies import STUDIES

RUNS = {"nwt": 3, "orion": 3}
"""Repetitions, where the study's own number takes minutes."""


@cache
def claims(name: str) -> list[str]:
    """The claims of a study that have ablations."""
    try:
        return list(dict.fromkeys(one.claim for one in load_ablations(name).ablations))
    except InputError:  # The study has none.
        return []


def others(name: str) -> list[str]:
    """The claims of a study without ablations that could fail: those that are contradicted."""
    ablated = claims(name)
    return [
        one.id
        for one in load_study_file(name).claims
        if not one.untestable and one.role != BY_CONSTRUCTION and one.id not in ablated
    ]


@pytest.mark.slow
@pytest.mark.compiled("simulator.native.engine")
@pytest.mark.parametrize(
    ("name", "claim"),
    [pytest.param(name, claim, id=f"{name}/{claim}") for name in STUDIES for claim in claims(name)],
)
def test_what_is_removed_turns_it(name: str, claim: str) -> None:
    """And each of its conditions is broken by something, or has a reason."""
    made = ablate_claim(name, claim, runs=RUNS.get(name))
    assert made.turned
    assert [one.ablation.without for one in made.turned if not one.ok] == []
    assert [one.condition for one in made.conditions if not one.ok] == []


@pytest.mark.slow
@pytest.mark.compiled("simulator.native.engine")
@pytest.mark.parametrize(
    ("name", "claim"),
    [pytest.param(name, claim, id=f"{name}/{claim}") for name in STUDIES for claim in others(name)],
)
def test_conditions_that_nothing_is_removed_for_fail_as_they_are(name: str, claim: str) -> None:
    made = ablate_claim(name, claim, runs=RUNS.get(name))
    assert made.conditions
    assert [one.condition for one in made.conditions if not one.ok] == []
