"""Calls counted and timed: of each name, or of each file; and the kinds of error.

The rate of a call is its bytes by the time spent in it, as the group defines it (SS-ken, figures
4.1.7 to 4.4.4). ``success`` is ``count`` less ``errors``.
"""

from __future__ import annotations

from typing import Any

from simulator.traces.columns import (
    LOCK_NS,
    LOCKS,
    MOVES,
    REAPS,
    SLEEPS,
    SUBMITS,
    TERMINALS,
    TIMED,
    WAITS,
)
from simulator.traces.reports.opened import IN_FILES, Opened
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
from simulator.traces.unread import processes_text
from simulator.units import format_time
from simulator.wording import percent


def summary(trace: Opened, top: int | None = None) -> Report:
    """Count the calls of each name."""
    found = trace.rows(f"SELECT call, {trace.groups.sums} FROM {trace.groups.calls} GROUP BY call")
    rows = sorted(map(counted_row, found), key=lambda row: (-(row[4] or 0), -row[1], row[0]))
    return _report(trace, calls_table(rows, top), title=_beside(trace))


_ACTIVITY = f"""\
CASE WHEN call IN {(*sorted(SLEEPS),)} OR error = 'ETIMEDOUT'
    OR (call IN {(*sorted(TIMED.difference(REAPS)),)} AND returned = 0) THEN 'sleeping'
WHEN call IN {(*sorted(WAITS.difference(REAPS)),)}
    OR (call IN {(*sorted(LOCKS),)} AND duration_ns >= {LOCK_NS})
    OR (call IN {(*sorted(MOVES),)} AND coalesce(regexp_matches(file, '{TERMINALS}'), false))
    THEN 'waiting for others'
WHEN {IN_FILES} OR call IN {(*SUBMITS, *REAPS)} THEN 'in calls on files'
WHEN call = 'msync' THEN 'in syncs of mappings'
WHEN kind IS NOT NULL AND call IN {(*sorted(MOVES),)}
    THEN 'waiting for others'
ELSE 'in other calls' END"""


def _beside(trace: Opened) -> str:
    """Return in words what the processes' time is if less than half is in calls on files."""
    timed = trace.about.get("durations") and trace.about.get("times") is not None
    if not timed or trace.darshan is not None or trace.choice.by_name or trace.choice.calls:
        return ""  # What some calls take is not what the time is.
    spent = trace.rows(
        f"SELECT {_ACTIVITY}, coalesce(sum(duration_ns), 0)::BIGINT FROM calls GROUP BY 1"
    )
    parts: dict[str, int] = dict(spent)
    whole, processes = trace.lives.whole, trace.lives.many
    if not whole or 2 * parts.get("in calls on files", 0) >= whole:
        return ""
    parts["in no call (computing, paging)"] = max(whole - sum(parts.values()), 0)
    each = sorted(parts.items(), key=lambda one: -one[1])
    shown = [f"{percent(ns, whole)} {what}" for what, ns in each if ns >= whole / 1000]
    return (
        f"Of {format_time(whole)} of {processes_text(trace.about, processes)} {', '.join(shown)}."
    )


def by_file(trace: Opened, top: int | None = None) -> Report:
    """Count the calls of each name and file; those without a name, by what they are about."""
    trace.keep(
        "found",
        f"SELECT call, CASE WHEN file IS NULL THEN kind END AS kind, file, {trace.groups.sums}"
        f" FROM {trace.groups.calls} WHERE file IS NOT NULL OR kind IS NOT NULL GROUP BY 1, 2, 3",
    )
    (count,) = trace.row("SELECT count(*) FROM found")
    limit = f" LIMIT {top}" if top is not None else ""
    order = "ORDER BY time DESC NULLS LAST, n DESC, file, kind, call"
    found = trace.stream(f"SELECT * FROM found {order}{limit}")
    more = 0 if top is None else max(0, count - top)
    return _report(trace, files_table(map(_file_row, found), more))


def _report(trace: Opened, table: Table, title: str = "") -> Report:
    """Return the report of a table of counted calls."""
    found = trace.counters
    if found is None:
        return Report([table], trace.unknown, title)
    return Report([table], trace.unknown, title, found.values(), found.notes())


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


def _file_row(line: tuple[Any, ...]) -> tuple[Any, ...]:
    call, kind, file, *counted = line
    return (file, *counted_row((call, *counted)), kind)
