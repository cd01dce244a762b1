"""Each claim by itself: its verdict is the expected one, and turns without what causes it.

The facts of the papers are in ``test_ablations.py``.
"""

from __future__ import annotations

from functools import cache

import pytest

from simulator.errors import InputError
from simulator.experiments.validation.ablation_file import load_ablations
from simulator.experiments.validation.ablations import ablate
from simulator.study.studies import STUDIES

RUNS = {"nwt": 3, "orion": 3}
"""Repetitions, where the study's own number takes minutes."""


@cache
def claims(name: str) -> list[str]:
    """The claims of a study that have ablations."""
    try:
        return list(load_ablations(name).claims)
    except InputError:  # The study has none.
        return []


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "claim"),
    [pytest.param(name, claim, id=f"{name}/{claim}") for name in STUDIES for claim in claims(name)],
)
def test_what_is_removed_turns_it(name: str, claim: str) -> None:
    made = ablate(name, claims=[claim], facts=False, runs=RUNS.get(name))
    assert made.turned
    assert [one.ablation.without for one in made.turned if not one.ok] == []
