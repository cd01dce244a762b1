"""Comparison of every study with formulas: printed numbers, and the conditions of claims.

Formulas are fitted to the printed numbers to which the machine's values were fitted. A claim is
decided by the conditions of the study's file, on those of its figures for which there is a formula.
Numbers that hold by construction are excluded. Persistence is a further null model: each number
equals its neighbour in the paper.
"""

from __future__ import annotations

import importlib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.shipped import shipped_root
from simulator.study.conditions import Condition
from simulator.study.study_file import BY_CONSTRUCTION, CALIBRATED, PREDICTED, UNDEMANDING

from .null_model import SPARE, Datum, NullFit, NullModel, fit
from .persistence import Neighbour, neighbours

if TYPE_CHECKING:
    from simulator.study.ledger import FigureResult, Ledger, SentenceResult
    from simulator.study.study_file import Figure

HOLDS, CONTRADICTS, IN_PART, NOTHING = "holds", "contradicts", "in part", "says nothing"
BAND = 0.1
"""Band of a sum of printed numbers, as that of each."""


def has_formulas(study: str) -> bool:
    """Return whether a study has formulas."""
    return (shipped_root("experiments") / study / "formulas.py").is_file()


def null_model(study: str) -> NullModel[Any]:
    """Import the formulas of a study: ``model()`` in experiments/<study>/formulas.py."""
    module = importlib.import_module(f"simulator.experiments.{study}.formulas")
    made: NullModel[Any] = module.model()
    return made


@dataclass(frozen=True, slots=True)
class NullFigure:
    """A printed number by the simulator and by formulas."""

    result: FigureResult
    took_part: bool
    """True if the formulas were fitted to it."""
    rate: float | None
    """Its value by the formulas; None without a formula, or if undetermined."""
    left_out: float | None = None
    """Its value by formulas fitted to the others; None also with too few data."""
    neighbour: Neighbour | None = None
    """The printed number that predicts it by persistence."""

    def inside(self, rate: float | None) -> bool:
        """Return whether a number is in the band of the printed one."""
        figure = self.result.figure
        return rate is not None and figure.low <= rate <= figure.high

    @property
    def persists(self) -> bool:
        """True if its neighbour is in its band."""
        return self.neighbour is not None and self.inside(self.neighbour.value)


@dataclass(frozen=True, slots=True)
class NullClaim:
    """A claim's conditions by formulas, each by its text."""

    result: SentenceResult
    holding: tuple[str, ...]
    broken: tuple[str, ...]
    silent: tuple[str, ...]
    """Conditions without formulas for their figures."""

    @property
    def verdict(self) -> str:
        """One of four verdicts: a condition fails, all hold, only some are decided, or none."""
        if self.broken:
            return CONTRADICTS
        if not self.silent:
            return HOLDS
        return IN_PART if self.holding else NOTHING

    @property
    def decided(self) -> bool:
        """True if formulas decide it: they contradict a condition, or have all of its figures."""
        return self.verdict in (HOLDS, CONTRADICTS)

    @property
    def by_both(self) -> bool:
        """True if simulated runs and formulas confirm it."""
        return self.result.holds is True and self.verdict == HOLDS

    @property
    def by_simulator_only(self) -> bool:
        """True if simulated runs confirm it and formulas contradict it."""
        return self.result.holds is True and self.verdict == CONTRADICTS

    @property
    def by_formulas_only(self) -> bool:
        """True if formulas confirm it and simulated runs do not."""
        return self.result.holds is not True and self.verdict == HOLDS


@dataclass(frozen=True, slots=True)
class NullStudy:
    """A study with its formulas."""

    model: NullModel[Any]
    fit: NullFit
    figures: tuple[NullFigure, ...]
    claims: tuple[NullClaim, ...]
    data: int
    """Numbers, and sums of numbers, to which the formulas were fitted."""
    simulator_values: int
    """Number of fitted values of the machine."""

    @property
    def fitted(self) -> list[NullFigure]:
        """Printed numbers to which the formulas were fitted, alone or as addends of a sum."""
        return [one for one in self.figures if one.result.figure.role == CALIBRATED]

    @property
    def predicted(self) -> list[NullFigure]:
        """Printed numbers with the role predicted."""
        return [one for one in self.figures if one.result.figure.role == PREDICTED]

    @property
    def leaves_out(self) -> bool:
        """True if there are enough data to leave one out."""
        return self.data >= len(self.model.constants) + SPARE

    def of_role(self, role: str) -> list[NullClaim]:
        """Return the claims with a role."""
        return [one for one in self.claims if one.result.claim.role == role]


