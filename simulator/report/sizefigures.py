"""Figures of targets in words: what they are called, and their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.config.requirement_durability import DURABILITY
from simulator.config.requirement_file import RATES, TIMES
from simulator.units import format_rate, format_time
from simulator.wording import brief_size

if TYPE_CHECKING:
    from simulator.config.requirement_file import Target

FIGURES = {
    "end": "all on the devices",
    "read_time": "time in reads",
    "write_time": "time in writes",
    "read": "rate of reading",
    "write": "rate of writing",
    "stable": "rate to stable storage",
    "capacity": "usable capacity",
    "elapsed": "time",
    "loss_per_year": "odds of a loss in a year",
    "mttdl": "mean time to a loss",
    "rebuild": "rebuild of a disk",
    "degraded": "degraded, in a year",
}
"""Names of figures, but those of calls and arrivals."""


def figure_name(figure: str) -> str:
    """Return what a figure is called: ``time in reads``, ``95 % of opens``.

    >>> [figure_name(one) for one in ("open_p95", "job_mean", "elapsed")]
    ['95 % of opens', 'mean of arrivals', 'time']
    """
    operation, _, part = figure.rpartition("_")
    of = "arrivals" if operation == "job" else f"{operation}s"
    share = "mean" if part == "mean" else f"{part[1:]} %"
    return FIGURES.get(figure) or f"{share} of {of}"


def figure_text(target: Target, value: float) -> str:
    """Write a figure of a target for people."""
    if target.figure in DURABILITY:
        return _DURABILITY[target.figure](value)
    if target.figure in TIMES:
        return format_time(value)
    if target.figure in RATES:
        return format_rate(value).partition(" (")[0]  # MB/s alone: a table has 80 columns.
    return brief_size(int(value))


def _hours(value: float) -> str:
    return f"{value / 3.6e12:,.3g} h"


_DURABILITY: dict[str, Callable[[float], str]] = {
    "loss_per_year": lambda value: f"{100 * value:.2g} %",
    "mttdl": lambda value: f"{value:,.0f} years" if value >= 10 else f"{value:.2g} years",
    "rebuild": _hours,
    "degraded": _hours,
}
