"""Tables of counted calls: the columns and rows that the reports on logs and on Darshan share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simulator.traces.columns import MOVES
from simulator.traces.reports.table import Column, Table, mean, per

TIMES = (
    Column("time_s", "time", "time"),
    Column("time_min_s", "min", "time", "one call"),
    Column("time_mean_s", "mean", "time", "one call"),
    Column("time_max_s", "max", "time", "one call"),
)
SIZES = (
    Column("bytes", "bytes", "size"),
    Column("bytes_min", "min", "size", "one call"),
    Column("bytes_mean", "mean", "size", "one call"),
    Column("bytes_max", "max", "size", "one call"),
    Column("rate_Bps", "rate", "rate"),
    Column("calls_per_s", "kcalls/s", "kilo"),
)
COUNTS = (Column("count", "count"), Column("success", "ok"), Column("errors", "errors"))
CALL = Column("call", "call", "text")
FILE = Column("file", "file", "text")
KIND = Column("kind", "kind", "text")

_TIMED = ("count", "success", "errors", "time_s", "time_mean_s", "time_min_s", "time_max_s")
_MOVED = ("bytes", "bytes_mean", "bytes_min", "bytes_max", "rate_Bps")

BINS = (
    Column("from_bytes", "from (B)"),
    Column("to_bytes", "to (B)"),
    Column("reads", "reads"),
    Column("writes", "writes"),
    Column("read_bytes", "bytes read", "size", "bytes"),
    Column("written_bytes", "bytes written", "size", "bytes"),
)
LENGTHS = (
    Column("length_bytes", "length (B)"),
    *BINS[2:],
)


def calls_table(rows: list[tuple[Any, ...]], top: int | None) -> Table:
    """Return the table of calls by name."""
    kept = rows if top is None else rows[:top]
    parts = (
        ("", ("call", *_TIMED, "calls_per_s")),
        ("bytes moved", ("call", *_MOVED)),
    )
    columns = (CALL, *COUNTS, *TIMES, *SIZES)
    return Table("calls", columns, kept, more=len(rows) - len(kept), parts=parts)


def files_table(rows: Iterator[tuple[Any, ...]], more: int) -> Table:
    """Return the table of calls by file."""
    shown = ("call", "count", "errors", "time_s", "time_mean_s", "time_max_s")
    parts = (("", (*shown, "bytes", "rate_Bps", "file")),)
    columns = (FILE, CALL, *COUNTS, *TIMES, *SIZES, KIND)
    return Table("files", columns, rows, more=more, parts=parts)


def counted_row(
    call: str,
    count: int,
    failed: int,
    timed: int,
    time: int | None,
    least: int | None,
    most: int | None,
    moved: int,
    size: int | None,
    smallest: int | None,
    largest: int | None,
) -> tuple[Any, ...]:
    """Return the row of counted calls; calls that move no bytes have 0 of them."""
    if call not in MOVES:
        moved, size, smallest, largest = 0, 0, None, None
    return (
        *(call, count, count - failed, failed),
        *(time, least, mean(time, timed), most),
        *(size or 0, smallest, mean(size, moved), largest),
        per(size, time) if call in MOVES else None,
        per(count, time),
    )
