"""Which conditions of claims can fail: those that one of the claim's own ablations breaks.

A claim is contradicted when one of its conditions fails, so that an ablation may turn it while
others are never tried. Here each condition counts by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.study.ablation_file import Unbroken
from simulator.study.ledger import BY_CONSTRUCTION, StudyFile

Broken = tuple[str, Sequence[str]]
"""A claim's id, and the conditions of it that an ablation breaks."""


@dataclass(frozen=True, slots=True)
class Covered:
    """A condition of a claim, and what it takes to break it."""

    claim: str
    condition: str
    by_construction: bool
    """The claim holds by construction: the condition checks the model, and need not fail."""
    fails: bool
    """It fails in the study as it is."""
    ablations: int
    """How many of the claim's ablations break it."""
    alone: bool
    """One of them breaks no other condition of the claim."""
    why: str
    """Why none does, as the study's file says; empty if it says nothing."""

    @property
    def broken(self) -> bool:
        """Whether it fails, with an ablation or as it is."""
        return self.fails or self.ablations > 0

    @property
    def ok(self) -> bool:
        """Whether it is broken or has a reason, and not both."""
        return self.by_construction or self.broken != bool(self.why)

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "claim": self.claim,
            "condition": self.condition,
            "by_construction": self.by_construction,
            "fails": self.fails,
            "ablations": self.ablations,
            "alone": self.alone,
            **({"why": self.why} if self.why else {}),
            "as_expected": self.ok,
        }


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of conditions of claims that do not hold by construction."""

    all: int
    broken: int
    alone: int
    """Those that an ablation breaks without any other of the claim."""
    fail: int
    """Those that fail in the study as it is and that no ablation touches."""
    left: int
    """Those that nothing breaks."""
    by_construction: int
    """Conditions of the other claims."""


def counts(conditions: Collection[Covered]) -> Counts:
    """Count the conditions of one study, or of several."""
    free = [one for one in conditions if not one.by_construction]
    return Counts(
        all=len(free),
        broken=sum(one.ablations > 0 for one in free),
        alone=sum(one.alone for one in free),
        fail=sum(one.fails and not one.ablations for one in free),
        left=sum(not one.broken for one in free),
        by_construction=len(conditions) - len(free),
    )


def covered(
    study: StudyFile,
    broken: Sequence[Broken],
    fails: Mapping[str, Sequence[str]],
    unbroken: Sequence[Unbroken],
) -> Iterator[Covered]:
    """Yield the conditions of testable claims.

    ``broken``: of each ablation. ``fails``: by claim, the conditions that fail without any; only
    claims that it names are looked at.
    """
    why = {(one.claim, one.condition): one.why for one in unbroken}
    for claim in study.claims:
        if claim.id not in fails:
            continue
        mine = [texts for id_, texts in broken if id_ == claim.id]
        for text in (one.text for one in claim.conditions):
            yield Covered(
                claim.id,
                text,
                claim.role == BY_CONSTRUCTION,
                text in fails[claim.id],
                sum(text in texts for texts in mine),
                any(list(texts) == [text] for texts in mine),
                why.get((claim.id, text), ""),
            )
