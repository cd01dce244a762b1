"""Replications that were made: the rows of their runs, and whether there are enough of them.

Runs that do not vary are made once, and say so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from simulator.study.figures import COLUMNS, INTERVALS, RUNS, Row, end_column
from simulator.study.replications import Replicated, Replications, seed_of

DECIDING = ("elapsed_s", "read_MBps", "write_MBps", "stable_MBps", "job_mean_ms")
"""Figures whose intervals have to be narrow for ``auto`` to stop, as far as a run has them."""


@dataclass(slots=True)
class Repeated:
    """The figures of some replications of one run."""

    replications: Replications
    rows: list[Row] = field(default_factory=list)
    """In the order of the replications."""
    varies: bool = True
    """True if anything of the run is drawn."""
    interrupted: bool = False
    """True if a user ended them before there were enough."""
    more_columns: tuple[str, ...] = ()
    """Figures beside those that every row has; of these there are means only."""

    @property
    def more(self) -> bool:
        """True if another run is wanted."""
        done, looks = len(self.rows), self.replications.looks()
        if not done or not self.varies:
            return not done
        return done < looks[-1] and not (done in looks and self.narrow)

    @property
    def narrow(self) -> bool:
        """True if the intervals of all figures that decide are as narrow as asked."""
        found = [one for column in DECIDING if (one := self.figure(column)) is not None]
        return all(self.replications.narrow(one) for one in found if any(one.values))

    def figure(self, column: str) -> Replicated | None:
        """Return a figure of all runs; None where a run does not have it."""
        values = [row[column] for row in self.rows]
        if None in values:
            return None
        return self.replications.replicated(values, varies=self.varies)

    def figures(self) -> dict[str, Replicated]:
        """Return the figures that have intervals, by their columns; those that are all 0 go."""
        found = {column: self.figure(column) for column in INTERVALS}
        return {name: one for name, one in found.items() if one is not None and any(one.values)}

    def to_row(self) -> Row:
        """Return the means of all figures, the ends of their intervals, and the runs, as a row."""
        row: Row = {}
        for column in (*COLUMNS, *self.more_columns):
            if column == "bottleneck":
                row[column] = Counter(one[column] for one in self.rows).most_common(1)[0][0]
                continue
            found = self.figure(column)
            whole = column in ("elapsed_ns", "end_ns")
            row[column] = None if found is None else _rounded(found.mean, whole=whole)
        asked = self.replications.count is None
        last = {"replications": len(self.rows), "narrow": self.narrow if asked else None}
        return {**row, **self._ends(), **last, RUNS: self._runs()}

    def _runs(self) -> dict[str, list[float]]:
        """Return the figures that decide of each run, for differences run by run; if they vary."""
        figures = {column: self.figure(column) for column in DECIDING if self.varies}
        return {name: list(one.values) for name, one in figures.items() if one is not None}

    def to_ends(self) -> Row:
        """Return the means and the ends of all intervals as further columns of other rows."""
        means = {
            end_column(name, "mean"): _rounded(one.mean) for name, one in self.figures().items()
        }
        return {"replications": len(self.rows), **means, **self._ends()}

    def _ends(self) -> Row:
        row: Row = {}
        for column in INTERVALS:
            found = self.figure(column)
            ends = (None, None) if found is None else found.interval or (None, None)
            for name, end in zip(("low", "high"), ends, strict=True):
                row[end_column(column, name)] = None if end is None else _rounded(end)
        return row

    def to_record(self, seed: int) -> dict[str, Any]:
        """Return all that the runs say, for programs; ``seed`` is the recorded one."""
        return {
            "asked": self.replications.words(),
            "confidence": self.replications.confidence,
            "precision": self.replications.precision if self.replications.count is None else None,
            "varies": self.varies,
            "runs": len(self.rows),
            "interrupted": self.interrupted,
            "narrow": self.narrow if self.replications.count is None else None,
            "seeds": [seed_of(seed, one) for one in range(len(self.rows))],
            "figures": {name: _record(one) for name, one in self.figures().items()},
        }


def _record(figure: Replicated) -> dict[str, Any]:
    low, high = figure.interval or (None, None)
    median_low, median_high = figure.quantile_interval(0.5) or (None, None)
    return {
        "mean": figure.mean,
        "low": low,
        "high": high,
        "deviation": figure.deviation,
        "median": figure.median,
        "median_low": median_low,
        "median_high": median_high,
        "values": list(figure.values),
    }


def _rounded(value: float, *, whole: bool = False) -> float:
    return round(value) if whole else round(value, 9)
