"""Durability in a requirement: how often pieces fail, and what may be lost or not whole."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from simulator.config.errors import Fault, Path
from simulator.config.ownership import HOURS
from simulator.config.quantities import Leaf, Percent, Time
from simulator.config.section import Section
from simulator.units import shown

if TYPE_CHECKING:
    from simulator.config.requirement_file import Item

DURABILITY = ("loss_per_year", "mttdl", "rebuild", "degraded")
"""Figures of the arrays that files lie on."""
_UNITS = {"h": 1.0, "years": float(HOURS), "year": float(HOURS)}


def _read_hours(value: object, example: str) -> float:
    match = re.fullmatch(r"(\d[\d,]*(?:\.\d+)?(?:[eE]\+?\d{1,2})?) (h|years?)", str(value).strip())
    if match is None or not isinstance(value, str):
        about = f"write it in hours or years, like {example!r}"
        raise ValueError(f"{shown(str(value))} is no time between failures; {about}")
    hours = float(match[1].replace(",", "")) * _UNITS[match[2]]
    if not hours:
        raise ValueError(f"{shown(value)} is no time; write it like {example!r}")
    return hours


def _read_mtbf(value: object) -> float:
    return value if isinstance(value, float) else _read_hours(value, "1000000 h")


def _read_years(value: object) -> float:
    return value if isinstance(value, float) else _read_hours(value, "1000 years") / HOURS


_TEXT = {"type": "string"}
Hours = Annotated[float, Leaf("mtbf", "1000000 h", _read_mtbf, lambda one: f"{one:.12g} h", _TEXT)]
"""Hours, also more than a run can last."""
Years = Annotated[
    float, Leaf("mttdl", "1000 years", _read_years, lambda one: f"{one:.12g} years", _TEXT)
]
"""Years of 365 days, also more than a run can last."""


class Failing(Section):
    """How often a piece fails, and how soon it is replaced."""

    mtbf: Hours | None = None
    """Mean time between failures of one piece that is in use."""
    afr: Percent | None = None
    """Instead: which part of such pieces fails within a year."""
    repair: Time | None = None
    """The time from a failure until another piece is there, and its rebuild begins; 0 h: a spare is
    in the machine."""

    @property
    def hours(self) -> float | None:
        """Mean time between failures; None if it is not stated. 1 - AFR = exp(-8,760 h / MTBF)."""
        return self.mtbf if self.afr is None else -HOURS / math.log1p(-self.afr)


class DurabilityFigures(Section):
    """Figures of the arrays that files lie on, by the rates at which their disks fail."""

    loss_per_year: Percent | None = None
    """The odds that any array loses data within a year are at most so high."""
    mttdl: Years | None = None
    """The mean time until any array loses data is at least so long."""
    rebuild: Time | None = None
    """A replaced disk has all its data after at most this time, while nothing else is done."""
    degraded: Time | None = None
    """Some array has not all its disks for at most so long in a year, on the average."""


def faults_of_items(items: dict[str, Item]) -> Iterator[Fault]:
    """Find rates of failures that are stated twice, by half, or are none."""
    for name, item in items.items():
        at: Path = ("catalogue", name)
        if item.mtbf is not None and item.afr is not None:
            yield (*at, "afr"), "has no effect beside mtbf; leave one of them out"
        elif item.afr is not None and not 0 < item.afr < 1:
            about = "is no part of pieces that fail in a year"
            yield (*at, "afr"), f"{about}; write more than 0 % and less than 100 %, like '0.9 %'"
        elif item.hours is not None and item.size is None:
            key = "afr" if item.mtbf is None else "mtbf"
            yield (*at, key), "is of a disk, and this keeps nothing; write 'size: 4 TB' too"
        elif item.hours is not None and item.repair is None:
            about = "how long is it until a failed one is replaced? write 'repair: 24 h'"
            yield at, f"{about}, or 'repair: 0 h' where a spare is in the machine"
        elif item.hours is None and item.repair is not None:
            about = "how often does one fail? write 'afr: 0.9 %' or 'mtbf: 1000000 h' too"
            yield (*at, "repair"), about
