"""What happened in each interval: calls and errors, or bytes read and written.

Intervals are counted from the log's start. A call belongs to the interval in which it began, with
all of its bytes.
"""

from __future__ import annotations

from simulator.errors import InputError
from simulator.traces.reports.opened import Opened
from simulator.traces.reports.table import Column, Report, Table, per

MOST = 2_000_000
"""Intervals in a report."""

START = Column("start_s", "start (s)", "step")
CALLS = (
    START,
    Column("count", "count"),
    Column("success", "ok"),
    Column("errors", "errors"),
)
RATES = (
    START,
    Column("reads", "reads"),
    Column("read_bytes", "bytes read", "size"),
    Column("read_Bps", "read rate", "rate"),
    Column("writes", "writes"),
    Column("written_bytes", "bytes written", "size"),
    Column("written_Bps", "write rate", "rate"),
)


def calls(trace: Opened, step_ns: int, top: int | None = None) -> Report:
    """Count the calls of each interval."""
    trace.need_times("calls")
    what = "count(*)::BIGINT AS n, count(error)::BIGINT AS failed"
    lines = _intervals(trace, step_ns, what, "true", "n", top)
    rows = [(i * step_ns, count, count - failed, failed) for i, count, failed in lines]
    return _report(trace, Table("calls", CALLS, rows), step_ns)


def rate(trace: Opened, step_ns: int, top: int | None = None) -> Report:
    """Add up what was read and written in each interval."""
    trace.need_times("rate")
    good = "error IS NULL AND coalesce(returned, 0) >= 0"
    what = ", ".join(
        f"count(*) FILTER ({way}) AS {n},"
        f" coalesce(sum(returned) FILTER ({way} AND {good}), 0)::HUGEINT AS {size}"
        for way, n, size in ((trace.reads, "r", "rb"), (trace.writes, "w", "wb"))
    )
    lines = _intervals(trace, step_ns, what, trace.moves, "rb + wb", top)
    rows = [
        (i * step_ns, reads, read, per(read, step_ns), writes, written, per(written, step_ns))
        for i, reads, read, writes, written in lines
    ]
    return _report(trace, Table("intervals", RATES, rows), step_ns)


def _report(trace: Opened, table: Table, step_ns: int) -> Report:
    values = {"interval_s": step_ns / 1e9}
    notes = []
    if trace.darshan is not None:
        notes.append("Darshan's DXT has reads and writes alone; other calls are not in the log")
    return Report([table], trace.unknown, values=values, notes=notes)


def _intervals(
    trace: Opened, step_ns: int, what: str, where: str, weight: str, top: int | None
) -> list[tuple[int, ...]]:
    """Ask for something in each interval: the empty ones too, or the ``top`` in their order."""
    start = trace.start
    found = (
        f"SELECT (time_ns - {start}) // {step_ns} AS i, {what} FROM calls"
        f" WHERE time_ns IS NOT NULL AND {where} GROUP BY 1"
    )
    if top is not None:
        return sorted(trace.rows(f"SELECT * FROM ({found}) ORDER BY {weight} DESC, i LIMIT {top}"))
    first, last = trace.row(
        f"SELECT min(time_ns) - {start}, max(time_ns) - {start} FROM calls WHERE {where}"
    )
    if first is None:
        return []
    many = last // step_ns - first // step_ns + 1
    if many > MOST:
        least = 1.01 * (last - first) / MOST / 1e9  # Rounded to three digits it is still enough.
        raise InputError(
            f"--interval {step_ns / 1e9:g} makes {many:,} intervals of this log;"
            f" write {least:.3g} or more, or choose a part of it by --since and --until"
        )
    known = {line[0]: line for line in trace.rows(found)}
    empty = (0,) * (len(next(iter(known.values()))) - 1)
    return [known.get(i, (i, *empty)) for i in range(first // step_ns, last // step_ns + 1)]
