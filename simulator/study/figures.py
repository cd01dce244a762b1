"""The figures that are kept of a run, a column each, and the ends of their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.answers.limits import COLUMNS as LIMITS
from simulator.result.totals import COUNTERS

Row = dict[str, Any]
"""Column -> value."""

LATENCIES = ("read_p99_ms", "write_p99_ms", "job_mean_ms", "job_p99_ms")
COLUMNS = (
    "read_MBps",
    "write_MBps",
    "stable_MBps",
    "read_io_MBps",
    "write_io_MBps",
    "elapsed_s",
    "end_s",
    "elapsed_ns",
    "end_ns",
    "read_s",
    "write_s",
    "lost_percent",
    *COUNTERS,
    *LATENCIES,
    "bottleneck",
)
"""Figures of a run; latencies are None where there are none."""
INTERVALS = (
    *("elapsed_s", "end_s", "read_MBps", "write_MBps", "stable_MBps"),
    *("read_io_MBps", "write_io_MBps", "read_s", "write_s", "lost_percent", *LATENCIES),
)
"""Figures of which replications have an interval; what stores count has a mean only."""
RUNS = "runs"
"""The key of a replicated row whose value has figures of each run; no column of a table."""


def figures_of(limits: bool, replicated: bool, phases: Sequence[str] = ()) -> tuple[str, ...]:
    """Name the figures of a row: with phases, intervals of replications, and what limits, if asked.

    ``phases`` are names of phases, as ``application.0``.
    """
    repeated = (*interval_columns(), RUNS) if replicated else ()
    return (*COLUMNS, *map(phase_column, phases), *repeated, *(LIMITS if limits else ()))


def phase_column(phase: str) -> str:
    """Name the column of what a process spends in a phase, with its unit last.

    >>> phase_column("application.0")
    'application.0_s'
    """
    return f"{phase}_s"


def interval_columns() -> tuple[str, ...]:
    """Name the columns that replications have beside the means of their figures."""
    ends = (end_column(column, end) for column in INTERVALS for end in ("low", "high"))
    return (*ends, "replications", "narrow")


def end_column(column: str, end: str) -> str:
    """Name an end of the interval of a figure, with its unit last.

    >>> end_column("job_p99_ms", "low")
    'job_p99_low_ms'
    """
    figure, _, unit = column.rpartition("_")
    return f"{figure}_{end}_{unit}"
