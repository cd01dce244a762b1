"""Figures of targets in words: what they are called, and their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    if target.figure in TIMES:
        return format_time(value)
    if target.figure in RATES:
        return format_rate(value).partition(" (")[0]  # MB/s alone: a table has 80 columns.
    return brief_size(int(value))
