"""A published study beside its simulation: each figure and claim with one of six verdicts.

``experiments/<study>/study.yaml`` holds the published figures, each with its band, and the paper's
claims, each with the conditions that simulated figures must fulfil, or with the information
that is missing to test it. Verdicts are explained in docs/decisions/0036.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from simulator import __version__
from simulator.config.sources import unproven
from simulator.errors import InputError
from simulator.shipped import shipped_root
from simulator.study.conditions import Condition, broken, conditions
from simulator.study.studies import read_own

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.config.machine_file import Machine

BY_CONSTRUCTION, CALIBRATED, PREDICTED = "by construction", "calibrated", "predicted"
DEPENDENT = "dependent"
CONTRADICTED, NOT_TESTABLE = "contradicted", "not testable"
ROLES = (BY_CONSTRUCTION, CALIBRATED, PREDICTED, DEPENDENT)
VERDICTS = (*ROLES, CONTRADICTED, NOT_TESTABLE)


@dataclass(frozen=True, slots=True)
class Figure:
    """One published number and the band that the simulated one must lie in."""

    id: str
    what: str
    unit: str
    value: float | None
    """As printed; None if a range is printed."""
    low: float
    high: float
    role: str
    """One of :data:`ROLES`."""
    ref: str
    """Section of the paper."""
    contradicted: str = ""
    """Why the simulated figure is outside its band, where that is known and remains so."""
    dependent: str = ""
    """From which other printed numbers it follows, if its role is ``DEPENDENT``."""
    runs: tuple[float, ...] = ()
    """The paper's own runs, if they are printed."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A claim of the paper: its conditions, or what is missing to test it."""

    id: str
    ref: str
    text: str
    rule: str = ""
    """The conditions in words."""
    untestable: str = ""
    role: str = ""
    """One of :data:`ROLES`; empty if it is not testable."""
    contradicted: str = ""
    """Why simulated runs do not bear it out, where that is known and remains so."""
    conditions: tuple[Condition, ...] = ()
    elsewhere: str = ""
    """Where its words are from, if not from the paper: then it is tested, and not counted."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What the first screen of a study shows; empty: what all studies show."""

    title: str = ""
    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By the title of each table: the ids of figures by what they are called there."""
    next: Mapping[str, str] = field(default_factory=dict)
    """Commands to go on with, and what each is for."""
    about: Mapping[str, str] = field(default_factory=dict)
    """By the ids of claims: what they are about, in a few words."""


@dataclass(frozen=True, slots=True)
class StudyFile:
    """The figures and claims of a study, as its file has them."""

    name: str
    title: str
    paper: str
    machine: str
    figures: tuple[Figure, ...]
    claims: tuple[Sentence, ...]
    tuned: tuple[str, ...] = ()
    """Choices that are no values of the machine, made with the printed numbers in view."""
    sums: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sums of printed numbers to which values were fitted: the ids of their addends, by name."""
    held_out: tuple[str, ...] = ()
    """Ids of numbers that were read after machine and workloads had been frozen."""
    screen: Screen = field(default_factory=Screen)


def load_study_file(name: str) -> StudyFile:
    """Read the file of a shipped study."""
    path = shipped_root("experiments") / name / "study.yaml"
    raw = read_own(path.read_text(encoding="utf-8"))
    freedom = raw.get("freedom", {})
    figures = (
        *(_cell(one) for one in raw.get("cells", ())),
        *(_figure(one, raw.get("band", 0.1)) for one in raw.get("figures", ())),
    )
    return StudyFile(
        name=raw["name"],
        title=raw["title"],
        paper=raw["paper"],
        machine=raw["machine"],
        figures=figures,
        claims=tuple(map(_claim, raw["claims"])),
        tuned=tuple(freedom.get("tuned", ())),
        held_out=tuple(_named(figures, freedom.get("held_out", ()))),
        sums={name: tuple(ids) for name, ids in raw.get("sums", {}).items()},
        screen=_screen(path.with_name("screen.yaml")),
    )


def _named(figures: Sequence[Figure], patterns: Sequence[str]) -> Iterator[str]:
    """Yield the ids of figures that some pattern names."""
    return (one.id for one in figures if any(fnmatchcase(one.id, each) for each in patterns))


def _screen(path: Path) -> Screen:
    """Read what the first screen shows, if the study has a file for it."""
    return Screen(**read_own(path.read_text(encoding="utf-8"))) if path.is_file() else Screen()


def _claim(raw: Mapping[str, Any]) -> Sentence:
    said = {one.name: str(raw[one.name]) for one in fields(Sentence) if one.name in raw}
    return Sentence(**said, conditions=conditions(raw.get("holds", ())))


def _cell(raw: Mapping[str, Any]) -> Figure:
    """Return a cell of a table as a figure, whose band is the range of the paper's runs."""
    where = f"table {raw['table']}, {raw['column']}"
    what = f"{raw['work']}, {where}"
    return _figure({"what": what, "unit": "MB/s", "printed": raw["mean"], "ref": where, **raw}, 0)


def _figure(raw: Mapping[str, Any], share: float) -> Figure:
    """Return a figure with the band that all have: a share of its number, or the paper's range."""
    runs = tuple(float(one) for one in raw.get("runs", ()))
    printed = str(raw["printed"]) if "printed" in raw else None
    value = None if printed is None else float(printed)
    if runs:
        low, high = min(runs), max(runs)
    elif printed is not None:
        room = max(share * abs(float(printed)), half_a_digit(printed))
        low, high = float(printed) - room, float(printed) + room
    else:
        low, high = map(float, raw["range"])
    texts = ("id", "what", "unit", "role", "ref", "contradicted", "dependent")
    said = {name: str(raw[name]) for name in texts if name in raw}
    return Figure(**said, value=value, low=low, high=high, runs=runs)


def half_a_digit(printed: str) -> float:
    """Return half a unit of the last digit of a printed number.

    >>> half_a_digit("31.0"), half_a_digit("329"), half_a_digit("0.0067")
    (0.05, 0.5, 5e-05)
    """
    return float(f"5e-{len(printed.partition('.')[2]) + 1}")


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
        """Whether the simulated figure lies in the band."""
        return self.figure.low <= self.simulated <= self.figure.high

    @property
    def verdict(self) -> str:
        """One of :data:`VERDICTS`."""
        return self.figure.role if self.inside else CONTRADICTED

    @property
    def expected(self) -> bool:
        """Whether it is inside, or listed as contradicted and still outside."""
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
        """Whether it holds, or is listed as contradicted and still fails, or cannot be tested."""
        return self.holds is None or self.holds != bool(self.claim.contradicted)

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs."""
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
            **({"why": self.claim.contradicted} if self.claim.contradicted else {}),
            "figures": dict(self.figures),
        }


@dataclass(frozen=True, slots=True)
class Freedom:
    """How much of a study's data is left when what was fitted and chosen is taken off."""

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
    """What the study adds to the table of its degrees of freedom."""

    @property
    def passed(self) -> bool:
        """Whether figures are inside, and testable claims hold, but for what is listed."""
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
