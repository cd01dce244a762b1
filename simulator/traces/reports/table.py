"""A report: tables, single values, notes, and what the log does not contain.

The tables of counted calls are here too: those on logs and on Darshan share columns and rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from simulator.traces.columns import MOVES
from simulator.traces.darshan_records import READING, WRITING

Form = Literal[
    "text",
    "count",
    "time",
    "clock",
    "step",
    "size",
    "rate",
    "kilo",
    "number",
    "ratio",
    "shown",
    "record",
]
TIMES = ("time", "clock", "step")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name for programs, its name for people, and what its values are.

    For programs a ``time`` is in seconds (in nanoseconds here), a ``size`` in bytes and a ``rate``
    in bytes per second; people see all of a column in one unit, which stands in its head. A
    ``clock`` is a time of which people see seconds to the microsecond, a ``step`` one in seconds
    with the digits that it needs, a ``kilo`` a number of which they see thousands, a ``number`` an
    identifier, without separators, and a ``ratio`` a number without a unit. A ``shown`` text is for
    people only, and a ``record`` (lists and names with numbers) for JSON only.
    """

    key: str
    label: str
    form: Form = "count"
    scale: str = ""
    """Columns of a table with the same name here are in the same unit; empty: a unit of its own."""


@dataclass(slots=True)
class Table:
    """Rows under one name."""

    name: str
    """Of the list in JSON."""
    columns: tuple[Column, ...]
    rows: Iterable[tuple[Any, ...]]
    more: int = 0
    """Rows that there are besides."""
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Which columns people see, in one or more tables with a title each; none: all columns.
    A row of which a part has only the first column is left out there."""
    outputs: tuple[str, ...] = ("table", "csv", "json")
    """The formats that contain this table."""

    def row_dicts(self, *leave_out: Form) -> Iterable[dict[str, Any]]:
        """Yield each row with the names for programs, in base units; some forms may be left out."""
        unwanted = ("shown", *leave_out)
        columns = [
            (place, column.key, column.form in TIMES)
            for place, column in enumerate(self.columns)
            if column.form not in unwanted
        ]
        for row in self.rows:
            yield {
                key: row[place] / 1e9 if is_time and row[place] is not None else row[place]
                for place, key, is_time in columns
            }


@dataclass(slots=True)
class Report:
    """One report."""

    tables: list[Table]
    unknown: dict[str, dict[str, int]]
    title: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    """Further keys and values in JSON."""
    notes: list[str] = field(default_factory=list)
    """Sentences that belong to the tables."""


def per(amount: float | None, time_ns: float | None) -> float | None:
    """Return an amount per second; None without a time.

    >>> per(10, 2_000_000_000), per(10, 0), per(None, 1)
    (5.0, None, None)
    """
    return amount * 1e9 / time_ns if amount is not None and time_ns else None


def mean(total: float | None, count: int) -> float | None:
    """Return a mean; None if the count is 0."""
    return total / count if count and total is not None else None


# -- counted calls ------------------------------------------------------------------------------

IN_CALLS = (
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
MOVING = MOVES | READING | WRITING
"""Calls that move bytes, by their names in all logs."""
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
    columns = (CALL, *COUNTS, *IN_CALLS, *SIZES)
    return Table("calls", columns, kept, more=len(rows) - len(kept), parts=parts)


def files_table(rows: Iterator[tuple[Any, ...]], more: int) -> Table:
    """Return the table of calls by file."""
    shown = ("call", "count", "errors", "time_s", "time_mean_s", "time_max_s")
    parts = (("", (*shown, "bytes", "rate_Bps", "file")),)
    columns = (FILE, CALL, *COUNTS, *IN_CALLS, *SIZES, KIND)
    return Table("files", columns, rows, more=more, parts=parts)


def counted_row(sums: Sequence[Any]) -> tuple[Any, ...]:
    """Return the row of a call's name and its sums; calls that move no bytes have 0 of them.

    The sums are the number of calls, and of those that failed (None: not known); number, sum, least
    and most of known times, and the same of results.
    """
    call, count, failed, timed, time, least, most, moved, size, smallest, largest = sums
    if call not in MOVING:
        moved, size, smallest, largest = 0, None, None, None
    return (
        *(call, count, count - (failed or 0), failed),
        *(time, least, mean(time, timed), most),
        *(size or 0, smallest, mean(size, moved), largest),
        per(size, time),
        per(count, time),
    )
