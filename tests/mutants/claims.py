"""Mutants of claims, made from the studies' files: conditions that always hold, figures that stay.

For each condition of a claim one that always holds, which the tests of conditions notice; and for
each claim with an ablation one whose figures are those of the unchanged runs whatever is removed,
which its ablation notices.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulator.errors import InputError
from simulator.study.ablation_file import load_ablations
from simulator.study.ledger import Sentence, load_study_file
from simulator.study.studies import STUDIES
from tests.mutants.listed import Mutant

HOLDS = "        return all(self._holds(figures[name], bound) for name in self.named(figures))\n"
CLAIM = "        made = sentence_result(claim, runs, self.code.claims)\n"
CONDITIONS = "tests/study/test_conditions_of_claims.py::test_a_condition_fails_just_beyond"
ABLATIONS = "tests/study/test_ablations_of_claims.py::test_what_is_removed_turns_it"


def claim_mutants() -> tuple[Mutant, ...]:
    """Return the mutants of all claims of all studies."""
    return tuple(mutant for name in STUDIES for mutant in _of_study(name))


def _of_study(name: str) -> Iterator[Mutant]:
    study = load_study_file(name)
    for claim in study.claims:
        yield from _conditions(name, claim)
    try:
        ablated = dict.fromkeys(one.claim for one in load_ablations(name).ablations)
    except InputError:  # The study has no ablations.
        return
    for id_ in ablated:
        yield Mutant(
            id=f"figures-{name}-{id_}",
            file="simulator/study/ablations.py",
            old=CLAIM,
            new=f"        if id_ == {id_!r}:\n            runs = self._here\n{CLAIM}",
            breaks="its figures are those of the unchanged runs, whatever is removed",
            tests=(f"{ABLATIONS}[{name}/{id_}]",),
            slow=True,
        )


def _conditions(name: str, claim: Sentence) -> Iterator[Mutant]:
    for number, condition in enumerate(claim.conditions):
        yield Mutant(
            id=f"condition-{name}-{claim.id}-{number}",
            file="simulator/study/conditions.py",
            old=HOLDS,
            new=f"        if self.text == {condition.text!r}:\n            return True\n{HOLDS}",
            breaks=f"`{condition.text}` always holds",
            tests=(f"{CONDITIONS}[{name}/{claim.id}/{number}]",),
            batch=f"conditions-{name}",
        )
