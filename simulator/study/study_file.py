"""The file of a study: its published figures, each with its band, and its paper's claims.

``experiments/<study>/study.yaml`` has them, each with its place in the paper; the cells of tables
have the recipe that repeats each number. Claims have the conditions that simulated figures must
fulfil, or the information that is missing to test them. A file with a first screen of its own has
``screen.yaml`` beside it. What simulated runs make of them is :mod:`simulator.study.ledger`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import fmean
from typing import Any

from simulator.errors import InputError, did_you_mean
from simulator.shipped import shipped_root
from simulator.study.conditions import Condition, conditions
from simulator.study.studies import read_own, study_names

BY_CONSTRUCTION, CALIBRATED, PREDICTED = "by construction", "calibrated", "predicted"
DEPENDENT, UNDEMANDING = "dependent", "undemanding"
ROLES = (BY_CONSTRUCTION, CALIBRATED, PREDICTED, UNDEMANDING, DEPENDENT)
LEAST_MACHINES = 40
"""Random machines on which a claim is tried, at least, before it may be called predicted."""
DEMANDING_RECORD = "demanding.json"
"""Record of those machines in the folder of a study (``nwtsim reproduce STUDY --demanding``)."""


class StudyError(InputError):
    """A study that is not there, or that a command cannot use."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One published number: the runs of a table's column, in MB/s (10^6 bytes per second)."""

    id: str
    table: str
    column: str
    workload: str
    settings: tuple[tuple[str, str], ...]
    work: str
    """Direction of the transfer: ``read`` or ``write``."""
    role: str
    """``calibrated`` if its mean was fitted, else ``predicted``."""
    mean: float
    """As printed; the mean of the runs' rates."""
    runs: tuple[float, ...]

    @property
    def low(self) -> float:
        """The slowest of the paper's runs."""
        return min(self.runs)

    @property
    def high(self) -> float:
        """The fastest of the paper's runs."""
        return max(self.runs)

    def holds(self, rate: float) -> bool:
        """True if a rate in MB/s lies within the paper's runs."""
        return self.low <= rate <= self.high


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
class Share:
    """Random machines that bear a claim out.

    >>> str(Share(3, 40)), Share(19, 40).demanding, Share(20, 40).demanding, Share(1, 39).demanding
    ('3 of 40', True, False, False)
    """

    held: int
    of: int

    @property
    def demanding(self) -> bool:
        """True if fewer than half of at least ``LEAST_MACHINES`` bear it out."""
        return self.of >= LEAST_MACHINES and 2 * self.held < self.of

    def __str__(self) -> str:
        return f"{self.held} of {self.of}"


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
    """Source of its words, if not the paper: then it is tested, and not counted."""
    ours: str = ""
    """Thresholds of its conditions that are ours, where the paper prints none."""
    borne_out: Share | None = None
    """Random machines that bear it out, of those on which it was tried; None: of none."""


@dataclass(frozen=True, slots=True)
class Screen:
    """Contents of a study's first screen; empty: those of all studies."""

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
    cells: tuple[Cell, ...] = ()
    """The cells of its tables, which are figures too."""
    calibration: Mapping[str, Any] = field(default_factory=dict)
    """The values that ``nwtsim calibrate`` fits to them."""


def calibrated_names() -> list[str]:
    """List the studies whose file says which values of their machine are fitted."""
    return [name for name in study_names() if "\ncalibration:" in _text(name)]


def load_study(name: str) -> StudyFile:
    """Read a shipped study to which values are fitted; StudyError if there is none of that name."""
    if name not in study_names():
        raise StudyError(f"no study {name!r}; {did_you_mean(name, study_names())}")
    if name not in calibrated_names():
        known = did_you_mean(name, calibrated_names())
        raise StudyError(f"nothing is fitted to the study {name!r}; {known}")
    return load_study_file(name)


def load_study_file(name: str) -> StudyFile:
    """Read the file of a shipped study."""
    raw = read_own(_text(name))
    freedom, shares = raw.get("freedom", {}), _shares(name)
    cells = tuple(map(_cell, raw.get("cells", ())))
    figures = (
        *map(_figure_of, cells, raw.get("cells", ())),
        *(_figure(one, raw.get("band", 0.1)) for one in raw.get("figures", ())),
    )
    return StudyFile(
        name=raw["name"],
        title=raw["title"],
        paper=raw["paper"],
        machine=raw["machine"],
        figures=figures,
        claims=tuple(_claim(one, shares.get(one["id"])) for one in raw["claims"]),
        cells=cells,
        calibration=raw.get("calibration", {}),
        tuned=tuple(freedom.get("tuned", ())),
        held_out=tuple(_named(figures, freedom.get("held_out", ()))),
        sums={name: tuple(ids) for name, ids in raw.get("sums", {}).items()},
        screen=_screen(_path(name).with_name("screen.yaml")),
    )


def _path(name: str) -> Path:
    return shipped_root("experiments") / name / "study.yaml"


def _text(name: str) -> str:
    return _path(name).read_text(encoding="utf-8")


def _named(figures: Sequence[Figure], patterns: Sequence[str]) -> Iterator[str]:
    """Yield the ids of figures that some pattern names."""
    return (one.id for one in figures if any(fnmatchcase(one.id, each) for each in patterns))


def _screen(path: Path) -> Screen:
    """Read what the first screen shows, if the study has a file for it."""
    return Screen(**read_own(path.read_text(encoding="utf-8"))) if path.is_file() else Screen()


def _shares(name: str) -> dict[str, Share]:
    """Return the stored share of random machines with each claim that was tried on some."""
    path = _path(name).with_name(DEMANDING_RECORD)
    if not path.is_file():
        return {}
    record = json.loads(path.read_text(encoding="utf-8"))
    return {one["id"]: Share(one["held"], one["of"]) for one in record["claims"]}


def _claim(raw: Mapping[str, Any], share: Share | None = None) -> Sentence:
    """Return a claim; one that its file calls predicted is so if it is demanding."""
    said = {one.name: str(raw[one.name]) for one in fields(Sentence) if one.name in raw}
    if said.get("role") == PREDICTED and not (share and share.demanding):
        said["role"] = UNDEMANDING
    return Sentence(**said, conditions=conditions(raw.get("holds", ())), borne_out=share)


def _cell(raw: Mapping[str, Any]) -> Cell:
    runs = tuple(float(rate) for rate in raw["runs"])
    if abs(fmean(runs) - raw["mean"]) > 0.06:
        raise StudyError(f"{raw['id']}: mean {raw['mean']} is not that of its runs")
    given = {key: raw[key] for key in ("id", "table", "column", "workload", "work", "role")}
    settings = tuple((str(key), str(value)) for key, value in raw["set"].items())
    return Cell(**given, settings=settings, mean=float(raw["mean"]), runs=runs)


def _figure_of(cell: Cell, raw: Mapping[str, Any]) -> Figure:
    """Return a cell of a table as a figure, whose band is the range of the paper's runs."""
    where = f"table {cell.table}, {cell.column}"
    what = f"{cell.work}, {where}"
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
