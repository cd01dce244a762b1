"""A published study beside its simulation: each figure and claim with one of seven verdicts.

What is printed and claimed is in the study's file (:mod:`simulator.study.study_file`). Verdicts are
explained in docs/decisions/0036.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from simulator import __version__
from simulator.config.sources import unproven
from simulator.errors import InputError
from simulator.study.conditions import broken
from simulator.study.study_file import (
    BY_CONSTRUCTION,
    DEPENDENT,
    ROLES,
    Figure,
    Sentence,
    StudyFile,
)

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine

CONTRADICTED, NOT_TESTABLE = "contradicted", "not testable"
VERDICTS = (*ROLES, CONTRADICTED, NOT_TESTABLE)


# -- verdicts -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FigureResult:
    """A published figure and the simulated one."""

    figure: Figure
    rates: tuple[float, ...]
    """The figure of each simulated run; of one, if nothing varies."""

    @property
    def simulated(self) -> float:
        """Mean over the runs."""
        return fmean(self.rates)

    @property
    def inside(self) -> bool:
        """True if the simulated figure lies in the band."""
        return self.figure.low <= self.simulated <= self.figure.high

    @property
    def verdict(self) -> str:
        """One of :data:`VERDICTS`."""
        return self.figure.role if self.inside else CONTRADICTED

    @property
    def expected(self) -> bool:
        """True if it is inside, or listed as contradicted and still outside."""
        return self.inside != bool(self.figure.contradicted)

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs."""
        figure = self.figure
        simulated = {"mean": self.simulated, "min": min(self.rates), "max": max(self.rates)}
        return {
            "id": figure.id,
            "what": figure.what,
            "unit": figure.unit,
            "ref": figure.ref,
            "paper": {"mean": figure.value, "min": figure.low, "max": figure.high},
            "simulated": simulated,
            "role": figure.role,
            "verdict": self.verdict,
            "expected": self.expected,
            **({"dependent": figure.dependent} if figure.dependent else {}),
            **({"why": figure.contradicted} if figure.contradicted else {}),
        }


@dataclass(frozen=True, slots=True)
class SentenceResult:
    """A claim and whether simulated runs bear it out; ``holds`` is None if it is not testable."""

    claim: Sentence
    holds: bool | None
    figures: Mapping[str, float]
    broken: tuple[str, ...] = ()
    """The conditions that do not hold."""

    @property
    def verdict(self) -> str:
        """One of :data:`VERDICTS`."""
        if self.holds is None:
            return NOT_TESTABLE
        return self.claim.role if self.holds else CONTRADICTED

    @property
    def expected(self) -> bool:
        """True if it holds, or is listed as contradicted and still fails, or cannot be tested."""
        return self.holds is None or self.holds != bool(self.claim.contradicted)

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs."""
        share = self.claim.borne_out
        return {
            "id": self.claim.id,
            "text": self.claim.text,
            "rule": self.claim.rule or self.claim.untestable,
            "conditions": [one.text for one in self.claim.conditions],
            "broken": list(self.broken),
            "role": self.claim.role,
            "verdict": self.verdict,
            "expected": self.expected,
            **({"elsewhere": self.claim.elsewhere} if self.claim.elsewhere else {}),
            **({"ours": self.claim.ours} if self.claim.ours else {}),
            **({"random_machines": asdict(share)} if share else {}),
            **({"why": self.claim.contradicted} if self.claim.contradicted else {}),
            "figures": dict(self.figures),
        }


@dataclass(frozen=True, slots=True)
class Freedom:
    """Degrees of freedom: a study's data less what was fitted and chosen."""

    data: int
    """Printed numbers that are independent of each other and not so by construction."""
    fitted: int
    """Values of the machine that were fitted to them."""
    tuned: int
    """Choices that were made with them in view."""

    @property
    def left(self) -> int:
        """Data less values and choices; below 0 if there are more of these."""
        return self.data - self.fitted - self.tuned

    def to_json(self) -> dict[str, int]:
        """Return the record for programs."""
        counts = {"data": self.data, "fitted": self.fitted, "tuned": self.tuned}
        return {**counts, "left": self.left}


