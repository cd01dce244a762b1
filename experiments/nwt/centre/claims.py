"""What was predicted of the NWT in production, beside what the tables and the runs give.

``predictions.yaml`` was committed before any run; what a prediction names is found here by its id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import yaml

from simulator.shipped import shipped_root

from ..tables import tables
from .months import Constants, errors
from .years import AFTER, BEFORE, hours_on, reachable_means, units

if TYPE_CHECKING:
    from collections.abc import Callable

    from .years import Waits


@dataclass(frozen=True, slots=True)
class Prediction:
    """A prediction: ranges of figures, by name."""

    id: str
    by: str
    """``arithmetic`` on the tables, or ``runs``."""
    claim: str
    figures: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A prediction beside what was found."""

    prediction: Prediction
    found: Mapping[str, float]

    @property
    def wrong(self) -> list[str]:
        """Names of the figures outside of their ranges."""
        return [
            name
            for name, (least, most) in self.prediction.figures.items()
            if not least <= round(self.found[name], 4) <= most
        ]

    @property
    def holds(self) -> bool:
        """Return whether all figures are within their ranges."""
        return not self.wrong


@cache
def predictions() -> tuple[Prediction, ...]:
    """Read the predictions."""
    path = shipped_root("experiments") / "nwt" / "centre" / "predictions.yaml"
    rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    return tuple(
        Prediction(
            row["id"],
            row["by"],
            row["claim"],
            {name: (least, most) for name, (least, most) in row["figures"].items()},
        )
        for row in rows
    )


class Runs(Protocol):
    """The runs whose figures are compared."""

    def waits(self, year: str, backfill: str, *, backlog: bool = False) -> Waits:
        """Return the waits of a year."""

    def months(self) -> Mapping[str, Any]:
        """Return the figures of the two months."""

    def alone(self) -> Mapping[str, float]:
        """Return rates of single jobs by path, MB/s."""

    def saved_percent(self) -> float | None:
        """Return the PE-hours that predicted record lengths save; None if it was not run."""


def _power(_: Runs) -> Mapping[str, float]:
    found = {name.lower(): float(round(hours_on(name))) for name in tables().years}
    return {**found, "h9_at_140": hours_on("H9") * AFTER / BEFORE}


def _not_the_mix(_: Runs) -> Mapping[str, float]:
    least, greatest = reachable_means()
    return {"least_s": float(round(least)), "greatest_s": float(round(greatest))}


def _transfer(_: Runs) -> Mapping[str, float]:
    """Count rows whose mean size over mean rate is at most 1.3 % of that and CPU time."""
    shares = [
        (time := one.mean_MB / one.mean_MBps) / (time + one.cpu_s) for one in tables().production
    ]
    return {"rows": float(sum(share <= 0.013 for share in shares))}


def _no_warm_scfs(runs: Runs) -> Mapping[str, float]:
    alone = runs.alone()
    under = [one for one in tables().production if one.mean_MBps < 5]
    return {"rows_under_5": float(len(under)), **alone}


def _rates(runs: Runs) -> Mapping[str, float]:
    correlation, _ = errors(runs.months()["rates"])
    return {"rank_correlation": correlation, "calibrated": float(len(Constants.__slots__))}


def _waits_fcfs(runs: Runs) -> Mapping[str, float]:
    waits = runs.waits("H9", "none")
    least, greatest = waits.range_h
    return {"h9_h": waits.mean_h, "least_seed_h": least, "greatest_seed_h": greatest}


def _waits_easy(runs: Runs) -> Mapping[str, float]:
    waits = runs.waits("H9", "easy").of_class.values()
    return {"least_class_h": min(waits), "greatest_class_h": max(waits)}


FIGURES: Mapping[str, Callable[[Runs], Mapping[str, float]]] = {
    "unit": lambda _: {
        f"{name.lower()}_classes": float(sum(units(name).values())) for name in ("H9", "H8")
    },
    "power": _power,
    "front-end": lambda _: {"more_pes_percent": (AFTER / BEFORE - 1) * 100},
    "not-the-mix": _not_the_mix,
    "fcfs-saturates": lambda runs: {
        "h8_utilisation": runs.waits("H8", "none", backlog=True).utilisation
    },
    "easy-ceiling": lambda runs: {
        "h8_utilisation": runs.waits("H8", "easy", backlog=True).utilisation
    },
    "waits-fcfs": _waits_fcfs,
    "waits-easy": _waits_easy,
    "transfer": _transfer,
    "no-warm-scfs": _no_warm_scfs,
    "residency": lambda runs: {
        "demand_over_capacity": runs.months()["demand"],
        "ssu_used": float(runs.months()["evicted"] > 0),
    },
    "rates": _rates,
    "length-prediction": lambda runs: {"saved_percent": runs.saved_percent() or float("nan")},
}
"""Prediction -> the function that gives its figures."""


def outcomes(runs: Runs) -> list[Outcome]:
    """Compare all predictions whose runs were made."""
    found = []
    for one in predictions():
        figures = FIGURES[one.id](runs)
        if all(value == value for value in figures.values()):  # noqa: PLR0124 - not a number
            found.append(Outcome(one, figures))
    return found
