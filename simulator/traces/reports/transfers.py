"""Reads and writes one by one: their lengths, and where each was in its file.

A bin has the lengths from 2^n + 1 to 2^(n+1), as IO-Dock has them (SS-ken, appendix 3, 5.3); 0 and
1 have bins of their own. A length is what the call returned, or what it asked for.
"""

from __future__ import annotations

from typing import Any

from simulator.traces.reports.opened import Opened
from simulator.traces.reports.table import BINS, LENGTHS, Column, Report, Table

MOST_BITS = 63


def sizes(trace: Opened, top: int | None = None, *, requested: bool = False) -> Report:
    """Count reads and writes by their length."""
    if requested:
        trace.need_single_calls("sizes --requested")
    exact = _lengths(trace, "requested" if requested else "returned", top)
    if trace.counters is not None:
        rows, module = trace.counters.bins()
        notes = [f"the bins are Darshan's, of {module}", *trace.lacks]
        if trace.counters.log["segments"]:
            notes.append("the exact lengths are of DXT's segments")
        else:
            notes.append("exact lengths are not in the log, since it has no DXT")
        tables = [Table("bins", BINS, rows), exact]
        return Report(tables, trace.unknown, values=trace.counters.values(), notes=notes)
    edges = ", ".join(f"({low}, {high})" for low, high in bins())
    found = trace.rows(
        "SELECT low, high, sum(reads)::BIGINT, sum(writes)::BIGINT,"
        " sum(length::HUGEINT * reads)::HUGEINT, sum(length::HUGEINT * writes)::HUGEINT"
        f" FROM lengths JOIN (VALUES {edges}) AS bins(low, high)"
        " ON length BETWEEN low AND high GROUP BY 1, 2 ORDER BY 1"
    )
    return Report([Table("bins", BINS, _without_gaps(found)), exact], trace.unknown)


def bins() -> list[tuple[int, int]]:
    """Return the first and last length of each bin.

    >>> bins()[:5], len(bins())
    ([(0, 0), (1, 1), (2, 2), (3, 4), (5, 8)], 65)
    """
    powers = [(2**n + 1, min(2 ** (n + 1), 2**63 - 1)) for n in range(MOST_BITS)]
    return [(0, 0), (1, 1), *powers]


def _lengths(trace: Opened, column: str, top: int | None) -> Table:
    """Count each length; the counts stay behind as the relation ``lengths``."""
    trace.keep(
        "lengths",
        f"SELECT {column} AS length,"
        f" count(*) FILTER ({trace.reads}) AS reads, count(*) FILTER ({trace.writes}) AS writes"
        f" FROM calls WHERE {trace.moves} AND {column} >= 0 AND error IS NULL GROUP BY 1",
    )
    (count,) = trace.row("SELECT count(*) FROM lengths")
    limit = f" LIMIT {top}" if top is not None else ""
    found = trace.rows(
        "SELECT length, reads, writes, length::HUGEINT * reads, length::HUGEINT * writes"
        f" FROM lengths ORDER BY reads + writes DESC, length{limit}"
    )
    return Table("lengths", LENGTHS, found, more=count - len(found))


def _without_gaps(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Insert empty bins between bins with calls."""
    if not found:
        return []
    known = {line[0]: line for line in found}
    first, last = found[0][0], found[-1][0]
    return [known.get(low, (low, high, 0, 0, 0, 0)) for low, high in bins() if first <= low <= last]


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
