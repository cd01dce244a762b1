"""The file of a study: its published figures, each with its band, and its paper's claims.

``experiments/<study>/study.yaml`` has them; claims have the conditions that simulated figures must
fulfil, or the information that is missing to test them. A file with a first screen of its own has
``screen.yaml`` beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from simulator.shipped import shipped_root
from simulator.study.conditions import Condition, conditions
from simulator.study.studies import read_own

if TYPE_CHECKING:
    from pathlib import Path

BY_CONSTRUCTION, CALIBRATED, PREDICTED = "by construction", "calibrated", "predicted"
DEPENDENT = "dependent"
ROLES = (BY_CONSTRUCTION, CALIBRATED, PREDICTED, DEPENDENT)


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
