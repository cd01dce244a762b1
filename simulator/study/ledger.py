"""A study of which sentences and single figures survive: each as a band or a rule, with a verdict.

``experiments/<study>/study.yaml`` holds the published figures, each with the band that the
simulated figure must lie in, and the paper's claims, each with the rule that simulated runs
decide, or with the reason why it cannot be tested. A study's own module runs its experiments
and gives a :class:`Ledger`, which has the same record as a reproduction of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import yaml

from simulator import __version__
from simulator.config.sources import unproven
from simulator.shipped import shipped_root

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine


@dataclass(frozen=True, slots=True)
class Figure:
    """One published figure and the band that the simulated one must lie in."""

    id: str
    what: str
    unit: str
    value: float | None
    """As printed, if a number is printed."""
    low: float
    high: float
    role: str
    """``calibrated`` if it was fitted, else ``predicted``."""
    ref: str
    """Section of the paper."""
    contradicted: str = ""
    """Why the simulated figure is outside its band, where that is known and remains so."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A claim of the paper: its rule, or why it cannot be tested."""

    id: str
    ref: str
    text: str
    rule: str
    untestable: str = ""
    role: str = ""
    """``calibrated`` if figures that decide it were fitted, else ``predicted``; may be left out."""
    contradicted: str = ""
    """Why simulated runs do not bear it out, where that is known and remains so."""


@dataclass(frozen=True, slots=True)
class StudyFile:
    """The figures and claims of a study, as its file has them."""

    name: str
    title: str
    paper: str
    machine: str
    figures: tuple[Figure, ...]
    claims: tuple[Sentence, ...]


def load_study_file(name: str) -> StudyFile:
    """Read the file of a shipped study."""
    path = shipped_root("experiments") / name / "study.yaml"
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    return StudyFile(
        name=raw["name"],
        title=raw["title"],
        paper=raw["paper"],
        machine=raw["machine"],
        figures=tuple(_figure(one, raw.get("band", 0.0)) for one in raw["figures"]),
        claims=tuple(
            Sentence(
                one["id"],
                str(one["ref"]),
                one["text"],
                one.get("rule", ""),
                one.get("untestable", ""),
                one.get("role", ""),
                one.get("contradicted", ""),
            )
            for one in raw["claims"]
        ),
    )


def _figure(raw: dict[str, Any], band: float) -> Figure:
    """Return a figure with its own band, or with the study's: a share of the printed number."""
    value = raw.get("value")
    if "printed" in raw:
        value = float(raw["printed"])
        room = max(band * value, half_a_digit(raw["printed"]))
        low, high = value - room, value + room
    else:
        low, high = raw["band"]
    return Figure(
        raw["id"],
        raw["what"],
        raw["unit"],
        None if value is None else float(value),
        float(low),
        float(high),
        raw["role"],
        str(raw["ref"]),
        raw.get("contradicted", ""),
    )


def half_a_digit(printed: str) -> float:
    """Return half a unit of the last digit of a printed number.

    >>> half_a_digit("31.0"), half_a_digit("329"), half_a_digit("0.0067")
    (0.05, 0.5, 5e-05)
    """
    return float(f"5e-{len(printed.partition('.')[2]) + 1}")


@dataclass(frozen=True, slots=True)
class FigureResult:
    """A published figure and the simulated one."""

    figure: Figure
    simulated: float

    @property
    def inside(self) -> bool:
        """Whether the simulated figure lies in the band."""
        return self.figure.low <= self.simulated <= self.figure.high

    @property
    def verdict(self) -> str:
        """``inside``, ``outside``, or ``contradicted`` if that is listed."""
        if self.inside:
            return "inside"
        return "contradicted" if self.figure.contradicted else "outside"

    @property
    def expected(self) -> bool:
        """Whether it is inside, or listed as contradicted and still outside."""
        return self.inside != bool(self.figure.contradicted)

    def to_json(self) -> dict[str, Any]:
        """The record for programs; the keys are those of a table's cell."""
        figure = self.figure
        return {
            "id": figure.id,
            "what": figure.what,
            "unit": figure.unit,
            "ref": figure.ref,
            "paper": {"mean": figure.value, "min": figure.low, "max": figure.high},
            "simulated": {"mean": self.simulated, "min": self.simulated, "max": self.simulated},
            "role": figure.role,
            "verdict": self.verdict,
            **({"why": figure.contradicted} if figure.contradicted else {}),
        }