def null_study(ledger: Ledger, model: NullModel[Any] | None = None) -> NullStudy:
    """Fit a study's formulas (None: its own), and compare them with the simulation."""
    model = model or null_model(ledger.study.name)
    results = [one for one in ledger.figures if one.figure.role != BY_CONSTRUCTION]
    every = {one.figure.id: one.figure for one in results}
    sums = ledger.study.sums
    addends = {one for ids in sums.values() for one in ids}
    data = [
        *(_datum(model, one) for one in every.values() if takes_part(model, one, addends)),
        *(_sum(model, name, [every[one] for one in ids]) for name, ids in sums.items()),
    ]
    taking = {one.id for one in data}
    others = [one for id_, one in every.items() if id_ in model.figures and id_ not in taking]
    made = fit(model.constants, data, [_datum(model, one) for one in others])
    rates: dict[str, float | None] = {**made.predicted, **made.fitted}
    like = neighbours(ledger.study)
    values = model.kind(*made.all_values)
    return NullStudy(
        model=model,
        fit=made,
        figures=tuple(
            NullFigure(
                one,
                one.figure.id in taking,
                rates.get(one.figure.id),
                made.predicted.get(one.figure.id) if one.figure.id in taking else None,
                like.get(one.figure.id),
            )
            for one in results
        ),
        claims=tuple(
            null_claim(
                one, model.claims[one.claim.id](values) if one.claim.id in model.claims else {}
            )
            for one in ledger.claims
            if one.claim.role in {CALIBRATED, PREDICTED, UNDEMANDING} and not one.claim.elsewhere
        ),
        data=len(data),
        simulator_values=ledger.freedom.fitted,
    )


def takes_part(model: NullModel[Any], figure: Figure, addends: Container[str] = ()) -> bool:
    """Return whether formulas are fitted to a printed number: if the machine's values were.

    Addends of sums are excluded: both are fitted to the sum.
    """
    return figure.id in model.figures and figure.role == CALIBRATED and figure.id not in addends


def _datum(model: NullModel[Any], figure: Figure) -> Datum:
    middle = (figure.low + figure.high) / 2 if figure.value is None else figure.value
    formula = model.figures[figure.id]
    return Datum(
        figure.id, middle, figure.low, figure.high, lambda values: formula(model.kind(*values))
    )


def _sum(model: NullModel[Any], name: str, figures: Sequence[Figure]) -> Datum:
    """Return a sum of printed numbers as one datum."""
    parts = [_datum(model, one) for one in figures]
    whole = sum(one.value for one in parts)
    return Datum(
        name,
        whole,
        whole * (1 - BAND),
        whole * (1 + BAND),
        lambda values: sum(one.of(values) for one in parts),
    )


def null_claim(result: SentenceResult, figures: Mapping[str, float]) -> NullClaim:
    """Decide a claim by the formulas' figures; ValueError if it has no such figure."""
    unknown = sorted(set(figures) - set(result.figures))
    if unknown:
        raise ValueError(f"{result.claim.id}: formulas for {', '.join(unknown)}, which it has not")
    told: dict[str, list[str]] = {HOLDS: [], CONTRADICTS: [], NOTHING: []}
    for one in result.claim.conditions:
        told[_formula_result(one, result.figures, figures)].append(one.text)
    return NullClaim(result, tuple(told[HOLDS]), tuple(told[CONTRADICTS]), tuple(told[NOTHING]))


def _formula_result(
    one: Condition, simulated: Mapping[str, float], figures: Mapping[str, float]
) -> str:
    """Return the formulas' result for a condition.

    One figure that violates it decides; it holds only with all figures that simulated runs have.
    """
    wanted = one.named(simulated)
    known = [name for name in wanted if name in figures]
    if not known or (isinstance(one.value, str) and one.value not in figures):
        return NOTHING
    if not one.holds(figures):
        return CONTRADICTS
    return HOLDS if len(known) == len(wanted) else NOTHING
