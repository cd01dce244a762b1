"""Tables 2.1, 2.2, 3.1 and 4.1 of the NWT paper, as in ``experiments/nwt/production.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from simulator.shipped import shipped_root
from simulator.study.studies import read_own


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of data of a job (table 3.1)."""

    phase: str
    """``compile`` or ``execute``."""
    kind: str
    method: str
    """``nfs``, ``svio`` or ``scfs``: the path of the machine's file system."""
    files: tuple[str, ...]
    """Its files in the workload with all kinds."""


@dataclass(frozen=True, slots=True)
class Row:
    """The production jobs with one number of PEs (table 4.1)."""

    pes: int
    cpu_s: float
    """CPU time of the master."""
    largest_MB: float
    mean_MB: float
    greatest_MBps: float
    """Bytes of all PEs over the master's elapsed time less its CPU time."""
    mean_MBps: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers by class of PEs and by year, with the totals that the paper prints."""

    rows: Mapping[str, tuple[int, ...]]
    """Class of PEs -> one number for each year."""
    totals: tuple[int, ...]

    def column(self, year: int) -> list[int]:
        """Return the numbers of one year, from 0 on."""
        return [row[year] for row in self.rows.values()]

    def excess(self, year: int) -> int:
        """Return the sum of a year's numbers less the printed total."""
        return sum(self.column(year)) - self.totals[year]


@dataclass(frozen=True, slots=True)
class Tables:
    """The paper's data on the site's jobs."""

    years: tuple[str, ...]
    jobs: Counts
    """Table 2.1."""
    cpu_time: Counts
    """Table 2.2; the paper prints no unit."""
    utilisation: tuple[float, ...]
    """Total CPU time over the powered-on time, from 0 to 1, by year."""
    pes: int
    kinds: tuple[Kind, ...]
    production: tuple[Row, ...]
    representative: tuple[float, ...]
    """The last row of table 4.1: CPU time, largest and mean size, greatest and mean rate."""


@cache
def tables() -> Tables:
    """Read the tables."""
    path = shipped_root("experiments") / "nwt" / "production.yaml"
    raw = read_own(path.read_text(encoding="utf-8"))
    return Tables(
        years=tuple(raw["years"]),
        jobs=_counts(raw, "jobs"),
        cpu_time=_counts(raw, "cpu_time"),
        utilisation=tuple(one / 100 for one in raw["utilisation_percent"]),
        pes=raw["pes"],
        kinds=tuple(
            Kind(one["phase"], one["kind"], one["method"], tuple(one["files"]))
            for one in raw["kinds"]
        ),
        production=tuple(Row(*row) for row in raw["production"]),
        representative=tuple(raw["representative"]),
    )


def _counts(raw: Mapping[str, Any], name: str) -> Counts:
    rows = {pes: tuple(numbers) for pes, numbers in raw[name].items()}
    return Counts(rows, tuple(raw[f"{name}_total"]))
