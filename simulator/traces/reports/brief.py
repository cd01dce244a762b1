"""A log in one row: how long the job took, where its I/O was, and what stands out most.

The *worst* check is the one with a warning whose value is farthest beyond its guide value, as a
ratio. The share of I/O is a figure of its own, and what no guide value divides comes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from simulator.traces.reports.choice import Choice
from simulator.traces.reports.findings import Finding, findings
from simulator.traces.reports.opened import opened
from simulator.traces.reports.totals import Totals, totals_of

MEMORY = "250MB"
"""What DuckDB may take of each of many logs."""
ONLY_SHARES = ("io_share", "outside_share")
"""Checks that the other figures of a row have."""


@dataclass(frozen=True, slots=True)
class Brief:
    """Figures of a log; times in ns, None if it does not say them."""

    format: str
    clients: int
    """Ranks, or processes and threads."""
    elapsed_ns: int | None
    client_time_ns: int | None
    """Added up over them."""
    io_ns: int | None
    """The part of it in calls on files."""
    read: int
    written: int
    calls: int
    """Calls on files."""
    worst: str
    """The check that stands out most, with its value; empty: none is a warning."""
    layers: dict[str, int] = field(default_factory=dict)
    """Client time within the calls of each layer of a Darshan log."""
    job: str = ""
    """The number that the scheduler gave it."""
    samples: bool = False
    """Whether the log has counters, but not the single calls."""

    @property
    def io_share(self) -> float | None:
        """The share of I/O in the client time."""
        return part_of(self.io_ns, self.client_time_ns)

    @property
    def wide(self) -> float | None:
        """How many clients there are at a time, on the average."""
        return part_of(self.client_time_ns, self.elapsed_ns)

    def to_record(self) -> dict[str, Any]:
        """Return the fields, as JSON has them."""
        return asdict(self)


def part_of(part: float | None, whole: float | None) -> float | None:
    """Return a ratio, None where the log does not say it."""
    return part / whole if part is not None and whole else None


def brief_of(paths: Sequence[Path], *, lenient: bool = False) -> Brief:
    """Read logs, or one store, and add them up; InputError says what is wrong with them."""
    with opened(paths, Choice(), lenient=lenient, memory=MEMORY) as trace:
        totals, about = totals_of(trace), trace.about
    darshan = about.get("darshan") or {}
    return Brief(
        format=str(about.get("format") or "store"),
        clients=totals.clients or int(about.get("processes") or 0),
        elapsed_ns=_whole(totals.elapsed),
        client_time_ns=_whole(totals.client_time),
        io_ns=_whole(totals.io),
        read=totals.read,
        written=totals.written,
        calls=totals.moves + totals.metadata,
        worst=worst_of(totals),
        layers={name: round(ns) for name, ns in totals.layers.items() if name != "all" and ns},
        job=str(darshan["job"]["jobid"]) if darshan else "",
        samples=bool(darshan) and not darshan["segments"],
    )


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def worst_of(totals: Totals) -> str:
    """Return the check of some totals that stands out most, in words; empty without a warning."""
    warned = [
        one
        for one in findings(totals)
        if one.verdict == "warning" and one.check.name not in ONLY_SHARES
    ]
    if not warned:
        return ""
    worst = max(warned, key=beyond)
    return f"{worst.check.label}: {worst.found.text}"


def beyond(one: Finding) -> float:
    """Return how many times a value is its guide value, or its guide value is it.

    >>> from simulator.traces.reports.findings import CHECKS, Value
    >>> length = next(check for check in CHECKS if check.name == "mean_length")
    >>> beyond(Finding(length, Value({}, 10_000.0), "warning"))
    100.0
    """
    value, guide = one.found.value, one.check.guide
    if not value or not guide.value:
        return 0.0
    return guide.value / value if guide.comparison == "at least" else value / guide.value
