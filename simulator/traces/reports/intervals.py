"""Calls and errors, or bytes read and written, in intervals of time.

Intervals are counted from the log's start. A call belongs to the interval in which it began, with
all of its bytes.
"""

from __future__ import annotations

from simulator.errors import InputError
from simulator.traces.reports.opened import Opened
from simulator.traces.reports.table import Column, Report, Table, per
from simulator.wording import exact_time

MOST = 1_000_000
"""Intervals in a report: a week of seconds and more."""
FITTED = 100
"""Intervals of a report whose length is not given, at most."""
SECOND = 10**9

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
    Column("read_bytes", "bytes read", "size", "bytes"),
    Column("read_Bps", "read rate", "rate", "rate"),
    Column("writes", "writes"),
    Column("written_bytes", "bytes written", "size", "bytes"),
    Column("written_Bps", "write rate", "rate", "rate"),
)


def calls(trace: Opened, step_ns: int | None = None, top: int | None = None) -> Report:
    """Count the calls of each interval of ``step_ns``; of None, as :func:`fitting` says."""
    trace.need_times("calls")
    step = step_ns or fitting(trace)
    what = "count(*)::BIGINT AS n, count(error)::BIGINT AS failed"
    lines = _intervals(trace, step, what, "true", "n", top)
    rows = [(i * step, count, count - failed, failed) for i, count, failed in lines]
    return _report(trace, Table("calls", CALLS, rows), step, fitted=step_ns is None)


def rate(trace: Opened, step_ns: int | None = None, top: int | None = None) -> Report:
    """Add up what was read and written in each interval; ``step_ns`` as in :func:`calls`."""
    trace.need_times("rate")
    step = step_ns or fitting(trace)
    good = "error IS NULL AND coalesce(returned, 0) >= 0"
    what = ", ".join(
        f"count(*) FILTER ({way}) AS {n},"
        f" coalesce(sum(returned) FILTER ({way} AND {good}), 0)::HUGEINT AS {size}"
        for way, n, size in ((trace.reads, "r", "rb"), (trace.writes, "w", "wb"))
    )
    lines = _intervals(trace, step, what, trace.moves, "rb + wb", top)
    rows = [
        (i * step, reads, read, per(read, step), writes, written, per(written, step))
        for i, reads, read, writes, written in lines
    ]
    return _report(trace, Table("intervals", RATES, rows), step, fitted=step_ns is None)


def fitting(trace: Opened) -> int:
    """Choose an interval in ns for the chosen calls, so that there are 40 to 100 of them.

    They go from the first call's beginning to the last one's end. No interval is shorter than the
    tick of the log's clock.
    """
    begin, end = trace.row(
        "SELECT min(time_ns), max(time_ns + coalesce(duration_ns, 0)) FROM calls"
    )
    if begin is None or begin == end:
        return SECOND
    ticks = (SECOND, SECOND // 10**3, SECOND // 10**6)
    whole = ", ".join(f"coalesce(bool_and(time_ns % {tick} = 0), false)" for tick in ticks)
    known = trace.row(f"SELECT {whole} FROM calls WHERE time_ns IS NOT NULL")
    tick = next((tick for tick, is_whole in zip(ticks, known, strict=True) if is_whole), 1)
    return max(round_step(end - begin), tick)


def round_step(length_ns: int, most: int = FITTED) -> int:
    """Return the shortest interval of 1, 2 or 5 times a power of ten ns that fits ``most`` times.

    >>> [round_step(length) for length in (47_600_000, 3_600 * 10**9, 100, 101)]
    [500000, 50000000000, 1, 2]
    """
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power * most >= length_ns:
                return digit * power
        power *= 10


def _report(trace: Opened, table: Table, step_ns: int, *, fitted: bool) -> Report:
    values = {"interval_s": step_ns / 1e9}
    notes = [f"intervals of {exact_time(step_ns)} from the start of the log"]
    if fitted:
        notes[0] += ", chosen for its length (--interval sets another)"
    if trace.darshan is not None:
        notes.append("Darshan's DXT has only reads and writes; other calls are not in the log")
        notes += trace.lacks
    return Report([table], trace.unknown, values=values, notes=notes)


def _intervals(
    trace: Opened, step_ns: int, what: str, where: str, weight: str, top: int | None
) -> list[tuple[int, ...]]:
    """Query each interval, empty ones included, or the ``top`` of them in the order of time."""
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
        least = exact_time(round_step(last - first, MOST - 1))
        raise InputError(
            f"--interval {exact_time(step_ns)} makes {many:,} intervals of this log; write"
            f" '{least}' or more, or choose a part of the log by --since and --until"
        )
    known = {line[0]: line for line in trace.rows(found)}
    empty = (0,) * (len(next(iter(known.values()))) - 1)
    return [known.get(i, (i, *empty)) for i in range(first // step_ns, last // step_ns + 1)]
