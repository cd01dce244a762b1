"""Calls counted and timed: of each name, or of each file; and the kinds of error.

The rate of a call is its bytes by the time spent in it, as the group defines it (SS-ken, figures
4.1.7 to 4.4.4). ``success`` is ``count`` less ``errors``.
"""

from __future__ import annotations

from typing import Any

from simulator.traces.reports.counters import Counters
from simulator.traces.reports.opened import Opened
from simulator.traces.reports.table import (
    CALL,
    FILE,
    IN_CALLS,
    Column,
    Report,
    Table,
    calls_table,
    counted_row,
    files_table,
)

_SUMS = """\
count(*) AS n, count(error) AS errors,
count(duration_ns), sum(duration_ns)::HUGEINT AS time, min(duration_ns), max(duration_ns),
count(returned), sum(returned)::HUGEINT, min(returned), max(returned)"""


def summary(trace: Opened, top: int | None = None) -> Report:
    """Count the calls of each name."""
    if trace.darshan is not None:
        return Counters(trace).summary(top)
    found = trace.rows(f"SELECT call, {_SUMS} FROM calls GROUP BY call")
    rows = sorted((_row(line) for line in found), key=_by_time)
    return Report([calls_table(rows, top)], trace.unknown)


def by_file(trace: Opened, top: int | None = None) -> Report:
    """Count the calls of each name and file; those without a name, by what they are about."""
    if trace.darshan is not None:
        return Counters(trace).by_file(top)
    trace.keep(
        "found",
        f"SELECT call, CASE WHEN file IS NULL THEN kind END AS kind, file, {_SUMS} FROM calls"
        " WHERE file IS NOT NULL OR kind IS NOT NULL GROUP BY 1, 2, 3",
    )
    (count,) = trace.row("SELECT count(*) FROM found")
    limit = f" LIMIT {top}" if top is not None else ""
    order = "ORDER BY time DESC NULLS LAST, n DESC, file, kind, call"
    found = trace.stream(f"SELECT * FROM found {order}{limit}")
    more = 0 if top is None else max(0, count - top)
    return Report([files_table(map(_file_row, found), more)], trace.unknown)


def errors(trace: Opened, top: int | None = None, *, files: bool = False) -> Report:
    """Count the errors of each kind, of each call, and of each file if wanted."""
    trace.need_single_calls("summary --errors")
    name = ", file" if files else ""
    found = trace.rows(
        f"SELECT call, error, count(*), sum(duration_ns)::HUGEINT{name} FROM calls"
        f" WHERE error IS NOT NULL GROUP BY call, error{name}"
        f" ORDER BY count(*) DESC, call, error{name}"
    )
    columns: tuple[Column, ...] = (
        CALL,
        Column("error", "error", "text"),
        Column("count", "count"),
        IN_CALLS[0],
    )
    if files:
        columns = (*columns, FILE)
    kept = found if top is None else found[:top]
    table = Table("errors", columns, kept, more=len(found) - len(kept))
    notes = [] if found else ["no call failed"]
    return Report([table], trace.unknown, notes=notes)


def _row(line: tuple[Any, ...]) -> tuple[Any, ...]:
    return counted_row(*line)


def _file_row(line: tuple[Any, ...]) -> tuple[Any, ...]:
    call, kind, file, *counted = line
    return (file, *counted_row(call, *counted), kind)


def _by_time(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (-(row[4] or 0), -row[1], row[0])