@dataclass(frozen=True, slots=True)
class SentenceResult:
    """A claim and whether simulated runs bear it out; ``holds`` is None if it is not testable."""

    claim: Sentence
    holds: bool | None
    figures: Mapping[str, float]

    @property
    def verdict(self) -> str:
        """``holds``, ``fails`` or ``untestable``; ``contradicted`` if it fails as is listed."""
        if self.holds is None:
            return "untestable"
        if self.holds:
            return "holds"
        return "contradicted" if self.claim.contradicted else "fails"

    @property
    def expected(self) -> bool:
        """Whether it holds, or is listed as contradicted and still fails, or cannot be tested."""
        return self.holds is None or self.holds != bool(self.claim.contradicted)

    def to_json(self) -> dict[str, Any]:
        """The record for programs."""
        return {
            "id": self.claim.id,
            "text": self.claim.text,
            "rule": self.claim.rule or self.claim.untestable,
            "role": self.claim.role,
            "verdict": self.verdict,
            **({"why": self.claim.contradicted} if self.claim.contradicted else {}),
            "figures": dict(self.figures),
        }


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
    blocks: tuple[str, ...] = ()
    """Tables and sentences that the study adds for people."""
    freedom: str = ""
    """A table of how many numbers are tested, how many values were fitted, and what is left."""

    @property
    def passed(self) -> bool:
        """Whether figures are inside, and testable claims hold, but for what is listed."""
        return all(one.expected for one in self.figures) and all(
            one.expected for one in self.claims
        )

    def to_json(self) -> dict[str, Any]:
        """The record for programs."""
        return {
            "study": self.study.name,
            "cells": [one.to_json() for one in self.figures],
            "claims": [one.to_json() for one in self.claims],
            "assumed": list(self.assumed),
            "calibrated": list(self.calibrated),
            "seed": self.seed,
            "engine": self.engine,
            "version": __version__,
        }


class Runs(Protocol):
    """The simulated runs of a study."""

    @property
    def machine(self) -> Machine:
        """The machine of all of them."""
        ...


AnyRuns = TypeVar("AnyRuns", bound=Runs)


def decided(
    study: StudyFile,
    runs: AnyRuns,
    figures: Mapping[str, Callable[[AnyRuns], float]],
    rules: Mapping[str, Callable[[AnyRuns], tuple[bool, dict[str, float]]]],
    *,
    seed: int,
    engine: str,
    blocks: tuple[str, ...],
) -> Ledger:
    """Return a study with its figures and claims from runs; both by their ids in its file."""
    return Ledger(
        study=study,
        figures=tuple(FigureResult(one, figures[one.id](runs)) for one in study.figures),
        claims=tuple(
            SentenceResult(one, None, {})
            if one.untestable
            else SentenceResult(one, *rules[one.id](runs))
            for one in study.claims
        ),
        assumed=stated(runs.machine, "assumed"),
        calibrated=stated(runs.machine, "calibrated"),
        seed=seed,
        engine=engine,
        blocks=blocks,
    )


def stated(machine: Machine, kind: Literal["assumed", "calibrated"]) -> tuple[dict[str, str], ...]:
    """Return the values of a machine that come from such a source, as records."""
    return tuple(
        {"path": one.path, "value": one.value, "detail": one.detail, "note": one.note}
        for one in unproven(machine)[kind]
    )