@dataclass(frozen=True, slots=True)
class Ledger:
    """A study beside its simulation."""

    study: StudyFile
    figures: tuple[FigureResult, ...]
    claims: tuple[SentenceResult, ...]
    assumed: tuple[dict[str, str], ...]
    calibrated: tuple[dict[str, str], ...]
    seed: int
    engine: str
    fitted: int = 0
    """Values that were fitted to printed numbers."""
    heart: tuple[str, ...] = ()
    """Paragraphs of what the study is about, for its first screen."""
    blocks: tuple[str, ...] = ()
    """Tables and sentences that the study adds for people."""
    details: str = ""
    """Lines that the study adds to the table of its degrees of freedom."""

    @property
    def passed(self) -> bool:
        """True if figures are inside, and testable claims hold, but for what is listed."""
        return all(one.expected for one in self.figures) and all(
            one.expected for one in self.claims
        )

    @property
    def freedom(self) -> Freedom:
        """Data, fitted values and choices, and what is left."""
        data = [
            one.figure
            for one in self.figures
            if one.figure.role not in (BY_CONSTRUCTION, DEPENDENT)
        ]
        return Freedom(len(data), self.fitted, len(self.study.tuned))

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "study": self.study.name,
            "freedom": {
                **self.freedom.to_json(),
                "choices": list(self.study.tuned),
                **({"held_out": list(self.study.held_out)} if self.study.held_out else {}),
            },
            "cells": [one.to_json() for one in self.figures],
            "claims": [one.to_json() for one in self.claims],
            "assumed": list(self.assumed),
            "calibrated": list(self.calibrated),
            "seed": self.seed,
            "engine": self.engine,
            "version": __version__,
        }


# -- from runs ----------------------------------------------------------------------------------


class Runs(Protocol):
    """The simulated runs of a study, each made when it is first asked for."""

    @property
    def machine(self) -> Machine:
        """The machine of all of them."""
        ...

    @property
    def engine_used(self) -> str:
        """The engine of the last run."""
        ...


AnyRuns = TypeVar("AnyRuns", bound=Runs)
Figures = Mapping[str, float]


def figure_result(
    figure: Figure, runs: AnyRuns, functions: Mapping[str, Callable[[AnyRuns], Any]]
) -> FigureResult:
    """Return a figure from runs; its function gives a number, or one for each run."""
    made = functions[figure.id](runs)
    return FigureResult(figure, (made,) if isinstance(made, int | float) else tuple(made))


def sentence_result(
    claim: Sentence, runs: AnyRuns, functions: Mapping[str, Callable[[AnyRuns], Figures]]
) -> SentenceResult:
    """Return a claim and whether the figures of runs fulfil its conditions."""
    if claim.untestable:
        return SentenceResult(claim, None, {})
    figures = functions[claim.id](runs)
    if not claim.conditions:
        raise InputError(f"{claim.id}: no conditions; write them under `holds:`")
    left = tuple(broken(claim.conditions, figures))
    return SentenceResult(claim, not left, figures, left)


def decided(
    study: StudyFile,
    runs: AnyRuns,
    figures: Mapping[str, Callable[[AnyRuns], Any]],
    claims: Mapping[str, Callable[[AnyRuns], Figures]],
    *,
    seed: int,
) -> Ledger:
    """Return a study with its figures and claims from runs; both by their ids in its file."""
    return Ledger(
        study=study,
        figures=tuple(figure_result(one, runs, figures) for one in study.figures),
        claims=tuple(sentence_result(one, runs, claims) for one in study.claims),
        assumed=stated(runs.machine, "assumed"),
        calibrated=stated(runs.machine, "calibrated"),
        seed=seed,
        engine=runs.engine_used,
    )


def stated(machine: Machine, kind: Literal["assumed", "calibrated"]) -> tuple[dict[str, str], ...]:
    """Return the values of a machine that come from such a source, as records."""
    return tuple(
        {"path": one.path, "value": one.value, "detail": one.detail, "note": one.note}
        for one in unproven(machine)[kind]
    )
