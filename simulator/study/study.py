"""A published study with tables: its cells, and the recipe that repeats each number.

A published number is data and lives in ``experiments/<study>/study.yaml``, with its place
in the paper. What simulated runs make of them is :mod:`simulator.study.ledger`.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from simulator.errors import InputError, did_you_mean
from simulator.shipped import shipped_root
from simulator.study.studies import read_own, study_names

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    """Which transfer is meant: ``read`` or ``write``."""
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
        """Whether a rate in MB/s lies within the paper's runs."""
        return self.low <= rate <= self.high


@dataclass(frozen=True, slots=True)
class Study:
    """A study as its YAML file has it."""

    name: str
    title: str
    paper: str
    machine: str
    rule: str
    tables: Mapping[str, str]
    """Table number -> title."""
    cells: tuple[Cell, ...]
    calibration: Mapping[str, Any]
    """What ``nwtsim calibrate`` fits."""


def calibrated_names() -> list[str]:
    """List the studies whose file says which values of their machine are fitted."""
    return [name for name in study_names() if "\ncalibration:" in _text(name)]


def load_study(name: str) -> Study:
    """Read a shipped study with tables of cells; StudyError if there is none of that name."""
    if name not in study_names():
        raise StudyError(f"no study {name!r}; {did_you_mean(name, study_names())}")
    if name not in calibrated_names():
        known = did_you_mean(name, calibrated_names())
        raise StudyError(f"nothing is fitted to the study {name!r}; {known}")
    raw = read_own(_text(name))
    return Study(
        name=raw["name"],
        title=raw["title"],
        paper=raw["paper"],
        machine=raw["machine"],
        rule=raw["rule"],
        tables={key: table["title"] for key, table in raw["tables"].items()},
        cells=tuple(_cell(one) for one in raw["cells"]),
        calibration=raw["calibration"],
    )


def _text(name: str) -> str:
    return (shipped_root("experiments") / name / "study.yaml").read_text(encoding="utf-8")


def _cell(raw: dict[str, Any]) -> Cell:
    runs = tuple(float(rate) for rate in raw["runs"])
    if abs(fmean(runs) - raw["mean"]) > 0.06:
        raise StudyError(f"{raw['id']}: mean {raw['mean']} is not that of its runs")
    return Cell(
        id=raw["id"],
        table=raw["table"],
        column=raw["column"],
        workload=raw["workload"],
        settings=tuple((str(key), str(value)) for key, value in raw["set"].items()),
        work=raw["work"],
        role=raw["role"],
        mean=float(raw["mean"]),
        runs=runs,
    )
