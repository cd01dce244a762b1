"""Every call on a file: when it began, how long it took, how many bytes it moved, and where."""

from __future__ import annotations

from simulator.traces.reports.opened import Opened
from simulator.traces.reports.table import Column, Report, Table

COLUMNS = (
    Column("start_s", "start (s)", "clock"),
    Column("duration_s", "duration", "time"),
    Column("call", "call", "text"),
    Column("offset_bytes", "offset (B)"),
    Column("size_bytes", "size (B)"),
    Column("pid", "pid", "number"),
    Column("error", "error", "text"),
    Column("file", "file", "text"),
)


def offsets(trace: Opened, top: int | None = None) -> Report:
    """List the chosen calls in the order of their beginning; or the ``top`` that took longest."""
    trace.need_calls("offsets")
    (count,) = trace.row(f"SELECT count(*) FROM ({picked(trace)})")
    listed = picked(trace)
    if top is not None:
        listed = f"{listed} ORDER BY duration_ns DESC NULLS LAST, start, place, side LIMIT {top}"
    rows = trace.stream(
        f'SELECT start, duration_ns, call, "where", size, pid, error, name FROM ({listed})'
        " ORDER BY start NULLS LAST, place, side"
    )
    more = 0 if top is None else max(0, count - top)
    notes = []
    if trace.times is None and trace.darshan is None:
        notes.append("the log has no times: calls are in the order in which they ended")
    if trace.darshan is not None:
        notes.append("Darshan's DXT has only reads and writes; other calls are not in the log")
        notes += trace.lacks
    return Report([Table("calls", COLUMNS, rows, more=more)], trace.unknown, notes=notes)


def picked(trace: Opened) -> str:
    """Return the query for every call and each of its files that was chosen."""
    size = f"CASE WHEN {trace.moves} AND error IS NULL THEN returned END"
    sides = (("file", "offset"), ("to_file", "to_offset"))
    if not trace.copies:  # Then what the calls are chosen by is their only file.
        return f"{_side(trace, 'file', 'offset', size)} IS NOT NULL"
    return " UNION ALL ".join(
        f"{_side(trace, name, offset, size)} IS NOT NULL AND {trace.choice.keeps(name)}"
        for name, offset in sides
    )


def _side(trace: Opened, name: str, offset: str, size: str) -> str:
    return (
        f"SELECT time_ns - {trace.start} AS start, duration_ns, call, pid, error, place,"
        f' {name} AS name, "{offset}" AS "where", {size} AS size, {int(name != "file")} AS side'
        f" FROM calls WHERE {name}"
    )
